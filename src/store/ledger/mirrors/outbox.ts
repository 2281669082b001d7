// What is to be written upstream, which conflicts a person has to settle, and the versions that both sides agreed on.
// Times are epoch ms.
import type { TaskId } from '../../../core/ids.ts';
import { flag, integer, json, optional, type RowOf, real, sequence, table, text, unique } from '../table.ts';

export const OUTBOX_KINDS = ['create', 'update', 'comment', 'edit', 'pull_request'] as const;
export type OutboxKind = (typeof OUTBOX_KINDS)[number];

/**
 * Intended before the call and taken away together with the record of its answer, so that a row that is found later tells
 * of a write that may have happened.
 */
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
    payload: text(),
    tries: integer(),
    notBefore: optional(integer()),
    /** When a try was on its way last whose end nobody knows; null when it is known to have done nothing. */
    doubtedAt: optional(integer()),
    lastError: optional(text()),
    at: integer(),
  },
  { indexes: { outbox_by_chore: '(chore, task)' } },
);

export type OutboxRow = RowOf<typeof OUTBOX>;

export const outbox = OUTBOX.with((rows, db) => {
  const byKey = (key: string) => rows.first('WHERE key = ?', key);
  return {
    byKey,
    /**
     * Begins a try: makes the row, or finds the one with that key, whose payload then counts.
     * @returns the row as it was before this try: `tries` counts earlier ones
     */
    begin: (
      row: Pick<OutboxRow, 'provider' | 'chore' | 'task' | 'kind' | 'key' | 'payload' | 'at'>,
    ): OutboxRow =>
      db.transaction(() => {
        const known = byKey(row.key);
        if (known === null) rows.insert({ ...row, tries: 1, doubtedAt: row.at });
        else rows.update(known.id, { tries: known.tries + 1, doubtedAt: row.at });
        return known ?? { ...byKey(row.key)!, tries: 0 };
      }),
    ofChore: (chore: string) => rows.all('WHERE chore = ? ORDER BY id', chore),
    ofTask: (task: string) => rows.all('WHERE task = ? ORDER BY id', task),
    count: (chore: string) => rows.count('WHERE chore = ?', chore),
  };
});

/** How a conflict ended; `by_hand`: the field was edited since. */
type SettledBy = 'standing' | 'lost' | 'own' | 'by_hand';

/**
 * For each conflict the text that lost and the text that stands, until the person settles it. A row is written before the
 * file is, and counts once the file is known to say what stands.
 */
export const CONFLICTS = table(
  'conflicts',
  {
    id: sequence(),
    task: text<TaskId>(),
    field: text(),
    entry: optional(text()),
    lostSide: text<'local' | 'remote'>(),
    lost: text(),
    /** What the file said of the field when that was last dealt with. */
    stands: text(),
    /** Where the text that lost lies, relative to the room. */
    kept: optional(text()),
    at: integer(),
    /** 0 until the file is known to say what stands. */
    sure: integer(),
    settled: optional(text<SettledBy>()),
    settledText: optional(text()),
    settledAt: optional(integer()),
  },
  { indexes: { conflicts_open: '(task) WHERE settled IS NULL' } },
);

export type ConflictRow = RowOf<typeof CONFLICTS>;
export type NewConflict = Pick<
  ConflictRow,
  'task' | 'field' | 'entry' | 'lostSide' | 'lost' | 'stands' | 'kept' | 'at'
>;

const SAME = `WHERE task = ? AND settled IS NULL AND field = ? AND entry IS ? AND lost_side = ? AND lost = ? AND stands = ?`;

export const conflicts = CONFLICTS.with((rows) => ({
  /** One that counts once it is sure; the same one again is the same row. @returns its id */
  intend(conflict: NewConflict): number {
    const { task, field, entry, lostSide, lost, stands } = conflict;
    const same = rows.first(SAME, task, field, entry, lostSide, lost, stands);
    return same?.id ?? rows.insert({ ...conflict, sure: 0 });
  },
  confirm: (id: number) => rows.update(id, { sure: 1 }),
  /** It did not come to be. */
  drop: (id: number) => rows.deleteAll('WHERE id = ? AND sure = 0', id),
  /** The file says something else of the field by now. */
  stands: (id: number, stands: string) => rows.update(id, { stands }),
  get: (id: number) => rows.first('WHERE id = ? AND sure = 1', id),
  /** Of one task, open ones, sure or not, oldest first. */
  ofTask: (task: string) => rows.all('WHERE task = ? AND settled IS NULL ORDER BY id', task),
  open: () => rows.all('WHERE settled IS NULL AND sure = 1 ORDER BY id'),
  /** Once: false when it was settled before, unless by an edit. */
  settle: (id: number, settled: SettledBy, settledText: string, settledAt: number) =>
    rows.update(id, { settled, settledText, settledAt }, "(settled IS NULL OR settled = 'by_hand')"),
  prune: (before: number) => rows.deleteAll('WHERE settled_at < ?', before),
}));

/**
 * The versions of a mirrored file that both sides agreed on, by their hash, and which fields each of them had from where:
 * what a file that is an earlier version of itself again would undo.
 */
export const VERSIONS = table(
  'versions',
  {
    seq: sequence(),
    task: text(),
    hash: text(),
    /** Fields that came from upstream with it. */
    pulled: json<readonly string[]>(),
    pushed: json<readonly string[]>(),
    /** When the file was saved, ms of the disk's clock. */
    savedAt: optional(real()),
  },
  { indexes: { versions_by_task: '(task, hash, seq)' } },
);

/** Files that were made an earlier version of themselves again by somebody else than the runtime. */
export const RESTORED = table('restored', {
  task: text(),
  text: text(),
  /** Fields whose newer value had come from upstream, and `comments`. */
  undone: json<readonly string[]>(),
  /** Git wrote it, or it kept its old time: no editor made it. */
  proved: flag(),
});

type Restored = Omit<RowOf<typeof RESTORED>, 'task'>;
type VersionRow = RowOf<typeof VERSIONS>;

// An older version than so many is nobody's to restore without a look at both sides.
const KEPT = 100;
const DROP_OLD = `WHERE task = ?1 AND seq <= (SELECT seq FROM versions WHERE task = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ${KEPT})`;
const SINCE = `WHERE task = ?1 AND seq > (SELECT max(seq) FROM versions WHERE task = ?1 AND hash = ?2) ORDER BY seq`;

export const versions = VERSIONS.with((rows, db) => {
  const restored = RESTORED.in(db);
  return {
    /** Both sides agree: with it, nothing is restored any more. */
    add(
      task: string,
      hash: string,
      change: Pick<VersionRow, 'pulled' | 'pushed'> & Partial<Pick<VersionRow, 'savedAt'>>,
    ): void {
      restored.delete(task);
      const latest = rows.first('WHERE task = ? ORDER BY seq DESC LIMIT 1', task);
      if (latest?.hash === hash && change.pulled.length + change.pushed.length === 0) return;
      rows.insert({ task, hash, ...change });
      rows.deleteAll(DROP_OLD, task);
    },
    /** The youngest time of the file's versions, ms; null where none is known. */
    savedAt: (task: string) =>
      db.column<number | null>('SELECT max(saved_at) FROM versions WHERE task = ?', task)[0] ?? null,
    /** Of a file with this hash: what had come from upstream since. Empty for a version that is the latest one, or none. */
    undone(task: string, hash: string): string[] {
      const fields = new Set<string>();
      for (const { pulled, pushed } of rows.all(SINCE, task, hash)) {
        for (const field of pushed) fields.delete(field);
        for (const field of pulled) fields.add(field);
      }
      return [...fields];
    },
    setRestored: (task: string, change: Restored) => restored.put({ task, ...change }),
    restored: (task: string): Restored | null => restored.get(task),
  };
});
