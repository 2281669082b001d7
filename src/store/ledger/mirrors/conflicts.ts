// Conflicts of mirrors: for each, the text that lost and the text that stands, until the person settles it. A conflict is
// written down before the file is, and counts once the file is known to say what stands.
import type { TaskId } from '../../../core/ids.ts';
import type { Database } from '../database.ts';
import { integer, optional, type RowOf, sequence, table, text } from '../table.ts';

/** How a conflict ended; `by_hand`: the field was edited since. */
export type SettledBy = 'standing' | 'lost' | 'own' | 'by_hand';

/** Times are epoch ms. */
export const CONFLICTS = table(
  'conflicts',
  {
    id: sequence(),
    task: text<TaskId>(),
    /** `title`, `blocked_by`, `comments`, … */
    field: text(),
    /** Of a comment: its id in the file. */
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

/** Of the ledger; few commands load it. */
export function conflictsIn({ database: db }: { database: Database }) {
  const conflicts = CONFLICTS.in(db);
  return {
    /** One that counts once it is sure; the same one again is the same row. @returns its id */
    intend(conflict: NewConflict): number {
      const { task, field, entry, lostSide, lost, stands } = conflict;
      const same = conflicts.first(SAME, task, field, entry, lostSide, lost, stands);
      return same?.id ?? conflicts.insert({ ...conflict, sure: 0 });
    },
    confirm: (id: number): void => void conflicts.update(id, { sure: 1 }),
    /** It did not come to be. */
    drop: (id: number) => conflicts.deleteAll('WHERE id = ? AND sure = 0', id),
    /** The file says something else of the field by now. */
    stands: (id: number, stands: string): void => void conflicts.update(id, { stands }),
    get: (id: number) => conflicts.first('WHERE id = ? AND sure = 1', id),
    /** Of one task, open ones, sure or not, oldest first. */
    ofTask: (task: string) => conflicts.all('WHERE task = ? AND settled IS NULL ORDER BY id', task),
    /** All that are open and sure, oldest first. */
    open: () => conflicts.all('WHERE settled IS NULL AND sure = 1 ORDER BY id'),
    /** Once: false when it was settled before, unless by an edit. */
    settle: (id: number, settled: SettledBy, settledText: string, settledAt: number) =>
      conflicts.update(id, { settled, settledText, settledAt }, "(settled IS NULL OR settled = 'by_hand')"),
    /** Forgets what was settled before that. */
    prune: (before: number) => conflicts.deleteAll('WHERE settled_at < ?', Math.trunc(before)),
  };
}
