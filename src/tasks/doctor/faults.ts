// What can be wrong with a room's chores: files that can't be read, and prompts that no agent can take.
import { formatProblem } from '../../core/errors.ts';
import { isFinal, STEPS_HINT } from '../../core/task/artifact.ts';
import { type ChoresRoom, createChoreFiles } from '../../store/files/chore-files.ts';
import type { listPlans } from '../plans/artifact-file.ts';
import { each, type Finding, ok } from '../room-handle.ts';

interface ChoreFaults {
  count: number;
  /** One line each. */
  broken: string[];
  ownerless: string[];
  odd: string[];
}

/** @throws RoomError `io` */
export async function findChoreFaults(
  room: ChoresRoom,
  hasAgent: (id: string) => boolean,
): Promise<ChoreFaults> {
  const { chores, invalid, skipped } = await createChoreFiles(room).read();
  const ownerless = [...chores.values()].flatMap(({ chore }) => {
    const owner = chore.mirror === null ? chore.owner : chore.mirror.owner;
    return owner === null || hasAgent(owner)
      ? []
      : [`${chore.path}: owner ${owner} is no agent of this room`];
  });
  return {
    count: chores.size,
    broken: invalid.flatMap(({ problems }) => problems.map(formatProblem)),
    ownerless,
    odd: skipped
      .filter(({ reason }) => reason !== 'editor file' && reason !== 'hidden file')
      .map(({ path, reason }) => `${path}: ${reason}`),
  };
}

// What can be wrong with a room's plans: files that can't be read, final ones of which no tasks could be made, and owners that
// are no agents.

/** Nothing where the room has no plans. @throws RoomError `io` */
export async function examinePlans(
  list: () => ReturnType<typeof listPlans>,
  hasAgent: (id: string) => boolean,
): Promise<Finding[]> {
  const { plans, invalid } = await list();
  const broken = invalid.flatMap(({ problems }) => problems.map(formatProblem));
  const empty = plans.filter((plan) => isFinal(plan) && plan.steps === 0);
  const unmade = plans.flatMap((plan) =>
    plan.problem === null || empty.includes(plan) ? [] : [`${plan.path}: ${plan.problem}`],
  );
  const ownerless = plans.flatMap(({ path, owner, problem }) =>
    owner === null || hasAgent(owner) || problem !== null
      ? []
      : [`${path}: owner ${owner} is no agent of this room`],
  );
  const found = [
    ...each('plans', 'fail', broken, 'mend the file; nothing is made of it before'),
    ...each('plans', 'fail', unmade, 'mend the plan and save it: its tasks are made then'),
    ...each(
      'plans',
      'warn',
      empty.map(({ path }) => `${path} is final and has no steps that tasks could be made of`),
      STEPS_HINT,
    ),
    ...each('plans', 'warn', ownerless, 'name an agent of the room as its owner, or leave that out'),
  ];
  if (found.length > 0 || plans.length === 0) return found;
  return ok('plans', `${plans.length} plan(s) can be read`);
}
