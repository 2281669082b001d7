// Where the listing of each chore's source stands, how its last sync went, and what it was found able to do.
import type { ErrorCode } from '../../../core/errors.ts';
import type { Database, Row } from '../database.ts';

export interface SourceError {
  code: ErrorCode;
  message: string;
  hint: string | null;
}

/** What an agent can do upstream, as far as the last sync knows (T11). */
export interface SourceServices {
  write: boolean;
  comment: boolean;
  missing: { what: string; set: string }[];
  /** The environment variables that held credentials then. */
  from?: string[];
  /** Whose words the mirror trusts: by role (null for everybody's) or login. Absent while that is not known. */
  trusted?: { roles: string[] | null; logins: string[] };
}

export interface SourceUsage {
  requests: number;
  notModified: number;
  remaining: number | null;
  resetAt: number | null;
}

/** One row of `sources`. Times are epoch ms. */
export interface SourceRow {
  chore: string;
  provider: string;
  source: string;
  /** Hash of all that decides what a listing holds: another one starts the listing anew. */
  config: string;
  /** Hash of all that decides what is written: after another one every mirror is looked at again. */
  push: string | null;
  cursor: string | null;
  /** End of the last full listing. */
  fullAt: number | null;
  syncedAt: number | null;
  failures: number;
  notBefore: number | null;
  error: SourceError | null;
  services: SourceServices | null;
  usage: SourceUsage | null;
}

export interface SourcesTable {
  get(chore: string): SourceRow | null;
  put(row: SourceRow): void;
  update(chore: string, change: Partial<Omit<SourceRow, 'chore'>>): void;
}

const COLUMNS: Readonly<Record<keyof SourceRow, string>> = {
  chore: 'chore',
  provider: 'provider',
  source: 'source',
  config: 'config',
  push: 'push',
  cursor: 'cursor',
  fullAt: 'full_at',
  syncedAt: 'synced_at',
  failures: 'failures',
  notBefore: 'not_before',
  error: 'error',
  services: 'services',
  usage: 'usage',
};
const KEYS = Object.keys(COLUMNS) as (keyof SourceRow)[];

function toColumn(value: unknown): string | number | null {
  return typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : (value as string | number | null);
}

export function createSourcesTable(db: Database): SourcesTable {
  const fromJson = (value: unknown) => (value === null ? null : JSON.parse(value as string));
  return {
    get(chore) {
      const names = KEYS.map((key) => `${COLUMNS[key]} AS ${key}`).join(', ');
      const row = db.prepare(`SELECT ${names} FROM sources WHERE chore = ?`).get(chore) as Row | undefined;
      if (!row) return null;
      const { error, services, usage } = row;
      return {
        ...row,
        error: fromJson(error),
        services: fromJson(services),
        usage: fromJson(usage),
      } as unknown as SourceRow;
    },
    put(row) {
      const names = Object.values(COLUMNS);
      const sql = `INSERT OR REPLACE INTO sources(${names.join(', ')}) VALUES(${names.map(() => '?').join(', ')})`;
      db.prepare(sql).run(...KEYS.map((key) => toColumn(row[key])));
    },
    update(chore, change) {
      const keys = Object.keys(change) as Exclude<keyof SourceRow, 'chore'>[];
      if (keys.length === 0) return;
      const sets = keys.map((key) => `${COLUMNS[key]} = ?`).join(', ');
      db.prepare(`UPDATE sources SET ${sets} WHERE chore = ?`).run(
        ...keys.map((key) => toColumn(change[key])),
        chore,
      );
    },
  };
}
