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
  readonly initial?: SQLInputValue; // What a new row has where it is left out; null when absent.
}

/** @typeParam Omitted the column may be left out of a new row */
export interface Column<T, Omitted extends boolean = boolean> extends AnyColumn {
  readonly mayBeOmitted: Omitted;
  readonly type?: T; // Only a type: no column has this property.
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
  typeof openRows<Row<C>, NewRow<C & Apart>, Partial<Row<C & Apart>>>
>;

/** Values that columns have (one of several, where it is a list), or SQL from `WHERE` on with its values. */
type Where<Change> =
  | string
  | { readonly [K in keyof Change]?: Loose<Change[K]> | readonly Loose<Change[K]>[] };
type Loose<V> = V extends string ? string : V;

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

export const optional = <T>({ sql, read, write }: Column<T>): Column<T | null, true> => ({
  sql: sql.replace(' NOT NULL', ''),
  mayBeOmitted: true,
  read: read && ((stored) => (stored === null ? null : read(stored))),
  write: write && ((value: never) => (value === null ? null : write(value))),
});

export function initially<T extends string | number | boolean>(column: Column<T>, value: T): Column<T, true> {
  const initial = typeof value === 'string' ? value : Number(value);
  const literal = typeof value === 'string' ? `'${value}'` : String(initial);
  return { ...column, sql: `${column.sql} DEFAULT ${literal}`, mayBeOmitted: true, initial };
}

interface Options<C extends Columns, Apart extends Columns> {
  key?: readonly (keyof C & string)[]; // The first column when absent.
  order?: string; // The order in which rows are read where no SQL names another: `started_at, id`.
  hasRowid?: true; // Keys are random: rows in their order would touch a page for each new one.
  /** By name, from the parenthesis on. `UNIQUE` may stand before it. */
  indexes?: Readonly<Record<string, string>>;
  apart?: Apart; // Columns that rows do not hold: statements of the table's own read them.
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
  const columnsOf = (alias: string, ...without: (keyof C & string)[]) =>
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
  const declared = { name, columns: all, key, select: columnsOf(name), order: options.order ?? null, read };
  const open = (db: Database): Rows<C, Apart> => openRows(db, declared);
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
    in: open,
    /** The statements of every table and the table's own; `open` binds them to a ledger, whose member it becomes. */
    with: <Own extends object>(own: (rows: Rows<C, Apart>, db: Database) => Own = () => ({}) as Own) => ({
      open(db: Database): Omit<Rows<C, Apart>, keyof Own> & Own {
        const rows = open(db);
        return { ...rows, ...own(rows, db) };
      },
    }),
  };
}

const names = new Map<string, string>();
/** The column of a property, worked out once. */
function columnOf(property: string): string {
  const name = names.get(property) ?? property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  names.set(property, name);
  return name;
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
  order: string | null;
  read(stored: object): R;
}

function openRows<R, New, Change>(db: Database, declared: Declared<R>) {
  const byKey = `WHERE ${declared.key.map((column) => `${column} = ?`).join(' AND ')}`;
  return { ...readsOf<R, Change>(db, declared, byKey), ...writesOf<New, Change>(db, declared, byKey) };
}

function readsOf<R, Change>(db: Database, { name, select, order, read }: Declared<R>, byKey: string) {
  const inOrder = order === null ? '' : ` ORDER BY ${order}`;
  const texts = new Map<string, string>();
  /** The same string each time: a statement is found by it, and a new one would have to be hashed. */
  function selectText(rest: string): string {
    const text = texts.get(rest) ?? `SELECT ${select} FROM ${name} ${rest}`;
    texts.set(rest, text);
    return text;
  }
  const rowOf = (stored: object | undefined) => (stored === undefined ? null : read(stored));
  return {
    all(where: Where<Change> = {}, ...values: SQLInputValue[]): R[] {
      const [rest, given] = clauseOf(where, values);
      const ordered = typeof where === 'string' ? rest : rest + inOrder;
      return db.rows<object>(selectText(ordered), ...given).map(read);
    },
    first(where: Where<Change>, ...values: SQLInputValue[]): R | null {
      const [rest, given] = clauseOf(where, values);
      return rowOf(db.get(selectText(rest), ...given));
    },
    get: (...values: SQLInputValue[]) => rowOf(db.get(selectText(byKey), ...values)),
    byPrefix(prefix: string, limit: number): R[] {
      const sql = `SELECT ${select} FROM ${name} WHERE id >= ? AND id < ? LIMIT ?`;
      return db.rows<object>(sql, prefix, `${prefix}\uffff`, limit).map(read);
    },
    has(where: Where<Change> = {}, ...values: SQLInputValue[]): boolean {
      const [rest, given] = clauseOf(where, values);
      return db.get(`SELECT 1 FROM ${name} ${rest} LIMIT 1`, ...given) !== undefined;
    },
    count(where: Where<Change> = {}, ...values: SQLInputValue[]): number {
      const [rest, given] = clauseOf(where, values);
      return db.column<number>(`SELECT count(*) FROM ${name} ${rest}`, ...given)[0]!;
    },
  };
}

function writesOf<New, Change>(
  db: Database,
  { name, columns, key }: Pick<Declared<never>, 'name' | 'columns' | 'key'>,
  byKey: string,
) {
  // All columns stand in it, so that each table has one text for all its rows.
  const every = Object.entries(columns);
  const places = every.map(() => '?').join(', ');
  const into = `INTO ${name}(${every.map(([property]) => columnOf(property)).join(', ')}) VALUES(${places})`;
  const [INSERT, INSERT_NEW] = [`INSERT ${into}`, `INSERT OR IGNORE ${into}`];
  const valuesOf = (row: object) =>
    every.map(([property, column]) => {
      const value = (row as Record<string, SQLInputValue | undefined>)[property];
      return value === undefined ? (column.initial ?? null) : storedOf(column, value);
    });
  const update = (of: SQLInputValue | readonly SQLInputValue[], change: Change & object, only = '') => {
    const given = givenIn(columns, change);
    if (given.length === 0) return false;
    const values = given.map(([property, value]) => storedOf(columns[property]!, value));
    const sets = given.map(([property]) => `${columnOf(property)} = ?`).join(', ');
    const sql = `UPDATE ${name} SET ${sets} ${byKey}${only && ` AND ${only}`}`;
    return db.run(sql, ...values, ...([of].flat() as SQLInputValue[])).changes === 1;
  };
  return {
    /** @returns whether there was such a row */
    delete: (...values: SQLInputValue[]) => db.run(`DELETE FROM ${name} ${byKey}`, ...values).changes === 1,
    deleteAll(where: Where<Change>, ...values: SQLInputValue[]): void {
      const [rest, given] = clauseOf(where, values);
      db.run(`DELETE FROM ${name} ${rest}`, ...given);
    },
    /** @returns its rowid */
    insert: (row: New & object) => Number(db.run(INSERT, ...valuesOf(row)).lastInsertRowid),
    /** False, and nothing done, where a row with its key is there already. */
    insertNew: (row: New & object) => db.run(INSERT_NEW, ...valuesOf(row)).changes === 1,
    /** Inserts the row, or changes what is given of the row with its key. */
    put(row: New & object): void {
      const given = givenIn(columns, row).map(([property]) => columnOf(property));
      const changed = given.filter((column) => !key.includes(column));
      const sets = changed.map((column) => `${column} = excluded.${column}`).join(', ');
      const change = sets === '' ? 'NOTHING' : `UPDATE SET ${sets}`;
      db.run(`${INSERT} ON CONFLICT(${key.join(', ')}) DO ${change}`, ...valuesOf(row));
    },
    /** @param only what else must hold of the row. @returns whether there was such a row */
    update,
    updateAll: (keys: readonly SQLInputValue[], change: Change & object) =>
      db.transaction(() => {
        for (const key of keys) update(key, change);
      }),
  };
}

/** The columns that a row or a change has a value for, with those values. */
const givenIn = (columns: Columns, row: object): [property: string, value: SQLInputValue][] =>
  Object.entries(row).filter(([property, value]) => columns[property] !== undefined && value !== undefined);

const storedOf = ({ write }: AnyColumn, value: SQLInputValue): SQLInputValue =>
  write === null ? value : write(value as never);

/** SQL from `WHERE` on, and its values. */
function clauseOf(where: string | object, values: SQLInputValue[]): [rest: string, values: SQLInputValue[]] {
  if (typeof where === 'string') return [where, values];
  const given = Object.entries(where).filter(([, value]) => value !== undefined);
  if (given.length === 0) return ['', []];
  const tests = given.map(([property, value]) =>
    Array.isArray(value)
      ? `${columnOf(property)} IN (SELECT value FROM json_each(?))`
      : `${columnOf(property)} ${value === null ? 'IS' : '='} ?`,
  );
  const stored = given.map(([, value]): SQLInputValue => {
    if (Array.isArray(value)) return JSON.stringify(value);
    return typeof value === 'boolean' ? Number(value) : value;
  });
  return [`WHERE ${tests.join(' AND ')}`, stored];
}
