// The ledger: the durable record of turns, requests and what was observed. One open handle a process.
import { type Database, type OpenOptions, openDatabase } from './database.ts';
import { createFilesTable, type FilesTable } from './files.ts';
import { createNotesTable, type NotesTable } from './messages.ts';
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
  transaction<T>(body: () => T): T;
  close(): void;
}

/**
 * Opens (and creates) the ledger at `path`.
 * @throws RoomError as {@link openDatabase}.
 */
export function openLedger(path: string, options: OpenOptions = {}): Ledger {
  const database = openDatabase(path, options);
  return {
    database,
    files: createFilesTable(database),
    tasks: createTasksTable(database),
    turns: createTurnsTable(database),
    notes: createNotesTable(database),
    writes: createWritesTable(database),
    transaction: (body) => database.transaction(body),
    close: () => database.close(),
  };
}
