// Small durable notes: words from a command to the daemon, consequences not yet applied, and single values.

import type { TaskId } from '../../core/ids.ts';
import type { Consequence } from '../../core/rules/consequences.ts';
import type { Database, Row } from './database.ts';

export type Message =
  | { kind: 'kill'; turn: string }
  | { kind: 'stop'; now: boolean }
  /** Held tasks may run. */
  | { kind: 'release' }
  /** Look at these tasks' wakes. */
  | { kind: 'look'; tasks: TaskId[] }
  /** A run of a chore was asked for. */
  | { kind: 'chores' };

export interface PendingConsequence {
  seq: number;
  at: number;
  task: TaskId;
  consequence: Consequence;
  /** What the consequence needs besides, as JSON text. */
  payload: string;
}

export interface NotesTable {
  send(message: Message, atMs: number): void;
  /** Takes every message, oldest first. */
  receive(): Message[];
  addConsequence(task: TaskId, consequence: Consequence, payload: string, atMs: number): void;
  pendingConsequences(): PendingConsequence[];
  hasConsequence(seq: number): boolean;
  dropConsequence(seq: number): void;
  /** Whether somebody ever looked at all files of the room and took in what they say. */
  wasLookedAt(): boolean;
  setLookedAt(): void;
  getMeta(key: string): string | null;
  setMeta(key: string, value: string): void;
}

export function createNotesTable(db: Database): NotesTable {
  const setMeta = (key: string, value: string): void => {
    db.prepare(
      'INSERT INTO meta(key, value) VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value',
    ).run(key, value);
  };
  // A daemon notes the time of its first look under a key of its own.
  const wasLookedAt = (): boolean =>
    db.prepare("SELECT 1 FROM meta WHERE key IN ('observed', 'looked')").get() !== undefined;
  return {
    send({ kind, ...payload }, atMs) {
      db.prepare('INSERT INTO messages(at, kind, payload) VALUES(?, ?, ?)').run(
        atMs,
        kind,
        JSON.stringify(payload),
      );
    },
    receive() {
      return db.transaction(() => {
        const rows = db.prepare('SELECT seq, kind, payload FROM messages ORDER BY seq').all() as Row[];
        const last = rows.at(-1);
        if (last) db.prepare('DELETE FROM messages WHERE seq <= ?').run(last.seq as number);
        return rows.map((row) => ({ kind: row.kind, ...JSON.parse(row.payload as string) }) as Message);
      });
    },
    addConsequence(task, consequence, payload, atMs) {
      const body = JSON.stringify({ consequence, payload });
      db.prepare('INSERT INTO consequences(at, task, kind, payload) VALUES(?, ?, ?, ?)').run(
        atMs,
        task,
        consequence.kind,
        body,
      );
    },
    pendingConsequences() {
      const rows = db.prepare('SELECT seq, at, task, payload FROM consequences ORDER BY seq').all() as Row[];
      return rows.map((row) => ({
        seq: Number(row.seq),
        at: Number(row.at),
        task: row.task as TaskId,
        ...(JSON.parse(row.payload as string) as { consequence: Consequence; payload: string }),
      }));
    },
    hasConsequence: (seq) => db.prepare('SELECT 1 FROM consequences WHERE seq = ?').get(seq) !== undefined,
    dropConsequence(seq) {
      db.prepare('DELETE FROM consequences WHERE seq = ?').run(seq);
    },
    wasLookedAt,
    setLookedAt() {
      if (!wasLookedAt()) setMeta('looked', '1');
    },
    getMeta(key) {
      const row = db.prepare('SELECT value FROM meta WHERE key = ?').get(key) as Row | undefined;
      return row ? (row.value as string) : null;
    },
    setMeta,
  };
}
