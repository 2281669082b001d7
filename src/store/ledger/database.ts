// The open ledger. Every statement may be the one that finds the file damaged: then the file is set aside, never overwritten,
// and a new ledger begins. A process that may not set it aside marks it for the one that may.
import type { DatabaseSync, SQLInputValue, StatementResultingChanges, StatementSync } from 'node:sqlite';
import { isRoomError, type RoomError } from '../../core/errors.ts';
import { sleep } from '../../effects.ts';
import type { AnyTable, OpenOptions } from './sqlite-file.ts';
import {
  asRoomError,
  BUSY_MS,
  clearSuspicion,
  damageError,
  findDamageOnDisk,
  isCorrupt,
  isSuspect,
  markSuspect,
  openFile,
  setAside,
  sqliteCode,
} from './sqlite-file.ts';

/** The body of a transaction that shares its commit with others, and the promise of its value. */
type Waiting = { body(): unknown; resolve(value: unknown): void; reject(error: unknown): void };

const LOOK_MS = 3; // How long one try to begin a transaction waits.
const TRY_MS = 4; // A commit that may wait holds the event loop no longer than this at a time.
const PATIENCE = 3; // It waits longer than one that holds the event loop.

/** Prepared statements are kept; a transaction within a transaction joins it. */
export class Database {
  readonly path: string;
  /** Where a damaged ledger was set aside when this one was opened; null when it was well. */
  readonly damaged: string | null;
  readonly #options: OpenOptions;
  readonly #tables: () => readonly AnyTable[];
  readonly #statements = new Map<string, StatementSync>();
  readonly #listeners = new Set<(error: RoomError) => void>();
  #handle: DatabaseSync;
  #depth = 0;
  /** Damage that was found within a transaction, which fails as a whole before the ledger is set aside. */
  #damage: unknown = null;
  #waiting: Waiting[] = [];

  constructor(path: string, options: OpenOptions, tables: () => readonly AnyTable[]) {
    this.path = path;
    this.#options = options;
    this.#tables = tables;
    ({ handle: this.#handle, damaged: this.damaged } = openFile(path, options, tables));
  }

  /** What `sql` selects, as SQLite gives it. */
  rows<T>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#ask('all', sql, values) as T[];
  }

  /** The same, each row an array: quicker for many. */
  arrays<T extends unknown[]>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#ask('all', sql, values, true) as T[];
  }

  column<T>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.rows<object>(sql, ...values).map((row) => Object.values(row)[0]);
  }

  /** The first row that `sql` selects. */
  get(sql: string, ...values: SQLInputValue[]): object | undefined {
    return this.#ask('get', sql, values) as object | undefined;
  }

  run(sql: string, ...values: SQLInputValue[]): StatementResultingChanges {
    return this.#ask('run', sql, values) as StatementResultingChanges;
  }

  /** Runs `body` in one immediate transaction, and rolls it back when `body` throws.
   * @throws RoomError `locked` when another process holds the ledger for `waitMs`; `body` has then not run */
  transaction<T>(body: () => T, waitMs = this.#options.busyMs ?? BUSY_MS): T {
    this.#depth += 1;
    let error: unknown;
    try {
      return this.#depth > 1 ? body() : this.#outermost(body, waitMs);
    } catch (thrown) {
      error = this.#failed(thrown);
    } finally {
      this.#depth -= 1;
    }
    throw this.#depth === 0 && this.#damage !== null ? this.#settleDamage() : error;
  }

  /** The same, waiting for other processes without blocking the event loop. Rejects with `locked` after 30 s. */
  transactionSoon<T>(body: () => T): Promise<T> {
    return this.#patiently((waitMs) => this.transaction(body, waitMs));
  }

  /** Runs `body` in the next shared transaction, with all that is asked for in the same turn of the event loop; resolves
   * with its value once that is on disk. Rejects with what `body` throws, whose changes alone are taken back, and with
   * RoomError `locked` or `io` when the transaction fails; nothing of it then stands. */
  together<T>(body: () => T): Promise<T> {
    const { promise, ...settle } = Promise.withResolvers<T>();
    this.#waiting.push({ body, ...(settle as Omit<Waiting, 'body'>) });
    if (this.#waiting.length === 1)
      setImmediate(() => {
        this.#patiently((waitMs) => this.#commitWaiting(waitMs)).catch((error) => this.#failWaiting(error));
      });
    return promise;
  }

  /** Looks at all of the file where somebody found damage; a damaged file is set aside. */
  examine(): void {
    if (this.#depth > 0 || !isSuspect(this.path) || !this.#mayReplace()) return;
    this.#damage = findDamageOnDisk(this.path, this.#options.busyMs ?? BUSY_MS);
    if (this.#damage === null) clearSuspicion(this.path);
    else this.#settleDamage();
  }

  /** Calls `listener` when the ledger was set aside and a new one begun. */
  onDamage(listener: (error: RoomError) => void): () => void {
    this.#listeners.add(listener);
    return (): void => void this.#listeners.delete(listener);
  }

  /** Commits what waits for a shared transaction first. */
  close(): void {
    try {
      this.#commitWaiting();
    } catch (error) {
      this.#failWaiting(error);
    }
    this.#statements.clear();
    if (this.#handle.isOpen) this.#handle.close();
  }

  #outermost<T>(body: () => T, waitMs: number): T {
    this.#begin(waitMs);
    const handle = this.#handle;
    try {
      const result = body();
      handle.exec('COMMIT');
      return result;
    } catch (error) {
      if (handle.isTransaction) handle.exec('ROLLBACK');
      throw error;
    }
  }

  // SQLite's own waiting looks only ten times a second after a while, and starves where many others look more often.
  #begin(waitMs: number): void {
    this.#handle.exec(`PRAGMA busy_timeout = ${LOOK_MS}`);
    try {
      for (let waitedMs = LOOK_MS; ; waitedMs += LOOK_MS) {
        try {
          return this.#handle.exec('BEGIN IMMEDIATE');
        } catch (error) {
          if (sqliteCode(error) !== 5 || waitedMs >= waitMs) throw error;
        }
      }
    } finally {
      this.#handle.exec(`PRAGMA busy_timeout = ${this.#options.busyMs ?? BUSY_MS}`);
    }
  }

  /** Calls `attempt` until the ledger is free; other processes have it in between. */
  async #patiently<T>(attempt: (waitMs: number) => T): Promise<T> {
    const { effects, busyMs = BUSY_MS } = this.#options;
    for (let waitedMs = 0; ; ) {
      try {
        return attempt(TRY_MS);
      } catch (error) {
        if (!isRoomError(error, 'locked') || waitedMs >= PATIENCE * busyMs) throw error;
      }
      const pauseMs = 1 + (effects.randomBytes(1)[0]! % 16);
      await sleep(effects, pauseMs);
      waitedMs += TRY_MS + pauseMs;
    }
  }

  #commitWaiting(waitMs?: number): void {
    if (this.#waiting.length === 0) return;
    let begun: Waiting[] = [];
    let settle: (() => void)[] = [];
    try {
      settle = this.transaction(() => {
        begun = this.#waiting.splice(0);
        return begun.map((each) => this.#runShared(each, begun.length === 1));
      }, waitMs);
    } catch (error) {
      if (begun.length === 0) throw error;
      for (const { reject } of begun) reject(error);
    }
    for (const each of settle) each();
  }

  /** Runs one of several within a savepoint of its own. @returns what to do once the commit is on disk */
  #runShared({ body, resolve, reject }: Waiting, isAlone: boolean): () => void {
    // One alone takes back the whole transaction when it throws.
    if (!isAlone) this.run('SAVEPOINT shared');
    let settle: () => void;
    try {
      const value = body();
      settle = () => resolve(value);
    } catch (error) {
      if (isAlone) throw error;
      try {
        this.run('ROLLBACK TO shared');
      } catch {
        // SQLite gave up the whole transaction (a full disk): it fails for all of them, with the cause.
        throw error;
      }
      settle = () => reject(error);
    }
    if (!isAlone) this.run('RELEASE shared');
    return settle;
  }

  #failWaiting(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #ask(how: 'all' | 'get' | 'run', sql: string, values: SQLInputValue[], asArrays = false): unknown {
    try {
      let statement = this.#statements.get(sql);
      if (statement === undefined) {
        statement = this.#handle.prepare(sql);
        if (asArrays) statement.setReturnArrays(true);
        this.#statements.set(sql, statement);
      }
      return statement[how](...values);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #failed(error: unknown): unknown {
    if (!isCorrupt(error)) return asRoomError(error, this.path);
    this.#damage = error;
    return this.#depth > 0 ? damageError(this.path, null, error) : this.#settleDamage();
  }

  #settleDamage(): RoomError {
    const cause = this.#damage;
    this.#damage = null;
    if (this.path === ':memory:' || !this.#mayReplace()) {
      markSuspect(this.path);
      return damageError(this.path, null, cause);
    }
    this.#statements.clear();
    this.#handle.close();
    const aside = setAside(this.path);
    this.#handle = openFile(this.path, this.#options, this.#tables).handle;
    const error = damageError(this.path, aside, cause);
    for (const listener of this.#listeners) listener(error);
    return error;
  }

  #mayReplace(): boolean {
    return this.#options.mayReplace?.() ?? true;
  }
}
