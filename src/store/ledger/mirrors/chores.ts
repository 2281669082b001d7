// What the runtime remembers of each chore: when it ran last and how that ended. Rows outlive their files, so that a
// chore that is back after a branch switch knows when it last ran.
import type { Database, Row } from '../database.ts';

/** Times are epoch ms. */
export interface ChoreMemory {
  name: string;
  /** When it was first seen: what a schedule counts from that never ran. */
  seenAt: number;
  /** Hash of the file the failures belong to. */
  revision: string;
  /** Start of the last run, null when it never ran. */
  startedAt: number | null;
  /** End of the last run; null while it runs, or when the runtime died during it. */
  endedAt: number | null;
  /** How it ended; null when it never did. */
  result: ChoreRecord | null;
  /** Failed runs in a row. */
  failures: number;
  /** Not before this, after a failure. */
  retryAt: number | null;
  /** Why it stands still until a person looks at it. */
  stopped: string | null;
  /** A person asked for a run that did not start. */
  askedAt: number | null;
}

/** How a run ended. */
export interface ChoreRecord {
  ok: boolean;
  /** One line for a person. */
  message: string;
  /** The turn of a prompt. */
  turn?: string;
  /** What a sync counted, by name. */
  counts?: Readonly<Record<string, number>>;
}

export type ChoreChange = Partial<Omit<ChoreMemory, 'name'>>;

export interface ChoresTable {
  get(name: string): ChoreMemory | null;
  list(): ChoreMemory[];
  /** Adds a row for a chore that was never seen; leaves a known one as it is. */
  add(name: string, revision: string, atMs: number): void;
  update(name: string, change: ChoreChange): void;
}

const COLUMNS: Readonly<Record<keyof ChoreChange, string>> = {
  seenAt: 'seen_at',
  revision: 'revision',
  startedAt: 'started_at',
  endedAt: 'ended_at',
  result: 'result',
  failures: 'failures',
  retryAt: 'retry_at',
  stopped: 'stopped',
  askedAt: 'asked_at',
};

const SELECT = `SELECT name, seen_at AS seenAt, revision, started_at AS startedAt, ended_at AS endedAt, result, failures,
  retry_at AS retryAt, stopped, asked_at AS askedAt FROM chores`;

function memoryOf(row: Row): ChoreMemory {
  const result = row.result === null ? null : (JSON.parse(row.result as string) as ChoreRecord);
  return { ...row, result } as unknown as ChoreMemory;
}

export function createChoresTable(db: Database): ChoresTable {
  return {
    get(name) {
      const row = db.prepare(`${SELECT} WHERE name = ?`).get(name) as Row | undefined;
      return row ? memoryOf(row) : null;
    },
    list: () => (db.prepare(`${SELECT} ORDER BY name`).all() as Row[]).map(memoryOf),
    add(name, revision, atMs) {
      db.prepare('INSERT OR IGNORE INTO chores(name, revision, seen_at) VALUES(?, ?, ?)').run(
        name,
        revision,
        atMs,
      );
    },
    update(name, change) {
      const keys = Object.keys(change) as (keyof ChoreChange)[];
      if (keys.length === 0) return;
      const values = keys.map((key) => {
        const value = change[key] ?? null;
        return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
      });
      const sets = keys.map((key) => `${COLUMNS[key]} = ?`).join(', ');
      db.prepare(`UPDATE chores SET ${sets} WHERE name = ?`).run(...values, name);
    },
  };
}
