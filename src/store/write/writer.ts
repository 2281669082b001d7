// The one way task files are changed and made. A change reads at rest, plans, stages, then looks again and renames inside one
// ledger transaction, so that our processes take turns; when a person's save came between, it begins again on the new text.
import { isAbsolute, win32 } from 'node:path';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { createKeyedMutex } from '../../core/keyed-mutex.ts';
import type { StatusWords } from '../../core/task/key-kinds.ts';
import type { Effects } from '../../effects.ts';
import type { Database } from '../ledger/database.ts';
import { personsWrites } from '../ledger/writes/persons-writes.ts';
import { versions, type WriteRow, writes as writesTable } from '../ledger/writes/writes.ts';
import type { Room } from '../room.ts';
import type { ChangeResult, WriteContext, WritePoint } from './change-file.ts';
import { createGitSaves } from './git-save.ts';
import type { Replaced, Staged } from './replace-file.ts';
import { dropStaged, flushSoon, stageFile, swapIn, syncFolder, toBytes } from './replace-file.ts';
import { createReplacedFiles } from './replaced-files.ts';
import { hashBytes } from './stable-read.ts';
import type { Change, InnerChange } from './write-plan.ts';

export type { Append } from '../ledger/writes/bulks.ts';
export type { Change } from './write-plan.ts';
export type Writer = ReturnType<typeof createWriter>;

export interface WriterOptions {
  room: Room;
  database: Database;
  effects: Effects;
  words?: StatusWords; // Of the room's own statuses; without them only ours can be read.
  probe?: (point: WritePoint) => void; // Called at points where a test stops the process.
}

interface NewFile {
  path: string;
  text: string;
  task: string | null;
  command?: string | null;
  key?: string | undefined; // Unique in the room; known afterwards together with path and task.
}

/** What the caller puts into the ledger along with the files, by their place in the list. */
interface Creation {
  actor: string;
  /** Called inside the first commit; false leaves the file out. Absent: all are made. */
  claim?(index: number): boolean;
  claimed?(): void; // Called once the claims are durable and no file is made yet.
  placed?(index: number): void; // Called for each file as soon as it stands.
  /** Called inside the second commit.
   * @param hashes of the files that were made; null for one that was left out, or where something stands already */
  record?(hashes: readonly (string | null)[]): void;
}

const OURS: StatusWords = () => ({ statuses: {} });
const PRUNE_EVERY_MS = 60_000;

export function createWriter({ room, database, effects, words = OURS, probe }: WriterOptions) {
  const writes = writesTable.open(database);
  const queue = createKeyedMutex();
  const context: WriteContext = {
    ...{ room, effects, database, writes, words, probe },
    ...{ versions: versions.open(database), git: createGitSaves(room, effects, writes) },
  };
  let prunedAtMs = Number.NEGATIVE_INFINITY;
  const write = async (path: string, change: InnerChange): Promise<ChangeResult> => {
    assertInside(path);
    const result = await queue.run(path, async () => {
      // Loaded at its first use: it brings the parsers, and commands that only read do without them.
      const { changeFile } = await import('./change-file.ts');
      return changeFile(context, path, change);
    });
    if (result.seq !== null) replacedFiles.lookSoon(result.seq);
    if (effects.monotonicMs() - prunedAtMs >= PRUNE_EVERY_MS) {
      prunedAtMs = effects.monotonicMs();
      await database.together(() => {
        writes.prune(effects.now());
        personsWrites.open(database).prune(effects.now());
      });
    }
    return result;
  };
  const replacedFiles = createReplacedFiles({ room, effects, database, writes, write });
  return {
    ...makingOf(context, queue),
    /**
     * Edits one file (`path` relative to the room); durable when it resolves.
     * @throws RoomError `not_found`, `invalid_file` (no text, or entries for unreadable front matter), `bad_input`
     *   (the result would exceed 1 MiB), `io`, `locked`, and what `change.edit` throws
     */
    async edit(path: string, change: Change) {
      await replacedFiles.settle();
      return write(path, change);
    },
    /** Puts back what a stale buffer dropped from the file (`read`, where given); `isDry` leaves the file as it is. */
    async restore(path: string, isDry = false, read?: Change['read']): Promise<{ restored: number }> {
      const change = { actor: 'runtime', task: null, stillWanted: () => !isDry, ...(read && { read }) };
      try {
        return { restored: (await write(path, change)).restored };
      } catch (error) {
        // Gone, or no text at the moment: nothing to put back into; the next save asks again.
        if (isRoomError(error, 'not_found') || isRoomError(error, 'invalid_file')) return { restored: 0 };
        throw error;
      }
    },
    /** As {@link createReplacedFiles}; to be called now and then while the room is open. */
    settleReplaced: replacedFiles.settle,
    /** Waits for what is under way; the ledger may be closed after it. */
    async close() {
      await replacedFiles.close();
      await queue.settled();
    },
  };
}

function makingOf(context: WriteContext, queue: ReturnType<typeof createKeyedMutex>) {
  const { writes, database, effects } = context;
  const persons = personsWrites.open(database);
  return {
    /** Creates a file. Throws RoomError `conflict` when something stands there, `io`, `bad_input`. */
    async create(path: string, text: string, by: Omit<NewFile, 'path' | 'text'> & { actor: string }) {
      assertInside(path);
      const { actor } = by;
      let isPlaced = false;
      const placed = () => {
        isPlaced = true;
      };
      const make = () => createFiles(context, [{ path, text, ...by }], { actor, placed });
      await queue.run(path, make).catch((error: unknown) => {
        // A file that stands is made, though its record failed: that is mended at the next reading.
        if (!isPlaced) throw error;
      });
      if (!isPlaced) throw new RoomError('conflict', `${path} exists already`);
    },
    /** Creates files that are not there yet, in two commits: what is about to be made, and what was made.
     * @throws RoomError `io`, `locked`, `bad_input`; what was made before stays, and is recorded */
    async createMany(files: readonly NewFile[], creation: Creation) {
      for (const { path } of files) assertInside(path);
      await createFiles(context, files, creation);
    },
    /** What a change or a new file with this key wrote, or was about to write when its process died; null for a new key. */
    known: (key: string): { task: string | null; path: string; written: boolean } | null =>
      writes.entries.byKey(key),
    /** What the person wrote and deleted, to be taken back. */
    persons: {
      list: () => persons.list(),
      undone: (seq: number) => void database.transaction(() => persons.undone(seq)),
      /** @param trashed where the file lies now */
      deleted: (write: Pick<WriteRow, 'path' | 'task' | 'command'>, trashed: string) =>
        void database.transaction(() => persons.deleted({ atMs: effects.now(), ...write }, trashed)),
    },
    /** True for a text we wrote to that path in the last 15 minutes. */
    isOurs: (path: string, hash: string) => writes.isOurs(path, hash),
  };
}

/** Creates files, never over one that is there: one commit for all intentions, then the files, then one commit for all records.
 * A crash in between leaves whole files whose write was intended. */
async function createFiles(context: WriteContext, files: readonly NewFile[], creation: Creation) {
  const { room, effects, writes, database, probe } = context;
  const all = files.map((file, index) => {
    const bytes = toBytes(file.path, file.text);
    return { ...file, index, bytes, hash: hashBytes(bytes) };
  });
  const ready = await database.together(() =>
    all
      .filter(({ index }) => creation.claim?.(index) ?? true)
      .map((file) => ({ ...file, ...intend(context, file, creation.actor) })),
  );
  probe?.('intended');
  creation.claimed?.();
  const staged: Staged[] = [];
  const results: Replaced[] = [];
  try {
    for (const { path, bytes } of ready) staged.push(stageFile(room.at(path), bytes, effects));
    // Side by side: the disk takes several flushes at once for little more than the time of one.
    const flushes = await Promise.allSettled(staged.map(flushSoon));
    for (const flush of flushes) if (flush.status === 'rejected') throw flush.reason;
    for (const [at, one] of staged.entries()) {
      results[at] = swapIn(one, null, null, effects);
      if (results[at]) creation.placed?.(ready[at]!.index);
    }
  } finally {
    for (const one of staged) dropStaged(one);
    if (staged[0]) syncFolder(staged[0].target);
    await database.together(() => {
      const hashes = files.map((): string | null => null);
      for (const [at, { seq, hash, index, newKey }] of ready.entries()) {
        const result = results[at];
        if (result) {
          writes.confirm(seq, result);
          hashes[index] = hash;
          continue;
        }
        writes.forget(seq);
        // Nothing of it stands anywhere. One that was intended before may be what stands there.
        if (newKey !== null) writes.entries.deleteAll({ key: newKey, written: false });
      }
      creation.record?.(hashes);
    });
    probe?.('recorded');
  }
}

/** @returns the write's row, and the key when nobody intended it before */
function intend(
  { effects, writes }: WriteContext,
  { path, task, key, hash, command = null }: NewFile & { hash: string },
  actor: string,
): { seq: number; newKey: string | null } {
  const atMs = effects.now();
  const before = { beforeHash: '', base: null };
  const seq = writes.intend({ atMs, path, actor, task, command, afterHash: hash, ...before });
  if (key === undefined) return { seq, newKey: null };
  const newKey = writes.entries.byKey(key) === null ? key : null;
  writes.entries.intend({ atMs, path, task, key, section: 'done', block: '' }, seq);
  return { seq, newKey };
}

function assertInside(path: string): void {
  const isOutside = isAbsolute(path) || win32.isAbsolute(path) || path.includes('\0');
  if (!isOutside && path.split('/').every((part) => part !== '..' && part !== '')) return;
  throw new RoomError('bad_input', `not a path inside the room: ${JSON.stringify(path)}`);
}
