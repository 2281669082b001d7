// A table of the ledger, declared once: its row type, its schema and the statements that every table needs follow from the
// declaration. A property `startedAt` is the column `started_at`. A table's own queries are SQL, added by `with`.
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

type Row<C extends Columns> = { [K in keyof C]: ValueOf<C[K]> };
type NewRow<C extends Columns> = Omit<Row<C>, OmittedIn<C>> & Partial<Pick<Row<C>, OmittedIn<C>>>;

export type RowOf<T extends { read(stored: object): unknown }> = ReturnType<T['read']>;
/** A row to be added: what is null or has a default may be left out. */
export type NewRowOf<T extends { in(db: Database): { insert(row: never): number } }> = Parameters<
  ReturnType<T['in']>['insert']
>[0];
type Rows<C extends Columns, Apart extends Columns> = ReturnType<
  typeof rowsIn<Row<C>, NewRow<C & Apart>, Partial<Row<C & Apart>>>
>;

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
export const sequence = (): Column<number, true> => ({
  ...{ sql: 'INTEGER PRIMARY KEY AUTOINCREMENT', mayBeOmitted: true, read: null, write: null },
});

export function unique<T, O extends boolean>(column: Column<T, O>): Column<T, O> {
  return { ...column, sql: `${column.sql} UNIQUE` };
}

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
  /** The first column when absent. */
  key?: readonly (keyof C & string)[];
  /** Keys are random: rows in their order would touch a page for each new one. */
  hasRowid?: true;
  /** By name, from the parenthesis on. `UNIQUE` may stand before it. */
  indexes?: Readonly<Record<string, string>>;
  /** Columns that rows do not hold: statements of the table's own read them. */
  apart?: Apart;
}

export function table<C extends Columns, Apart extends Columns = Record<never, never>>(
  name: string,
  columns: C,
  options: Options<C, Apart> = {},
) {
  const all: Columns = { ...columns, ...options.apart };
  const key = (options.key ?? [Object.keys(columns)[0]!]).map(columnOf);
  const readers = Object.entries(columns).filter(([, { read }]) => read !== null);
  /** What follows SELECT: `t.id AS id, t.started_at AS startedAt`. */
  const columnsOf = (alias: string, ...without: (keyof C & string)[]): string =>
    Object.keys(columns)
      .filter((property) => !without.includes(property))
      .map((property) => `${alias}.${columnOf(property)} AS ${property}`)
      .join(', ');
  /** The row of such a SELECT; other columns that the SELECT names stay as they are. */
  const read = (stored: object): Row<C> => {
    const row = stored as Record<string, unknown>;
    for (const [property, column] of readers) row[property] = column.read!(row[property] as SQLOutputValue);
    return row as Row<C>;
  };
  const declared = { name, columns: all, key, select: columnsOf(name), read };
  const rowsOf = (db: Database): Rows<C, Apart> => rowsIn(db, declared);
  return {
    name,
    schema: schemaOf(name, all, key, options.hasRowid ?? false),
    indexes: Object.entries(options.indexes ?? {}).map(([index, on]) =>
      on.startsWith('UNIQUE')
        ? `CREATE UNIQUE INDEX ${index} ON ${name}${on.slice('UNIQUE '.length)}`
        : `CREATE INDEX ${index} ON ${name}${on}`,
    ),
    columns: columnsOf,
    read,
    in: rowsOf,
    /** The statements of every table and the table's own; `open` binds them to a ledger, whose member it becomes. */
    with: <Own extends object>(own: (rows: Rows<C, Apart>, db: Database) => Own) => ({
      open(db: Database): Omit<Rows<C, Apart>, keyof Own> & Own {
        const rows = rowsOf(db);
        return { ...rows, ...own(rows, db) };
      },
    }),
  };
}

function columnOf(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function schemaOf(name: string, columns: Columns, key: readonly string[], hasRowid: boolean): string {
  const lines = Object.entries(columns).map(([property, { sql }]) => `${columnOf(property)} ${sql}`);
  const isNumbered = lines.some((line) => line.includes(' PRIMARY KEY'));
  if (!isNumbered) lines.push(`PRIMARY KEY(${key.join(', ')})`);
  return `CREATE TABLE ${name}(${lines.join(', ')}) ${isNumbered || hasRowid ? 'STRICT' : 'STRICT, WITHOUT ROWID'}`;
}

interface Declared<R> {
  name: string;
  columns: Columns;
  key: readonly string[];
  select: string;
  read(stored: object): R;
}

/** The rows of a table in an open ledger. `rest` follows the table's name: `WHERE thread = ? ORDER BY started_at`. */
function rowsIn<R, New, Change>(db: Database, { name, columns, key, select, read }: Declared<R>) {
  const byKey = `WHERE ${key.map((column) => `${column} = ?`).join(' AND ')}`;
  const all = (rest: string, ...values: SQLInputValue[]): R[] =>
    db.rows<object>(`SELECT ${select} FROM ${name} ${rest}`, ...values).map(read);
  const first = (rest: string, ...values: SQLInputValue[]): R | null => {
    const stored = db.prepare(`SELECT ${select} FROM ${name} ${rest}`).get(...values);
    return stored === undefined ? null : read(stored);
  };
  return {
    all,
    first,
    get: (...values: SQLInputValue[]) => first(byKey, ...values),
    /** Rows whose id begins so. */
    byPrefix: (prefix: string, limit: number) =>
      all('WHERE id >= ? AND id < ? LIMIT ?', prefix, `${prefix}\uffff`, limit),
    has: (rest: string, ...values: SQLInputValue[]) =>
      db.has(`SELECT 1 FROM ${name} ${rest} LIMIT 1`, ...values),
    count: (rest = '', ...values: SQLInputValue[]) =>
      db.column<number>(`SELECT count(*) FROM ${name} ${rest}`, ...values)[0]!,
    /** @returns whether there was such a row */
    delete: (...values: SQLInputValue[]) =>
      db.prepare(`DELETE FROM ${name} ${byKey}`).run(...values).changes === 1,
    deleteAll: (rest: string, ...values: SQLInputValue[]): void =>
      db.run(`DELETE FROM ${name} ${rest}`, ...values),
    ...writesIn<New, Change>(db, { name, columns, key }, byKey),
  };
}

function writesIn<New, Change>(
  db: Database,
  { name, columns, key }: Pick<Declared<never>, 'name' | 'columns' | 'key'>,
  byKey: string,
) {
  /** What is given of a row: its columns, and its values as they are stored. */
  const partsOf = (row: object): { given: string[]; values: SQLInputValue[] } => {
    const stood = Object.entries(columns).filter(
      ([property]) => row[property as keyof typeof row] !== undefined,
    );
    const values = stood.map(([property, { write }]) => {
      const value = row[property as keyof typeof row];
      return write === null ? value : write(value);
    });
    return { given: stood.map(([property]) => columnOf(property)), values };
  };
  const insert = (row: object, how = '', after: (given: string[]) => string = () => '') => {
    const { given, values } = partsOf(row);
    const into = `INSERT ${how}INTO ${name}(${given.join(', ')})`;
    return db.prepare(`${into} VALUES(${given.map(() => '?').join(', ')})${after(given)}`).run(...values);
  };
  const update = (
    of: SQLInputValue | readonly SQLInputValue[],
    change: Change & object,
    only = '',
  ): boolean => {
    const { given, values } = partsOf(change);
    if (given.length === 0) return false;
    const sets = given.map((column) => `${column} = ?`).join(', ');
    const run = db.prepare(`UPDATE ${name} SET ${sets} ${byKey}${only && ` AND ${only}`}`);
    return run.run(...values, ...([of].flat() as SQLInputValue[])).changes === 1;
  };
  return {
    /** @returns its rowid */
    insert: (row: New & object) => Number(insert(row).lastInsertRowid),
    /** False, and nothing done, where a row with its key is there already. */
    insertNew: (row: New & object) => insert(row, 'OR IGNORE ').changes === 1,
    /** Inserts the row, or changes what is given of the row with its key. */
    put: (row: New & object): void =>
      void insert(row, '', (given) => {
        const changed = given.filter((column) => !key.includes(column));
        const sets = changed.map((column) => `${column} = excluded.${column}`).join(', ');
        return ` ON CONFLICT(${key.join(', ')}) DO ${sets === '' ? 'NOTHING' : `UPDATE SET ${sets}`}`;
      }),
    /**
     * @param only what else must hold of the row
     * @returns whether there was such a row
     */
    update,
    updateAll: (keys: readonly SQLInputValue[], change: Change & object): void =>
      db.transaction(() => {
        for (const key of keys) update(key, change);
      }),
  };
}
