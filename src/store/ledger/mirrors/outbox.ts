// What is to be written upstream: intended before the call and taken away together with the record of its answer, so
// that a row that is found later tells of a write that may have happened.
import type { TaskId } from '../../../core/ids.ts';
import type { Database } from '../database.ts';
import { integer, optional, type RowOf, sequence, table, text, unique } from '../table.ts';

export const OUTBOX_KINDS = ['create', 'update', 'comment', 'edit', 'pull_request'] as const;
export type OutboxKind = (typeof OUTBOX_KINDS)[number];

/** Times are epoch ms. */
export const OUTBOX = table(
  'outbox',
  {
    id: sequence(),
    provider: text(),
    chore: text(),
    task: text<TaskId>(),
    kind: text<OutboxKind>(),
    /** Unique: the same intention again is the same row. */
    key: unique(text()),
    /** JSON. */
    payload: text(),
    /** How often it was begun. */
    tries: integer(),
    /** Not tried before. */
    notBefore: optional(integer()),
    /** When a try was on its way last whose end nobody knows; null when it is known to have done nothing. */
    doubtedAt: optional(integer()),
    lastError: optional(text()),
    at: integer(),
  },
  { indexes: { outbox_by_chore: '(chore, task)' } },
);

export type OutboxRow = RowOf<typeof OUTBOX>;

export function createOutboxTable(db: Database) {
  const outbox = OUTBOX.in(db);
  const byKey = (key: string) => outbox.first('WHERE key = ?', key);
  return {
    byKey,
    /**
     * Begins a try: makes the row, or finds the one with that key, whose payload then counts.
     * @returns the row as it was before this try: `tries` counts earlier ones
     */
    begin(
      row: Pick<OutboxRow, 'provider' | 'chore' | 'task' | 'kind' | 'key' | 'payload' | 'at'>,
    ): OutboxRow {
      return db.transaction(() => {
        const known = byKey(row.key);
        if (known === null) outbox.insert({ ...row, tries: 1, doubtedAt: row.at });
        else outbox.update(known.id, { tries: known.tries + 1, doubtedAt: row.at });
        return known ?? { ...byKey(row.key)!, tries: 0 };
      });
    },
    /** Oldest first. */
    ofChore: (chore: string) => outbox.all('WHERE chore = ? ORDER BY id', chore),
    ofTask: (task: string) => outbox.all('WHERE task = ? ORDER BY id', task),
    update: outbox.update,
    delete: outbox.delete,
    count: (chore: string) => outbox.count('WHERE chore = ?', chore),
  };
}
