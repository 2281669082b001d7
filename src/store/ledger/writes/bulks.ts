// Changes of several files that are to be made all or not at all: what each file is to become is on record before the first
// is touched, so that a crash in the middle is finished or taken back.
import type { TaskId } from '../../../core/ids.ts';
import type { Database } from '../database.ts';
import { integer, json, optional, type RowOf, sequence, table, text, unique } from '../table.ts';

/** As `Append` of the writer. */
interface BulkEntry {
  section: 'Progress' | 'Outcome' | 'Comments' | 'Questions';
  block: string;
  key?: string;
}

/** What becomes of one file. */
export type BulkItem =
  | { do: 'create'; path: string; task: TaskId; text: string }
  | {
      do: 'change';
      path: string;
      task: TaskId;
      /** The file had none: it gets that of `task`. */
      givesId: boolean;
      before: string;
      after: string;
      append: readonly BulkEntry[];
    }
  | { do: 'delete'; path: string; task: TaskId | null };

/**
 * `do`: its files are being written; `undo`: that is being taken back; `rest`: all are written, what is deleted and said
 * follows; `done`: kept for a repeat of its key.
 */
type BulkState = 'do' | 'undo' | 'rest' | 'done';

export const BULKS = table(
  'bulks',
  {
    seq: sequence(),
    key: optional(unique(text())),
    at: integer(),
    /** As `nameOfActor` says it. */
    actor: text(),
    state: text<BulkState>(),
    items: json<readonly BulkItem[]>(),
    /** What whoever asked is told, as JSON text. */
    result: text(),
  },
  { indexes: { bulks_open: "(seq) WHERE state <> 'done'" } },
);

export type Bulk = Omit<RowOf<typeof BULKS>, 'at'>;

export function createBulksTable(db: Database) {
  const bulks = BULKS.in(db);
  return {
    /** @returns its number */
    add: (bulk: Omit<Bulk, 'seq' | 'state'>, at: number) => bulks.insert({ ...bulk, at, state: 'do' }),
    setState: (seq: number, state: 'undo' | 'rest') => bulks.update(seq, { state }),
    /** Its texts are not kept longer than they are needed. */
    finish: (seq: number, result: string) => bulks.update(seq, { state: 'done', items: [], result }),
    drop: bulks.delete,
    byKey: (key: string) => bulks.first('WHERE key = ?', key),
    /** Whether any is not done. */
    hasOpen: () => bulks.has("WHERE state <> 'done'"),
    /** Those, oldest first. */
    open: () => bulks.all("WHERE state <> 'done' ORDER BY seq"),
    prune: (beforeMs: number) => bulks.deleteAll("WHERE state = 'done' AND at < ?", Math.trunc(beforeMs)),
  };
}
