// The versions of a mirrored file that both sides agreed on, by their hash, and which fields each of them had from
// where: what a file that is an earlier version of itself again would undo.
import type { Database } from '../database.ts';
import { flag, json, optional, type RowOf, real, sequence, table, text } from '../table.ts';

export const VERSIONS = table(
  'versions',
  {
    seq: sequence(),
    task: text(),
    hash: text(),
    /** Fields that came from upstream with it. */
    pulled: json<readonly string[]>(),
    /** Fields that went there. */
    pushed: json<readonly string[]>(),
    /** When the file was saved, ms of the disk's clock. */
    savedAt: optional(real()),
  },
  { indexes: { versions_by_task: '(task, hash, seq)' } },
);

/** Files that were made an earlier version of themselves again by somebody else than the runtime. */
export const RESTORED = table('restored', {
  task: text(),
  /** The earlier version. */
  text: text(),
  /** Fields whose newer value had come from upstream, and `comments`. */
  undone: json<readonly string[]>(),
  /** Git wrote it, or it kept its old time: no editor made it. */
  proved: flag(),
});

export type Restored = Omit<RowOf<typeof RESTORED>, 'task'>;
export type VersionsTable = ReturnType<typeof createVersionsTable>;
type VersionRow = RowOf<typeof VERSIONS>;

// An older version than so many is nobody's to restore without a look at both sides.
const KEPT = 100;

export function createVersionsTable(db: Database) {
  const versions = VERSIONS.in(db);
  const restored = RESTORED.in(db);
  return {
    /** Both sides agree: with it, nothing is restored any more. */
    add(
      task: string,
      hash: string,
      change: Pick<VersionRow, 'pulled' | 'pushed'> & Partial<Pick<VersionRow, 'savedAt'>>,
    ): void {
      restored.delete(task);
      const latest = versions.first('WHERE task = ? ORDER BY seq DESC LIMIT 1', task);
      if (latest?.hash === hash && change.pulled.length + change.pushed.length === 0) return;
      versions.insert({ task, hash, ...change });
      const old = `DELETE FROM versions WHERE task = ?1 AND seq <= (SELECT seq FROM versions WHERE task = ?1
        ORDER BY seq DESC LIMIT 1 OFFSET ${KEPT})`;
      db.prepare(old).run(task);
    },
    /** The youngest time of the file's versions, ms; null where none is known. */
    savedAt(task: string): number | null {
      return db.column<number | null>('SELECT max(saved_at) FROM versions WHERE task = ?', task)[0] ?? null;
    },
    /** Of a file with this hash: what had come from upstream since. Empty for a version that is the latest one, or none. */
    undone(task: string, hash: string): string[] {
      const since = `WHERE task = ?1 AND seq > (SELECT max(seq) FROM versions WHERE task = ?1 AND hash = ?2) ORDER BY seq`;
      const fields = new Set<string>();
      for (const { pulled, pushed } of versions.all(since, task, hash)) {
        for (const field of pushed) fields.delete(field);
        for (const field of pulled) fields.add(field);
      }
      return [...fields];
    },
    setRestored: (task: string, change: Restored) => restored.put({ task, ...change }),
    restored: (task: string): Restored | null => restored.get(task),
  };
}
