// From what a check found to the lines that people read, and the checks of files beside tasks: chores and plans.
import { formatProblem, type Problem } from '../../core/errors.ts';
import { isFinal, STEPS_HINT } from '../../core/task/artifact.ts';
import { type ChoresRoom, createChoreFiles } from '../../store/files/chore-files.ts';
import type { Skipped } from '../../store/files/scan.ts';
import type { listPlans } from '../plans/artifact-file.ts';
import type { Finding } from '../room-handle.ts';

/** Lines of one kind of trouble, with what mends them. */
export type Fault = [state: 'warn' | 'fail', texts: readonly string[], hint: string];

export const MAX_LISTED = 20;

/** One finding a line, the rest counted, so that a broken room does not fill the screen. */
export function each(name: string, ...[state, texts, hint]: Fault): Finding[] {
  const shown = texts.slice(0, MAX_LISTED).map((text): Finding => ({ name, state, text, hint }));
  const more = texts.length - shown.length;
  return more > 0 ? [...shown, { name, state, text: `and ${more} more`, hint: null }] : shown;
}

/** What a check found; `fine` where it found nothing, and nothing at all where that is null. */
export function verdict(name: string, fine: string | null, faults: readonly Fault[]): Finding[] {
  const found = faults.flatMap((fault) => each(name, ...fault));
  return found.length > 0 || fine === null ? found : [{ name, state: 'ok', text: fine, hint: null }];
}

export function isUsual({ reason }: Skipped): boolean {
  return reason === 'editor file' || reason === 'hidden file';
}

export function oddFiles(skipped: readonly Skipped[]): string[] {
  return skipped.filter((file) => !isUsual(file)).map(({ path, reason }) => `${path}: ${reason}`);
}

/** Files that can't be read, and chores that no agent can take. @throws RoomError `io` */
export async function examineChores(room: ChoresRoom, hasAgent: (id: string) => boolean): Promise<Finding[]> {
  const { chores, invalid, skipped } = await createChoreFiles(room).read();
  const ownerless = [...chores.values()].flatMap(({ chore: { path, mirror, owner: own } }) => {
    const owner = mirror === null ? own : mirror.owner;
    return owner === null || hasAgent(owner) ? [] : [noAgent(path, owner)];
  });
  return verdict('chores', chores.size === 0 ? null : `${chores.size} chore(s) can be read`, [
    ['fail', linesOf(invalid), 'mend the file; a running room reads it again by itself'],
    ['warn', ownerless, 'name another owner, or add that agent'],
    ['warn', oddFiles(skipped), 'it is no chore; move it out of chores/, or rename it to end in .md'],
  ]);
}

/**
 * Files that can't be read, final plans of which no tasks could be made, and owners that are no agents.
 * @throws RoomError `io`
 */
export async function examinePlans(
  list: () => ReturnType<typeof listPlans>,
  hasAgent: (id: string) => boolean,
): Promise<Finding[]> {
  const { plans, invalid } = await list();
  const empty = plans.filter((plan) => isFinal(plan) && plan.steps === 0);
  const unmade = plans.flatMap((plan) =>
    plan.problem === null || empty.includes(plan) ? [] : [`${plan.path}: ${plan.problem}`],
  );
  const bare = empty.map(({ path }) => `${path} is final and has no steps that tasks could be made of`);
  const ownerless = plans.flatMap(({ path, owner, problem }) =>
    owner === null || hasAgent(owner) || problem !== null ? [] : [noAgent(path, owner)],
  );
  return verdict('plans', plans.length === 0 ? null : `${plans.length} plan(s) can be read`, [
    ['fail', linesOf(invalid), 'mend the file; nothing is made of it before'],
    ['fail', unmade, 'mend the plan and save it: its tasks are made then'],
    ['warn', bare, STEPS_HINT],
    ['warn', ownerless, 'name an agent of the room as its owner, or leave that out'],
  ]);
}

export function noAgent(path: string, owner: string): string {
  return `${path}: owner ${owner} is no agent of this room`;
}

export function linesOf(files: readonly { problems: Problem[] }[]): string[] {
  return files.flatMap(({ problems }) => problems.map(formatProblem));
}
