// Changes of several files, all or none: they are on record before the first file is touched, so that a crash is finished or taken back.
import type { TaskId } from '../../../core/ids.ts';
import { integer, json, optional, type RowOf, sequence, table, text, unique } from '../table.ts';

export interface Append {
  section: 'Progress' | 'Outcome' | 'Comments' | 'Questions';
  /** Text that is safe to stand in a section (core/task/body/entries.ts makes it), without a final line end. */
  block: string;
  key?: string; // Unique in the room: the same key again writes nothing.
}

export type BulkItem =
  | { do: 'create'; path: string; task: TaskId; text: string }
  | {
      do: 'change';
      path: string;
      task: TaskId;
      givesId: boolean; // The file had none: it gets that of `task`.
      before: string;
      after: string;
      append: readonly Append[];
    }
  | { do: 'delete'; path: string; task: TaskId | null };

/** `do`: files are written; `undo`: taken back; `rest`: what is deleted and said follows; `done`: kept for a repeat of its key. */
type BulkState = 'do' | 'undo' | 'rest' | 'done';

export const BULKS = table(
  'bulks',
  {
    seq: sequence(),
    key: optional(unique(text())),
    at: integer(),
    actor: text(), // As `nameOfActor` says it.
    state: text<BulkState>(),
    items: json<readonly BulkItem[]>(),
    result: text(), // What whoever asked is told, as JSON text.
  },
  { indexes: { bulks_open: "(seq) WHERE state <> 'done'" } },
);

export type Bulk = Omit<RowOf<typeof BULKS>, 'at'>;

export const bulks = BULKS.with((rows) => ({
  add: (bulk: Omit<Bulk, 'seq' | 'state'>, at: number) => rows.insert({ ...bulk, at, state: 'do' }),
  setState: (seq: number, state: 'undo' | 'rest') => rows.update(seq, { state }),
  drop: (seq: number) => rows.delete(seq),
  /** Its texts are not kept longer than they are needed. */
  finish: (seq: number, result: string) => rows.update(seq, { state: 'done', items: [], result }),
  byKey: (key: string) => rows.first({ key }),
  hasOpen: () => rows.has("WHERE state <> 'done'"),
  open: () => rows.all("WHERE state <> 'done' ORDER BY seq"),
  prune: (beforeMs: number) => rows.deleteAll("WHERE state = 'done' AND at < ?", beforeMs),
}));
