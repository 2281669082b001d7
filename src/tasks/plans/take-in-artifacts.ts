// Observing artifacts/: a final plan gets its tasks, tasks of a renamed document follow it, those of a deleted one are unlinked.
// The id of each task stands in the ledger before its file is made, so that a crash makes none twice.
import { parseDocument } from '../../core/document/document.ts';
import { applyEdits } from '../../core/document/edits.ts';
import { isPassing, isRoomError, RoomError } from '../../core/errors.ts';
import { newTag, type TaskId } from '../../core/ids.ts';
import { type Artifact, isFinal, isPlan, STEPS_HINT, stepsToMake } from '../../core/task/artifact.ts';
import { linkStep } from '../../core/task/body/step-edits.ts';
import { readPlanSteps } from '../../core/task/body/steps.ts';
import { sleep } from '../../effects.ts';
import { type ArtifactScan, scanArtifacts } from '../../store/files/scan.ts';
import type { FileStamp } from '../../store/ledger/tasks/files.ts';
import type { ArtifactRow } from '../../store/ledger/tasks/links.ts';
import { createTask } from '../change/create-task.ts';
import { freshTaskId } from '../observe/give-id.ts';
import { type Actor, nameOfActor, type RoomHandle, type TaskRoom } from '../task-room.ts';
import { type ArtifactFile, readArtifactFile, renameArtifact } from './artifact-file.ts';

export type MadeTask = { id: TaskId; name: string };

/** Makes what is still to be made of a final plan, in the name of `actor`. @throws RoomError as `createTask` */
async function makeTasks(
  deps: RoomHandle,
  { uid, finalBy }: ArtifactRow,
  { name: artifact, path, owner, sprint, scope, steps }: Artifact,
  actor: Actor,
): Promise<MadeTask[]> {
  const { artifacts } = deps.ledger;
  const said = {
    ...(actor.kind === 'runtime' && { requester: finalBy ?? 'owner' }),
    ...(owner !== null && { owner }),
    ...(sprint !== null && { sprint }),
    ...(scope !== null && { scope }),
  };
  const made: MadeTask[] = [];
  for (const { key, step, index } of stepsToMake(steps)) {
    const before = artifacts.taskOf(uid, key);
    const id = before?.task ?? artifacts.intend(uid, key, freshTaskId(deps));
    if (before?.made !== true) {
      const { title, details: description } = step;
      const task = { name: title, title, description, artifact, sort: index + 1, ...said };
      made.push({ id, name: (await createTask(deps, task, actor, { id })).name });
      artifacts.setMade(uid, key);
    }
    await writeLink(deps, path, key, id, actor);
  }
  return made;
}

/** Into the step of that key as the file stands then; a step that went meanwhile needs none. */
async function writeLink(deps: RoomHandle, path: string, key: string, id: TaskId, actor: Actor) {
  const edit = (text: string): string => {
    const parsed = parseDocument(text, path);
    if (!parsed.ok) return text;
    const body = text.slice(parsed.doc.bodyStart);
    const found = stepsToMake(readPlanSteps(body)).find((step) => step.key === key);
    return found === undefined
      ? text
      : applyEdits(text, linkStep(body, found.index, id, parsed.doc.bodyStart, readPlanSteps));
  };
  try {
    await deps.writer.edit(path, { actor: nameOfActor(actor), task: null, edit });
  } catch (error) {
    // Deleted while its tasks were made: they are unlinked when that is seen.
    if (!isRoomError(error, 'not_found')) throw error;
  }
}

const GONE_GRACE_MS = 150; // A file that is saved by "move away, write anew" is gone for a moment.
// What is typed while its tasks are made is taken in as well; without end it waits for the next look.
const ROUNDS = 5;
const RUNTIME: Actor = { kind: 'runtime' };

/** Returns how long to wait for a document that is still being written, null when none is, and whether files of tasks may have changed.
 * @param options.quietMs a document counts once nobody saved it for so long. @throws RoomError `io`, `locked` */
export async function takeInArtifacts(deps: RoomHandle, { quietMs = 0 }: { quietMs?: number } = {}) {
  const { room, effects, ledger } = deps;
  const rescan = () =>
    scanArtifacts(room, new Map(ledger.artifacts.all().map(({ name, stamp }) => [name, stamp])));
  let scan = rescan();
  if (scan.gone.length > 0) {
    await sleep(effects, GONE_GRACE_MS);
    scan = rescan();
    await takeInGone(deps, scan);
  }
  let againInMs: number | null = null;
  for (const { name, stamp } of scan.changed) {
    const ageMs = effects.now() - stamp.mtimeMs;
    const waitMs = ageMs < 0 ? 0 : quietMs - ageMs;
    if (waitMs <= 0) await takeInArtifact(deps, name, RUNTIME);
    else againInMs = Math.min(againInMs ?? waitMs, waitMs);
  }
  return { againInMs, changed: scan.changed.length + scan.gone.length > 0 };
}

/** Observes one document; returns the tasks made of it in the name of `actor`, who is told why none could be. @throws RoomError */
export async function takeInArtifact(deps: RoomHandle, name: string, actor: Actor): Promise<MadeTask[]> {
  const made: MadeTask[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const file = await readArtifactFile(deps, name);
    if (file === null || file === 'unstable') return made;
    const more = await takeInOnce(deps, name, file, actor);
    if (more === null) return made;
    made.push(...more);
  }
  return made;
}

/** @returns null when all of the file as it was read is taken in */
async function takeInOnce(deps: RoomHandle, name: string, file: ArtifactFile, actor: Actor) {
  const { artifacts } = deps.ledger;
  const row = rowFor(deps, name, file);
  const done = (problem: string | null): null => {
    artifacts.put({ ...row, stamp: file.stamp, problem });
    return null;
  };
  if (!file.reading.ok) return done(null);
  const { artifact } = file.reading;
  if (!isPlan(artifact) || !isFinal(artifact)) return done(null);
  if (artifact.steps.length === 0)
    return done(`it is final, and has no steps that tasks could be made of; ${STEPS_HINT}`);
  if (stepsToMake(artifact.steps).length === 0) return done(null);
  artifacts.put(row);
  try {
    return await makeTasks(deps, row, artifact, actor);
  } catch (error) {
    if (!(error instanceof RoomError) || isPassing(error)) throw error;
    done(error.hint === undefined ? error.message : `${error.message}; ${error.hint}`);
    if (actor.kind !== 'runtime') throw error;
    deps.events.emit({
      type: 'room.trouble',
      message: `no tasks could be made of ${artifact.path}: ${error.message}`,
      hint: error.hint ?? null,
    });
    return null;
  }
}

/** What is known of the document, with whose word it is that made it final. */
function rowFor(deps: TaskRoom, name: string, file: ArtifactFile): ArtifactRow {
  const known = deps.ledger.artifacts.get(name);
  const uid = known?.uid ?? newTag(deps.effects.randomBytes);
  const row = { name, uid, stamp: null, finalBy: known?.finalBy ?? null, problem: null };
  if (!file.reading.ok) return row;
  const { artifact } = file.reading;
  if (!isFinal(artifact)) return { ...row, finalBy: null };
  return { ...row, finalBy: row.finalBy ?? madeFinalBy(deps, artifact, file.stamp) };
}

const BY_AGENT = /^agent:[A-Za-z0-9][\w.-]*$/;

/** Words typed while an agent's turn ran may be that agent's; so may all of a document that an agent made. */
function madeFinalBy({ ledger }: TaskRoom, { createdBy }: Artifact, { ctimeMs }: FileStamp): string {
  if (createdBy !== null && BY_AGENT.test(createdBy)) return createdBy;
  const [agent] = ledger.turns.agentsRan(ctimeMs);
  return agent === undefined ? 'owner' : `agent:${agent}`;
}

async function takeInGone(deps: RoomHandle, { gone, changed }: ArtifactScan): Promise<void> {
  const { artifacts } = deps.ledger;
  const lost: string[] = [];
  for (const name of gone) {
    const to = await renamedTo(deps, name, changed);
    if (to === null) lost.push(name);
    else {
      await renameArtifact(deps, name, to);
      artifacts.rename(name, to);
    }
  }
  // Several at once are a branch that was switched or a folder that was moved: they may be back in a moment.
  if (lost.length !== 1) return;
  await forgetArtifact(deps, lost[0]!);
}

/** Unlinks the tasks of a document that is gone; returns how many. */
export async function forgetArtifact(deps: RoomHandle, name: string): Promise<number> {
  const unlinked = await renameArtifact(deps, name, null);
  deps.ledger.artifacts.forget(name);
  return unlinked;
}

/** A document nobody knows that is the same file, or whose steps are linked to the tasks of this one. */
async function renamedTo(deps: RoomHandle, name: string, changed: ArtifactScan['changed']) {
  const { artifacts } = deps.ledger;
  const row = artifacts.get(name);
  const fresh = changed.filter((other) => artifacts.get(other.name) === null);
  const before = row?.stamp;
  // A file number alone is given again to the next file that is made.
  const same = fresh.find(
    ({ stamp: { ino, size, mtimeMs } }) =>
      before?.ino === ino && before.size === size && before.mtimeMs === mtimeMs,
  );
  if (row === null || same !== undefined) return same?.name ?? null;
  const tasks = new Set<string>(artifacts.tasksOf(row.uid));
  for (const other of fresh) {
    const file = await readArtifactFile(deps, other.name);
    if (file === null || file === 'unstable' || !file.reading.ok) continue;
    if (file.reading.artifact.steps.some(({ task }) => task !== null && tasks.has(task))) return other.name;
  }
  return null;
}
