// From a dirty path to an observation in the ledger: the text is read at rest, what a stale buffer dropped is restored, files
// without an id of their own get one, renames are told from deletions and copies. And what an observation leads to: turns of tasks that
// were paused, canceled or finished are stopped, tasks become dirty, and what follows from it is written into the room.
import { isRoomError } from '../../core/errors.ts';
import { threadOfTask } from '../../core/ids.ts';
import { createRounds } from '../../core/keyed-mutex.ts';
import { isMassEdit } from '../../core/rules/decide.ts';
import { createPace, sleep } from '../../effects.ts';
import type { ScanResult } from '../../store/files/scan.ts';
import { assertFolder, isTaskFile, runScanGently, statTask } from '../../store/files/scan.ts';
import { type FileStamp, sameStamp } from '../../store/ledger/tasks/files.ts';
import { REST_MS } from '../../store/write/stable-read.ts';
import { applyConsequences } from '../../tasks/observe/consequences.ts';
import { giveId, splitCopy } from '../../tasks/observe/give-id.ts';
import { hideDeleted } from '../../tasks/observe/hide-deleted.ts';
import { type Observation, recordGone, recordReading } from '../../tasks/observe/observer.ts';
import { readFileRow } from '../../tasks/observe/read-file-row.ts';
import { type ChangedFile, takeInArchive, takeInBulk } from '../../tasks/observe/take-in.ts';
import type { Loop } from '../state/loop.ts';

const UNSTABLE_RETRY_MS = 100;
const OWN_WRITE_MS = 1_000; // A file that was written so soon after our own write of it is likely that write.

type Progress = (done: number, total: number) => void;

export function createObserve(loop: Loop) {
  const { deps, dirtyPaths } = loop;
  const { stamps, timers, expected } = dirtyPaths;
  const deletions = createDeletionDetection(loop);
  const pace = createPace(deps.effects);

  async function takeIn(path: string): Promise<void> {
    await pace();
    const row = await readPath(loop, path);
    await pace();
    if (row === 'unchanged' || timers.closed.aborted) return;
    if (row === 'unstable') return dirtyPaths.pushLater(path, UNSTABLE_RETRY_MS);
    if (row === null) return deletions.suspect(path);
    timers.cancel(path);
    expected.delete(path);
    stamps.set(path, row.stamp);
    follow(recordReading(deps, row));
  }

  function follow(observation: Observation): void {
    const { kind, path } = observation;
    // Whoever looked while it was being saved looks at it again now.
    dirtyPaths.recent.note(path);
    for (const other of observation.reread) {
      stamps.delete(other);
      void dirtyPaths.push(other);
    }
    if (kind === 'needs_id') writeWhenQuiet(loop, path, () => giveId(deps, path));
    else if (kind === 'deleted') writeWhenQuiet(loop, path, () => hideDeleted(deps, path));
    // Unless the task that has the id is being renamed to this path.
    else if (kind === 'copy') writeWhenQuiet(loop, path, () => splitCopy(deps, path), RENAME_GRACE_MS);
    else loop.observations.push(observation, false);
  }

  dirtyPaths.takenBy(takeIn);
  return {
    /** Resolves when each difference from the disk was taken in; the first time also what a reader stored or went while nobody observed. */
    async rescan(first = false, onProgress?: Progress): Promise<ScanResult> {
      const { files } = deps.ledger;
      if (first) takeInArchive(deps);
      const result = await runScanGently(deps.room, stamps);
      const isComplete = !first || files.isComplete();
      const changed = isComplete ? result.changed : [...result.changed, ...unobserved(loop, result.changed)];
      const busy = [...dirtyPaths.unread.keys(), ...timers.waiting.keys()] as string[];
      const { taken, careful } = await takeInBulk(deps, changed, busy, onProgress);
      for (const { file } of taken) stamps.set(file.path, file.stamp);
      for (const { observation } of taken) follow(observation);
      const missing = first && !(isComplete && changed.length === 0) ? files.missing() : [];
      for (const path of [...careful, ...result.gone, ...missing]) await dirtyPaths.push(path);
      return result;
    },
  };
}

/** Files that look as they did, but that nobody observed since a reader stored them; their stamps are forgotten. */
function unobserved({ deps, dirtyPaths: { stamps } }: Loop, changed: readonly ChangedFile[]): ChangedFile[] {
  const known = new Set(changed.map(({ path }) => path));
  return deps.ledger.files.unobserved().flatMap((path) => {
    const stamp = known.has(path) ? undefined : stamps.get(path);
    return stamp !== undefined && stamps.delete(path) ? { path, stamp } : [];
  });
}

/** What stands at the path, unless it looks as it did; null where no task file is. It is read at rest, once what a stale buffer dropped
 * from a text that is new and not ours is put back. @throws RoomError */
async function readPath({ deps, dirtyPaths: { stamps, timers } }: Loop, path: string) {
  const stamp = statTask(deps.room.at(path));
  if (stamp === null || typeof stamp === 'string') return null;
  // What waits on a path waits for another reading.
  const known = timers.waiting.has(path) ? undefined : stamps.get(path);
  if (known !== undefined && sameStamp(known, stamp)) return 'unchanged';
  // What was saved a moment ago is read once it has been quiet, and not before that as well. Our own writes are whole.
  const ageMs = deps.effects.now() - stamp.mtimeMs;
  const isOwn = stamp.mtimeMs - (deps.ledger.writes.last(path)?.atMs ?? 0) < OWN_WRITE_MS;
  // The clock rounds down and a timer may be early by one millisecond each: a shorter sleep would cost a second reading.
  if (ageMs >= 0 && ageMs < REST_MS && !isOwn) await sleep(deps.effects, Math.ceil(REST_MS - ageMs) + 1);
  for (;;) {
    const row = await readFileRow(deps, path);
    if (row === null || row === 'unstable') return row;
    const { hash, stamp: stat } = row;
    if (deps.writer.isOurs(path, hash) || deps.ledger.files.get(path)?.hash === hash) return row;
    const { restored } = await deps.writer.restore(path, false, { ...row, stat });
    if (restored === 0) return row;
    deps.events.emit({ type: 'task.restored', path, entries: restored });
  }
}

function writeWhenQuiet(loop: Loop, path: string, write: () => Promise<unknown>, atLeastMs = 0): void {
  const { stamps, timers, expected, push, retry } = loop.dirtyPaths;
  async function writeNow(): Promise<void> {
    try {
      await write();
      stamps.delete(path);
      await push(path);
    } catch (error) {
      if (isRoomError(error, 'not_found') || isRoomError(error, 'invalid_file')) void push(path);
      else retry(path, error);
    } finally {
      expected.delete(path);
    }
  }
  expected.add(path);
  timers.set(path, Math.max(loop.quietMs(), atLeastMs), () => loop.during(writeNow));
}

// A rename shows as "gone here, new there": the two halves come within milliseconds, over a network within this.
const RENAME_GRACE_MS = 400;
const TOGETHER_MS = 2_000; // Files that go within this time of each other go together.
/** Differs from every file: the next look reads it. */
const NEVER: FileStamp = { size: -1, mtimeMs: -1, ctimeMs: -1, ino: -1 };

export function createDeletionDetection({ deps, dirtyPaths, observations, quietMs }: Loop) {
  const { stamps, timers, expected } = dirtyPaths;
  let losses: number[] = [];
  let isMass = false;

  const isGone = (path: unknown): boolean => !isTaskFile(deps.room.at(path as string));

  function confirm(path: string): void {
    if (!isGone(path)) return void dirtyPaths.push(path);
    try {
      assertFolder(deps.room);
      observations.push(recordGone(deps, path, isMassLoss()), true);
      stamps.delete(path);
    } catch (error) {
      stamps.set(path, NEVER);
      dirtyPaths.retry(path, error);
    }
  }

  /** A branch switch, an unmounted disk. */
  function isMassLoss(): boolean {
    const now = deps.effects.monotonicMs();
    losses = losses.filter((at) => now - at < TOGETHER_MS);
    // The rest of a mass that began goes with it, however few are left of it.
    if (losses.length === 0) isMass = false;
    losses.push(now);
    const { holdAbove } = deps.config();
    if (isMass || holdAbove === 0) return isMass;
    // Most of the time too few wait, whatever became of them: the disk is asked of each only where that decides.
    isMass =
      isMassEdit(losses.length + timers.waiting.size, holdAbove) &&
      isMassEdit(losses.length + [...timers.waiting.keys()].filter(isGone).length, holdAbove);
    return isMass;
  }

  return {
    /** There is no task file at the path: when there was one, it is gone unless it shows itself again. */
    suspect(path: string): void {
      if (!stamps.has(path) && deps.ledger.tasks.byPath(path) === null) return;
      expected.delete(path);
      timers.set(path, Math.max(quietMs(), RENAME_GRACE_MS), () => confirm(path));
    },
  };
}

const WIND_DOWN_MS = 60_000; // A task seen done gives its turn this long to end by itself.

/** @param pushes sends local changes upstream */
export function createReact(loop: Loop, pushes: { look(): void }) {
  const { deps, active, dirtyTasks, dirtyPaths } = loop;
  // One at a time: the ends of a thousand tasks are carried out once, and not once for each.
  const rounds = createRounds(() => loop.during(carryOutNow));

  async function carryOutNow(): Promise<void> {
    try {
      const written = await applyConsequences(deps);
      await Promise.all(written.map(({ id }) => dirtyPaths.pushTask(id)));
      loop.note('history', null);
    } catch (error) {
      if (isRoomError(error, 'io')) loop.note('history', error);
      else loop.onTrouble(error);
    }
  }

  function react(observation: Observation, byTurn: boolean): void {
    if (!loop.holdsRoom()) return;
    const { kind, id, inputChanged } = observation;
    if (id !== null && inputChanged) {
      if (active.running.has(threadOfTask(id))) dirtyTasks.editedInside.add(id);
      else dirtyTasks.editedInside.delete(id);
    }
    if (id !== null && !byTurn && (inputChanged || observation.answerTyped)) dirtyTasks.push(id, 'edited');
    for (const { id: stopped, reason } of observation.stop) active.stop(threadOfTask(stopped), reason);
    for (const done of observation.windDown) active.windDown(threadOfTask(done), WIND_DOWN_MS);
    for (const touched of observation.look) dirtyTasks.push(touched);
    if (loop.firstScan.isOver) {
      pushes.look();
      // Most observations lead to nothing that is to be written.
      if (kind !== 'invalid' && deps.ledger.consequences.has()) void rounds.ask();
    }
    loop.busyAgain();
  }

  loop.observations.push = react;
  return {
    /** Writes what follows from all that was observed: history lines, the end of canceled tasks' subtasks. Never rejects. */
    async carryOut(): Promise<void> {
      await rounds.ask();
      await rounds.settled();
    },
  };
}
