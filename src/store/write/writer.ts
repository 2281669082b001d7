// The one way task files are changed: read at rest, plan, stage, then look again and rename inside one ledger
// transaction, so that our processes take turns; when a person's save came between, all of it once more on the new text.
import { isAbsolute, win32 } from 'node:path';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { createKeyedMutex } from '../../core/keyed-mutex.ts';
import type { Effects } from '../../effects.ts';
import type { Database } from '../ledger/database.ts';
import { createVersionsTable } from '../ledger/mirrors/versions.ts';
import { sharedCommitOf } from '../ledger/shared-commit.ts';
import { createWritesTable } from '../ledger/writes/writes.ts';
import type { Room } from '../room.ts';
import { changeFile } from './change-file.ts';
import { type CreatedBy, createFile } from './create-file.ts';
import { type Creation, createFiles, type NewFile } from './create-files.ts';
import { createGitSaves } from './git-save.ts';
import { createOldInodes } from './old-inodes.ts';
import { patientTransactions, type Transact } from './patient-transaction.ts';
import type { Change } from './write-plan.ts';
import type { ChangeResult, InnerChange, WriteContext, WritePoint } from './write-steps.ts';

export type { NewFile } from './create-files.ts';
export type { Append, Change } from './write-plan.ts';

export interface EditResult {
  changed: boolean;
  before: string;
  after: string;
}

export interface Writer {
  /**
   * Edits one file; durable when it resolves.
   * @param path relative to the room
   * @throws RoomError `not_found`, `invalid_file` (no text, or entries for unreadable front matter), `bad_input`
   *   (the result would exceed 1 MiB), `io`, `locked`, and what `change.edit` throws
   */
  edit(path: string, change: Change): Promise<EditResult>;
  /** Creates a file. Throws RoomError `conflict` when something stands there, `io`, `bad_input`. */
  create(path: string, text: string, by: CreatedBy): Promise<void>;
  /** What a change or a new file with this key wrote, or was about to write when its process died; null for a new key. */
  known(key: string): { task: string | null; path: string; written: boolean } | null;
  /**
   * Creates files that are not there yet, in two commits: what is about to be made, and what was made.
   * @throws RoomError `io`, `locked`, `bad_input`; what was made before stays, and is recorded
   */
  createMany(files: readonly NewFile[], creation: Creation): Promise<void>;
  /** Puts back what a stale buffer dropped from the file, where there is something; `isDry` leaves the file as it is. */
  restore(path: string, isDry?: boolean): Promise<{ restored: number }>;
  /**
   * Looks a last time into the old inodes of writes at least `ageMs` ago (2,000 when absent): what a program wrote
   * into one since is merged into the file. To be called now and then while the room is open.
   */
  settleOldInodes(ageMs?: number): Promise<void>;
  /** True for a text we wrote to that path in the last 15 minutes. */
  isOurs(path: string, hash: string): boolean;
  /** Waits for what is under way; the ledger may be closed after it. */
  close(): Promise<void>;
}

export interface WriterOptions {
  room: Room;
  database: Database;
  effects: Effects;
  /** Called at points where a test stops the process. */
  probe?: (point: WritePoint) => void;
}

const PRUNE_EVERY_MS = 60_000;

export function createWriter(options: WriterOptions): Writer {
  const { room, database, effects } = options;
  const writes = createWritesTable(database);
  const queue = createKeyedMutex();
  const crowd = createCrowd(database, effects);
  const { transact, transactAlone, isCrowded } = crowd;

  const git = createGitSaves(room, effects, writes);
  const context: WriteContext = {
    ...{ room, effects, writes, transact, git, probe: options.probe ?? noop },
    ...{ transactAlone, isCrowded, versions: createVersionsTable(database) },
  };
  const run = (path: string, change: InnerChange): Promise<ChangeResult> =>
    queue.run(path, () => changeFile(context, path, change));
  const oldInodes = createOldInodes({ room, effects, writes, transact, run });

  const prune = createPruning(context);

  const write = async (path: string, change: InnerChange): Promise<ChangeResult> => {
    const result = await crowd.count(() => run(path, change));
    if (result.seq !== null) oldInodes.lookSoon(result.seq);
    await prune();
    return result;
  };

  return {
    async edit(path, change) {
      assertInside(path);
      await oldInodes.settle();
      const { changed, before, after } = await write(path, change);
      return { changed, before, after };
    },
    async create(path, text, by) {
      assertInside(path);
      await queue.run(path, () => createFile(context, path, text, by));
    },
    known: (key) => writes.entries.byKey(key),
    async createMany(files, creation) {
      for (const { path } of files) assertInside(path);
      await createFiles(context, files, creation);
    },
    async restore(path, isDry = false) {
      assertInside(path);
      const change = { actor: 'runtime', task: null, stillWanted: () => !isDry };
      try {
        return { restored: (await write(path, change)).restored };
      } catch (error) {
        // Gone, or no text at the moment: nothing to put back into; the next save asks again.
        if (isRoomError(error, 'not_found') || isRoomError(error, 'invalid_file')) return { restored: 0 };
        throw error;
      }
    },
    settleOldInodes: (ageMs) => oldInodes.settle(ageMs),
    isOurs: (path, hash) => writes.isOurs(path, hash),
    async close() {
      await oldInodes.close();
      await queue.settled();
    },
  };
}

/** Counts the writes that are under way: one alone waits for nobody, several share their commits. */
function createCrowd(database: Database, effects: Effects) {
  let underWay = 0;
  const isCrowded = () => underWay > 1;
  const shared = sharedCommitOf(database);
  const transactAlone = patientTransactions(database, effects);
  const transact: Transact = (body) => (isCrowded() ? shared.join(body) : transactAlone(body));
  return {
    ...{ isCrowded, transactAlone, transact },
    count<T>(write: () => Promise<T>): Promise<T> {
      underWay += 1;
      return write().finally(() => {
        underWay -= 1;
      });
    },
  };
}

function createPruning({ effects, writes, transact }: WriteContext): () => Promise<void> {
  let prunedAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (effects.monotonicMs() - prunedAtMs < PRUNE_EVERY_MS) return;
    prunedAtMs = effects.monotonicMs();
    await transact(() => writes.prune(effects.now()));
  };
}

function noop(): void {}

function assertInside(path: string): void {
  const parts = path.split('/');
  if (
    path === '' ||
    isAbsolute(path) ||
    win32.isAbsolute(path) ||
    path.includes('\0') ||
    parts.some((part) => part === '..' || part === '')
  ) {
    throw new RoomError('bad_input', `not a path inside the room: ${JSON.stringify(path)}`);
  }
}
