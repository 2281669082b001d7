// Where the listing of each chore's source stands, how its last sync went, and what it was found able to do.
import type { ErrorCode } from '../../../core/errors.ts';
import type { Database } from '../database.ts';
import { initially, integer, json, optional, type RowOf, table, text } from '../table.ts';

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

/** Times are epoch ms. */
export const SOURCES = table('sources', {
  chore: text(),
  provider: text(),
  source: text(),
  /** Hash of all that decides what a listing holds: another one starts the listing anew. */
  config: text(),
  /** Hash of all that decides what is written: after another one every mirror is looked at again. */
  push: optional(text()),
  cursor: optional(text()),
  /** End of the last full listing. */
  fullAt: optional(integer()),
  syncedAt: optional(integer()),
  failures: initially(integer(), 0),
  notBefore: optional(integer()),
  error: optional(json<SourceError>()),
  services: optional(json<SourceServices>()),
  usage: optional(json<SourceUsage>()),
});

export type SourceRow = RowOf<typeof SOURCES>;

export const createSourcesTable = (db: Database) => SOURCES.in(db);
