// From "something happened to this path" to an observation in the ledger: waits for a text at rest, reads it, puts
// back what a stale buffer dropped, gives ids, tells renames from deletions and copies. One path is handled once at
// a time; a hint that comes meanwhile makes it look again.

import { isRoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import { isMassEdit } from '../../core/rules/decide.ts';
import type { Timer } from '../../effects.ts';
import { type FileStamp, sameStamp } from '../../store/ledger/files.ts';
import { assertFolder, isTaskFile, runScanGently, type ScanResult, statTask } from '../../store/scan.ts';
import { giveId, splitCopy } from '../../tasks/observe/give-id.ts';
import { type Observation, recordGone, recordReading } from '../../tasks/observe/observer.ts';
import { readFileRow } from '../../tasks/observe/read-file-row.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { takeInBulk } from './bulk-intake.ts';

export interface IntakeOptions {
  deps: TaskRoom;
  /** An observation was recorded; `settled` once the edit had its quiet time. */
  onObserved(observation: Observation): void;
  /** A task's input has been quiet for the settle time: decide. */
  onSettled(ids: TaskId[]): void;
  /** Something that was under way is over: the intake may be quiet now. */
  onCalm(): void;
  /** A read or write failed for a reason outside; the path is looked at again later. */
  onTrouble(error: unknown, path: string): void;
  settleMs(): number;
}

export interface Intake {
  /** Something happened to this path. */
  hint(path: string): void;
  /**
   * Compares everything with the disk; resolves when each difference was taken in. The first sweep also takes in
   * what a reader stored, and what went, while nobody observed.
   */
  sweep(options?: { first: boolean; onProgress(done: number, total: number): void }): Promise<ScanResult>;
  /** Reads one path now; resolves when it was taken in. */
  look(path: string): Promise<void>;
  isSettling(id: TaskId): boolean;
  /** True when nothing is being read, settling or waiting to show itself as a rename. */
  isQuiet(): boolean;
  close(): void;
}

const NEVER: FileStamp = { size: -1, mtimeMs: -1, ctimeMs: -1, ino: -1 };
// Up to this many changed files are read one by one, each with all care.
const FEW = 20;
// Our entries of this long ago may have been dropped by a stale buffer.
const RECENT_MS = 15 * 60_000;
// A rename shows as "gone here, new there": the two halves come within milliseconds, over a network within this.
const RENAME_GRACE_MS = 400;
const UNSTABLE_RETRY_MS = 100;
const TROUBLE_RETRY_MS = 2_000;
// However long edits go on elsewhere, what has settled is not held back for longer.
const LONGEST_BATCH_MS = 2_000;

export function createIntake(options: IntakeOptions): Intake {
  const { deps, settleMs } = options;
  const { effects } = deps;
  const stamps = deps.ledger.files.stamps();
  const busy = new Map<string, { again: boolean; done: Promise<void> }>();
  const later = new Map<string, Timer>();
  const settling = new Map<TaskId, Timer>();
  /** Paths that are about to get an id. */
  const naming = new Set<string>();
  let ready: TaskId[] = [];
  let readySince = 0;
  let flush: Timer | null = null;
  let losses: number[] = [];
  let closed = false;

  function hint(path: string): void {
    if (!closed) void look(path);
  }

  function look(path: string): Promise<void> {
    const current = busy.get(path);
    if (current) {
      current.again = true;
      return current.done;
    }
    const entry = { again: false, done: Promise.resolve() };
    busy.set(path, entry);
    entry.done = handleUntilCalm(path, entry);
    return entry.done;
  }

  async function handleUntilCalm(path: string, entry: { again: boolean }): Promise<void> {
    try {
      do {
        entry.again = false;
        await handle(path);
      } while (entry.again && !closed);
    } catch (error) {
      stamps.delete(path);
      retryLater(path, TROUBLE_RETRY_MS);
      options.onTrouble(error, path);
    } finally {
      busy.delete(path);
      options.onCalm();
    }
  }

  function retryLater(path: string, delayMs: number): void {
    if (closed) return;
    later.get(path)?.cancel();
    const timer = effects.setTimer(delayMs, () => {
      later.delete(path);
      hint(path);
    });
    later.set(path, timer);
  }

  async function handle(path: string): Promise<void> {
    if (closed) return;
    const stamp = statTask(deps.room.at(path));
    if (stamp === null || typeof stamp === 'string') return vanished(path);
    const known = stamps.get(path);
    if (known && sameStamp(known, stamp) && !later.has(path)) return;
    const read = await readFileRow(deps, path);
    if (closed) return;
    if (read === null) return vanished(path);
    if (read === 'unstable') return retryLater(path, UNSTABLE_RETRY_MS);
    cancelLater(path);
    if (!deps.writer.isOurs(path, read.hash) && deps.ledger.files.get(path)?.hash !== read.hash) {
      const { restored } = await deps.writer.restore(path);
      if (restored > 0) {
        deps.events.emit({ type: 'task.restored', path, entries: restored });
        return handle(path);
      }
    }
    stamps.set(path, read.stamp);
    await takeIn(path, recordReading(deps, read));
  }

  async function takeIn(path: string, observation: Observation): Promise<void> {
    if (observation.kind === 'needs_id') return settlePath(path, () => giveId(deps, path));
    if (observation.kind === 'copy') return settlePath(path, () => splitCopy(deps, path), RENAME_GRACE_MS);
    if (observation.inputChanged && observation.id !== null) settle(observation.id);
    options.onObserved(observation);
  }

  function cancelLater(path: string): void {
    later.get(path)?.cancel();
    later.delete(path);
    naming.delete(path);
  }

  /** Acts on a path after its quiet time, when nothing happened to it meanwhile. */
  function settlePath(path: string, act: () => Promise<unknown>, atLeastMs = 0): void {
    cancelLater(path);
    naming.add(path);
    const run = async () => {
      later.delete(path);
      try {
        await act();
        stamps.delete(path);
        await look(path);
      } catch (error) {
        if (isRoomError(error, 'not_found') || isRoomError(error, 'invalid_file')) return hint(path);
        retryLater(path, TROUBLE_RETRY_MS);
        options.onTrouble(error, path);
      } finally {
        naming.delete(path);
        if (ready.length > 0) flushSoon();
        else options.onCalm();
      }
    };
    const delayMs = Math.max(settleMs(), atLeastMs);
    later.set(
      path,
      effects.setTimer(delayMs, () => void run()),
    );
  }

  function vanished(path: string): void {
    if (!stamps.has(path) && deps.ledger.tasks.byPath(path) === null) return;
    cancelLater(path);
    const confirm = () => {
      later.delete(path);
      if (closed || isTaskFile(deps.room.at(path))) return hint(path);
      try {
        assertFolder(deps.room);
        options.onObserved(recordGone(deps, path, isMassLoss()));
        stamps.delete(path);
      } catch (error) {
        stamps.set(path, NEVER);
        retryLater(path, TROUBLE_RETRY_MS);
        options.onTrouble(error, path);
      }
      options.onCalm();
    };
    later.set(path, effects.setTimer(Math.max(settleMs(), RENAME_GRACE_MS), confirm));
  }

  /** Many files that go at once are no decision about each: a branch switch, an unmounted disk. */
  function isMassLoss(): boolean {
    const now = effects.monotonicMs();
    losses = losses.filter((at) => now - at < LONGEST_BATCH_MS);
    losses.push(now);
    const waiting = [...later.keys()].filter((path) => !isTaskFile(deps.room.at(path))).length;
    return isMassEdit(losses.length + (losses.length === 1 ? waiting : 0), deps.config().holdAbove);
  }

  function settle(id: TaskId): void {
    settling.get(id)?.cancel();
    const delayMs = settleMs();
    if (delayMs === 0) return settled(id);
    settling.set(
      id,
      effects.setTimer(delayMs, () => settled(id)),
    );
  }

  function settled(id: TaskId): void {
    settling.delete(id);
    if (ready.length === 0) readySince = effects.monotonicMs();
    ready.push(id);
    flushSoon();
  }

  /** Edits made together are decided on together, so that a mass edit is seen as one. */
  function flushSoon(): void {
    flush?.cancel();
    const more = settling.size + naming.size > 0;
    const wait = more ? Math.max(0, readySince + LONGEST_BATCH_MS - effects.monotonicMs()) : 0;
    if (wait === 0) return flushReady();
    flush = effects.setTimer(wait, flushReady);
  }

  function flushReady(): void {
    flush?.cancel();
    flush = null;
    const ids = ready;
    ready = [];
    if (!closed && ids.length > 0) options.onSettled(ids);
    options.onCalm();
  }

  async function sweep(
    { first, onProgress } = { first: false, onProgress: (_done: number, _total: number) => {} },
  ): Promise<ScanResult> {
    const result = await runScanGently(deps.room, stamps);
    const paths = new Set(result.changed.map(({ path }) => path));
    const complete = !first || deps.ledger.files.isComplete();
    const stale = (complete ? [] : deps.ledger.files.unobserved()).filter(
      (path) => !paths.has(path) && stamps.has(path),
    );
    const changed = [...result.changed, ...stale.map((path) => ({ path, stamp: stamps.get(path)! }))];
    for (const path of stale) stamps.delete(path);
    const rest =
      changed.length > FEW ? await sweepInBulk(changed, onProgress) : changed.map(({ path }) => path);
    const missing = first && !(complete && changed.length === 0) ? deps.ledger.files.missing() : [];
    for (const path of [...rest, ...result.gone, ...missing]) await look(path);
    return result;
  }

  async function sweepInBulk(
    changed: ScanResult['changed'],
    onProgress: (done: number, total: number) => void,
  ): Promise<string[]> {
    const careful = new Set([
      ...deps.ledger.writes.paths(effects.now() - RECENT_MS),
      ...busy.keys(),
      ...later.keys(),
    ]);
    const bulk = await takeInBulk(deps, changed, careful, (done) => onProgress(done, changed.length));
    for (const { path, stamp } of bulk.taken) stamps.set(path, stamp);
    for (const observation of bulk.observations) await takeIn(observation.path, observation);
    return bulk.rest;
  }

  return {
    hint,
    look,
    sweep,
    isSettling: (id) => settling.has(id) || ready.includes(id),
    isQuiet: () => busy.size + later.size + settling.size + naming.size + ready.length === 0,
    close() {
      closed = true;
      for (const timer of [...later.values(), ...settling.values()]) timer.cancel();
      flush?.cancel();
    },
  };
}
