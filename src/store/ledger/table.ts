// A table of the ledger, declared once: its row type, its schema and the statements that every table needs follow from the
// declaration. A property `startedAt` is the column `started_at`. Queries of a table's own stay SQL, below its declaration.
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { Database } from './database.ts';

interface AnyColumn {
  readonly sql: string;
  readonly mayBeOmitted: boolean;
  /** Null for a value that stands in the table as it is. */
  readonly read: ((stored: SQLOutputValue) => unknown) | null;
  readonly write: ((value: never) => SQLInputValue) | null;
}

/** @typeParam Omitted the column may be left out of a new row */
export interface Column<T, Omitted extends boolean = boolean> extends AnyColumn {
  readonly mayBeOmitted: Omitted;
  /** Only a type: no column has this property. */
  readonly type?: T;
}

type Columns = Readonly<Record<string, AnyColumn>>;
type ValueOf<C> = C extends Column<infer T> ? T : never;
type OmittedIn<C extends Columns> = {
  [K in keyof C]: C[K]['mayBeOmitted'] extends true ? K : never;
}[keyof C];

export type RowOf<T> = T extends Table<infer C, Columns> ? Row<C> : never;
type Row<C extends Columns> = { [K in keyof C]: ValueOf<C[K]> };
type NewRow<C extends Columns> = Omit<Row<C>, OmittedIn<C>> & Partial<Pick<Row<C>, OmittedIn<C>>>;

function required<T>(
  type: string,
  read: AnyColumn['read'] = null,
  write: AnyColumn['write'] = null,
): Column<T, false> {
  return { sql: `${type} NOT NULL`, mayBeOmitted: false, read, write };
}

export const text = <T extends string = string>() => required<T>('TEXT');
export const real = () => required<number>('REAL');
/** Also epoch milliseconds: fractions are cut off. */
export const integer = () => required<number>('INTEGER', null, Math.trunc);
export const flag = () => required<boolean>('INTEGER', (stored) => stored === 1, Number);
export const json = <T>() => required<T>('TEXT', (stored) => JSON.parse(stored as string), JSON.stringify);
/** Numbers the rows in the order they were added. */
export const sequence = (): Column<number, true> => ({
  ...{ sql: 'INTEGER PRIMARY KEY AUTOINCREMENT', mayBeOmitted: true, read: null, write: null },
});

export function unique<T, O extends boolean>(column: Column<T, O>): Column<T, O> {
  return { ...column, sql: `${column.sql} UNIQUE` };
}

/** Null where nothing is known. */
export function optional<T>({ sql, read, write }: Column<T>): Column<T | null, true> {
  return {
    sql: sql.replace(' NOT NULL', ''),
    mayBeOmitted: true,
    read: read && ((stored) => (stored === null ? null : read(stored))),
    write: write && ((value: never) => (value === null ? null : write(value))),
  };
}

export function initially<T extends string | number | boolean>(column: Column<T>, value: T): Column<T, true> {
  const literal = typeof value === 'string' ? `'${value}'` : String(Number(value));
  return { ...column, sql: `${column.sql} DEFAULT ${literal}`, mayBeOmitted: true };
}

interface Options<C extends Columns, Apart extends Columns> {
  /** The first column where nothing is said. */
  key?: readonly (keyof C & string)[];
  /** Keys are random: rows in their order would touch a page for each new one. */
  hasRowid?: true;
  /** By name, from the parenthesis on. `UNIQUE` may stand before it. */
  indexes?: Readonly<Record<string, string>>;
  /** Columns that rows do not hold: statements of the table's own read them. */
  apart?: Apart;
}

/** What makes a table, and brings an older one up to date. */
export interface AnyTable {
  readonly name: string;
  readonly schema: string;
  /** By name, what follows it in the schema. */
  readonly columnSql: ReadonlyMap<string, string>;
  /** By name, the statement that makes it. */
  readonly indexes: ReadonlyMap<string, string>;
}

export interface Table<C extends Columns, Apart extends Columns> extends AnyTable {
  /**
   * What follows SELECT: `id, started_at AS startedAt`.
   * @param alias of the table in the query
   * @param without columns that are left out
   */
  columns(alias: string, ...without: (keyof C & string)[]): string;
  /** A row of such a SELECT; what else the SELECT names stays as it is. */
  read<T = Row<C>>(stored: object): T;
  in(db: Database): TableIn<C, Apart>;
}

/** The rows of a table in an open ledger. `rest` follows the table's name: `WHERE thread = ? ORDER BY started_at`. */
export interface TableIn<C extends Columns, Apart extends Columns> {
  all(rest: string, ...values: SQLInputValue[]): Row<C>[];
  first(rest: string, ...values: SQLInputValue[]): Row<C> | null;
  get(...key: SQLInputValue[]): Row<C> | null;
  count(rest: string, ...values: SQLInputValue[]): number;
  /** @returns its rowid */
  insert(row: NewRow<C & Apart>): number;
  /** False, and nothing done, where a row with its key is there already. */
  insertNew(row: NewRow<C & Apart>): boolean;
  /** Also where a row with its key is there: then what is given counts. */
  put(row: NewRow<C & Apart>): void;
  /**
   * @param only what else the row must be for it
   * @returns whether there was such a row
   */
  update(
    key: SQLInputValue | readonly SQLInputValue[],
    change: Partial<Row<C & Apart>>,
    only?: string,
  ): boolean;
  delete(...key: SQLInputValue[]): boolean;
  deleteAll(rest: string, ...values: SQLInputValue[]): void;
}

export function table<C extends Columns, Apart extends Columns = Record<never, never>>(
  name: string,
  columns: C,
  options: Options<C, Apart> = {},
): Table<C, Apart> {
  const all: Columns = { ...columns, ...options.apart };
  const key = options.key ?? [Object.keys(columns)[0]!];
  const readers = Object.entries(columns).flatMap(([property, { read }]) =>
    read === null ? [] : [{ property, read }],
  );
  const named = (alias: string, ...without: string[]) =>
    Object.keys(columns)
      .filter((property) => !without.includes(property))
      .map((property) => {
        const column = columnOf(property);
        return `${alias}.${column}${column === property ? '' : ` AS ${property}`}`;
      })
      .join(', ');
  const select = named(name);
  const declared: Declared = { name, columns: all, key: key.map(columnOf), select };
  const read = <T>(stored: object): T => {
    const row = stored as Record<string, unknown>;
    for (const reader of readers) row[reader.property] = reader.read(row[reader.property] as SQLOutputValue);
    return row as T;
  };
  return {
    ...schemaOf(declared, options),
    columns: named,
    read,
    in: (db) => tableIn(db, declared, read) as unknown as TableIn<C, Apart>,
  };
}

interface Declared {
  name: string;
  columns: Columns;
  key: readonly string[];
  select: string;
}

function columnOf(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function schemaOf(
  { name, columns, key }: Declared,
  { hasRowid, indexes }: Pick<Options<Columns, Columns>, 'hasRowid' | 'indexes'>,
): AnyTable {
  const columnSql = new Map(Object.entries(columns).map(([property, { sql }]) => [columnOf(property), sql]));
  const lines = [...columnSql].map((column) => column.join(' '));
  const isNumbered = lines.some((line) => line.includes(' PRIMARY KEY'));
  if (!isNumbered) lines.push(`PRIMARY KEY(${key.join(', ')})`);
  const rows = isNumbered || hasRowid ? 'STRICT' : 'STRICT, WITHOUT ROWID';
  const made = Object.entries(indexes ?? {}).map(([index, definition]): [string, string] => {
    const [, isUnique, on] = /^(UNIQUE )?(.*)$/s.exec(definition)!;
    return [index, `CREATE ${isUnique ?? ''}INDEX ${index} ON ${name}${on}`];
  });
  return {
    name,
    columnSql,
    schema: `CREATE TABLE ${name}(${lines.join(', ')}) ${rows}`,
    indexes: new Map(made),
  };
}

type AnyRow = Record<string, unknown>;

function tableIn(db: Database, { name, columns, key, select }: Declared, read: (stored: object) => AnyRow) {
  const byKey = `WHERE ${key.map((column) => `${column} = ?`).join(' AND ')}`;
  const sql = (rest: string) => `SELECT ${select} FROM ${name} ${rest}`;
  const first = (rest: string, ...values: SQLInputValue[]) => {
    const stored = db.prepare(sql(rest)).get(...values);
    return stored === undefined ? null : read(stored);
  };
  const valuesOf = (row: AnyRow, given: readonly string[]) =>
    given.map((property) => {
      const value = row[property] as SQLInputValue;
      const { write } = columns[property]!;
      return write === null ? value : write(value as never);
    });
  const givenIn = (row: AnyRow) => Object.keys(columns).filter((property) => row[property] !== undefined);
  const insert = (row: AnyRow, how: string, after: (given: readonly string[]) => string = () => '') => {
    const given = givenIn(row);
    const into = `INSERT ${how}INTO ${name}(${given.map(columnOf).join(', ')})`;
    return db
      .prepare(`${into} VALUES(${given.map(() => '?').join(', ')})${after(given)}`)
      .run(...valuesOf(row, given));
  };
  return {
    all: (rest: string, ...values: SQLInputValue[]) =>
      db
        .prepare(sql(rest))
        .all(...values)
        .map(read),
    first,
    get: (...values: SQLInputValue[]) => first(byKey, ...values),
    count: (rest: string, ...values: SQLInputValue[]) =>
      (db.prepare(`SELECT count(*) AS number FROM ${name} ${rest}`).get(...values) as { number: number })
        .number,
    insert: (row: AnyRow) => Number(insert(row, '').lastInsertRowid),
    insertNew: (row: AnyRow) => insert(row, 'OR IGNORE ').changes === 1,
    put(row: AnyRow) {
      insert(row, '', (given) => {
        const changed = given.map(columnOf).filter((column) => !key.includes(column));
        const sets = changed.map((column) => `${column} = excluded.${column}`).join(', ');
        return ` ON CONFLICT(${key.join(', ')}) DO ${sets === '' ? 'NOTHING' : `UPDATE SET ${sets}`}`;
      });
    },
    update(values: SQLInputValue | readonly SQLInputValue[], change: AnyRow, only?: string) {
      const given = givenIn(change);
      if (given.length === 0) return false;
      const sets = given.map((property) => `${columnOf(property)} = ?`).join(', ');
      const which = only === undefined ? byKey : `${byKey} AND ${only}`;
      const run = db.prepare(`UPDATE ${name} SET ${sets} ${which}`);
      return run.run(...valuesOf(change, given), ...([values].flat() as SQLInputValue[])).changes === 1;
    },
    delete: (...values: SQLInputValue[]) =>
      db.prepare(`DELETE FROM ${name} ${byKey}`).run(...values).changes === 1,
    deleteAll: (rest: string, ...values: SQLInputValue[]): void =>
      void db.prepare(`DELETE FROM ${name} ${rest}`).run(...values),
  };
}
