// The ledger: the durable record of turns, requests and what was observed. One open handle a process.
import { type ChoresTable, createChoresTable } from './chores.ts';
import { type Database, type OpenOptions, openDatabase } from './database.ts';
import { createFilesTable, type FilesTable } from './files.ts';
import { createNotesTable, type NotesTable } from './messages.ts';
import { createMirrorsTable, type MirrorsTable } from './mirrors.ts';
import { createOutboxTable, type OutboxTable } from './outbox.ts';
import { createSharedCommit } from './shared-commit.ts';
import { createSourcesTable, type SourcesTable } from './sources.ts';
import { createTasksTable, type TasksTable } from './tasks.ts';
import { createTurnsTable, type TurnsTable } from './turns.ts';
import { createWritesTable, type WritesTable } from './writes.ts';

export interface Ledger {
  readonly database: Database;
  readonly files: FilesTable;
  readonly tasks: TasksTable;
  readonly turns: TurnsTable;
  readonly notes: NotesTable;
  readonly writes: WritesTable;
  readonly mirrors: MirrorsTable;
  readonly outbox: OutboxTable;
  readonly sources: SourcesTable;
  readonly chores: ChoresTable;
  transaction<T>(body: () => T): T;
  /**
   * Runs `body` in a transaction shared with all that is asked for in the same turn of the event loop; resolves when it
   * is on disk. Rejects with what `body` throws, and with RoomError `locked` or `io` when the transaction fails.
   */
  together<T>(body: () => T): Promise<T>;
  close(): void;
}

/**
 * Opens (and creates) the ledger at `path`.
 * @throws RoomError as {@link openDatabase}.
 */
export function openLedger(path: string, options: OpenOptions = {}): Ledger {
  const database = openDatabase(path, options);
  const shared = createSharedCommit(database);
  return {
    database,
    files: createFilesTable(database),
    tasks: createTasksTable(database),
    turns: createTurnsTable(database),
    notes: createNotesTable(database),
    writes: createWritesTable(database),
    mirrors: createMirrorsTable(database),
    outbox: createOutboxTable(database),
    sources: createSourcesTable(database),
    chores: createChoresTable(database),
    transaction: (body) => database.transaction(body),
    together: (body) => shared.join(body),
    close() {
      shared.flush();
      database.close();
    },
  };
}
