// From "something happened to this path" to an observation in the ledger: a text at rest is read, what a stale buffer
// dropped is put back, files without an id of their own get one, renames are told from deletions and copies.
import type { TaskId } from '../../core/ids.ts';
import { createPace } from '../../effects.ts';
import { type FileStamp, sameStamp } from '../../store/ledger/tasks/files.ts';
import { runScanGently, type ScanResult, statTask } from '../../store/scan.ts';
import { type Observation, recordReading } from '../../tasks/observe/observer.ts';
import { type ReadRow, readFileRow } from '../../tasks/observe/read-file-row.ts';
import type { HeardPaths } from '../../tasks/observe/room-files.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Observations } from '../decide/observations.ts';
import type { Settling } from '../decide/settling.ts';
import type { IdleWatch } from '../idle-watch.ts';
import { createKeyedTimers } from '../keyed-timers.ts';
import { createDisappearance } from './disappearance.ts';
import { createIdGiving } from './id-giving.ts';
import { createPathQueue } from './path-queue.ts';
import { type SweepOptions, sweepRoom } from './sweep.ts';

const MOST_HEARD = 2_000;

/** The latest paths of which something was heard, counted from the start: whoever keeps what files say looks again at those since its last look. */
export function createHeardPaths(): HeardPaths & { note(path: string): void } {
  let paths: string[] = [];
  let dropped = 0;
  return {
    note(path) {
      paths.push(path);
      if (paths.length < 2 * MOST_HEARD) return;
      dropped += MOST_HEARD;
      paths = paths.slice(MOST_HEARD);
    },
    count: () => dropped + paths.length,
    since: (count) => (count < dropped ? null : paths.slice(count - dropped)),
  };
}

export interface IntakeOptions {
  deps: TaskRoom;
  /** Where changed input waits for its quiet time. */
  settling: Pick<Settling, 'edited' | 'expectTask' | 'unexpectTask' | 'taskCame' | 'quietMs'>;
  /** Where every observation goes. */
  observations: Observations;
  idle: Pick<IdleWatch, 'check'>;
  /** A read or write failed for a reason outside; the path is looked at again later. */
  onTrouble(error: unknown, path: string): void;
}

export interface Intake {
  /** Something happened to this path. */
  hint(path: string): void;
  /** The paths of which something was heard, by hints or by what was taken in. */
  readonly heard: HeardPaths;
  /** Compares everything with the disk; resolves when each difference was taken in. */
  sweep(options?: SweepOptions): Promise<ScanResult>;
  /** Compares everything with the disk; what differs is being read, and counts as unread, once this resolves. */
  hearOfAll(): Promise<void>;
  /** Takes in what the task's file says now; resolves when that is done. */
  lookAtTask(id: TaskId): Promise<void>;
  /** How many files are being read, or wait for it. */
  unread(): number;
  /** True when nothing is being read or waits on a path. */
  isQuiet(): boolean;
  close(): void;
}

const UNSTABLE_RETRY_MS = 100;
const LATER_SWEEP: SweepOptions = { first: false, onProgress: () => {} };

export function createIntake(options: IntakeOptions): Intake {
  const { deps, settling, observations } = options;
  const stamps = deps.ledger.files.stamps();
  const timers = createKeyedTimers(deps.effects);
  const paths = createPathQueue({ ...options, stamps, timers, takeIn });
  const ids = createIdGiving({ ...options, stamps, timers, paths });
  const disappearance = createDisappearance({ ...options, stamps, timers, paths });
  const heard = createHeardPaths();
  const pace = createPace(deps.effects);

  async function takeIn(path: string): Promise<void> {
    // What waits on a path waits for another reading.
    await pace();
    const known = timers.has(path) ? null : (stamps.get(path) ?? null);
    const reading = await readPath(deps, path, known);
    await pace();
    if (paths.isClosed() || reading.kind === 'unchanged') return;
    if (reading.kind === 'unstable') return paths.lookLater(path, UNSTABLE_RETRY_MS);
    if (reading.kind === 'gone') return disappearance.suspect(path);
    timers.cancel(path);
    settling.unexpectTask(path);
    if (await restoreDropped(deps, reading.row)) return takeIn(path);
    stamps.set(path, reading.row.stamp);
    follow(recordReading(deps, reading.row));
  }

  function follow(observation: Observation): void {
    const { kind, path, id, inputChanged, answerTyped, reread } = observation;
    heard.note(path);
    for (const other of reread) {
      stamps.delete(other);
      paths.hint(other);
    }
    if (kind === 'needs_id') return ids.giveTo(path);
    if (kind === 'deleted') return ids.hide(path);
    if (kind === 'copy') return ids.splitFrom(path);
    if ((inputChanged || answerTyped) && id !== null) settling.edited(id);
    observations.take(observation);
  }

  return {
    hint(path) {
      heard.note(path);
      paths.hint(path);
    },
    heard,
    sweep: (how = LATER_SWEEP) => sweepRoom({ deps, stamps, paths, follow }, how),
    async hearOfAll() {
      const { changed } = await runScanGently(deps.room, stamps);
      for (const { path } of changed) paths.hint(path);
    },
    async lookAtTask(id) {
      const path = deps.ledger.tasks.get(id)?.path ?? null;
      if (path !== null) await paths.look(path);
    },
    unread: paths.countUnread,
    isQuiet: paths.isEmpty,
    close: paths.close,
  };
}

/** What stands at a path now, read at rest. */
type PathReading =
  | { kind: 'unchanged' }
  | { kind: 'gone' }
  /** It kept changing while it was read. */
  | { kind: 'unstable' }
  | { kind: 'read'; row: ReadRow };

/**
 * Reads the file at `path`, unless it looks as it did.
 * @param known what it looked like when it was taken in last; null reads it in any case
 * @throws RoomError `io` when the disk refuses
 */
async function readPath(deps: TaskRoom, path: string, known: FileStamp | null): Promise<PathReading> {
  const stamp = statTask(deps.room.at(path));
  if (stamp === null || typeof stamp === 'string') return { kind: 'gone' };
  if (known !== null && sameStamp(known, stamp)) return { kind: 'unchanged' };
  const row = await readFileRow(deps, path);
  if (row === null) return { kind: 'gone' };
  return row === 'unstable' ? { kind: 'unstable' } : { kind: 'read', row };
}

/** Puts back what a stale buffer dropped from a text that is new and not ours; true when that changed the file. */
async function restoreDropped(deps: TaskRoom, { path, hash }: ReadRow): Promise<boolean> {
  if (deps.writer.isOurs(path, hash) || deps.ledger.files.get(path)?.hash === hash) return false;
  const { restored } = await deps.writer.restore(path);
  if (restored > 0) deps.events.emit({ type: 'task.restored', path, entries: restored });
  return restored > 0;
}
