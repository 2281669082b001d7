// A ledger database as its tables use it.
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import type { RoomError } from '../../core/errors.ts';

/** A ledger database: prepared statements are kept, transactions nest into the outermost one. */
export interface Database {
  readonly path: string;
  /** Where a damaged ledger was set aside when this one was opened; null when it was well. */
  readonly damaged: string | null;
  /** How long a transaction waits for other processes, milliseconds. */
  readonly busyMs: number;
  /** The prepared statement for `sql`, made once. */
  prepare(sql: string): StatementSync;
  /** The first column of what `sql` selects. */
  column<T>(sql: string, ...values: SQLInputValue[]): T[];
  /**
   * Runs `body` in one immediate transaction; a nested call joins it. Rolls back when it throws.
   * Throws RoomError `locked` when another process holds the ledger for longer than the busy timeout, or than
   * `waitMs` where that is given; `body` has then not run.
   */
  transaction<T>(body: () => T, waitMs?: number): T;
  /** Looks at all of it where somebody came upon damage; what is damaged is set aside. */
  examine(): void;
  /** Calls `listener` when the ledger was set aside and a new one begun. */
  onDamage(listener: (error: RoomError) => void): () => void;
  close(): void;
}
