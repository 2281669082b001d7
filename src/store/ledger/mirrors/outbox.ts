// What is to be written upstream, and which conflicts a person has to settle. Times are epoch ms.
import type { TaskId } from '../../../core/ids.ts';
import type { SessionActivity } from '../../../core/remote-pulls.ts';
import type { PullRequest } from '../../../core/review-shapes.ts';
import { integer, json, optional, type RowOf, sequence, table, text, unique } from '../table.ts';

export const OUTBOX_KINDS = [
  'create',
  'update',
  'comment',
  'edit',
  'pull_request',
  'reply',
  'activity',
] as const;
export type OutboxKind = (typeof OUTBOX_KINDS)[number];

/** Intended before the call, gone with the record of its answer: a row found later tells of a write that may have happened. */
export const OUTBOX = table(
  'outbox',
  {
    id: sequence(),
    provider: text(),
    chore: text(),
    task: text<TaskId>(),
    kind: text<OutboxKind>(),
    key: unique(text()), // Unique: the same intention again is the same row.
    payload: text(),
    tries: integer(),
    notBefore: optional(integer()),
    /** When a try was on its way last whose end nobody knows; null when it is known to have done nothing. */
    doubtedAt: optional(integer()),
    lastError: optional(text()),
    at: integer(),
  },
  { order: 'id', indexes: { outbox_by_chore: '(chore, task)' } },
);

export type OutboxRow = RowOf<typeof OUTBOX>;
type NewIntent = Pick<OutboxRow, 'provider' | 'chore' | 'task' | 'kind' | 'key' | 'payload' | 'at'>;

export const outbox = OUTBOX.with((rows, db) => ({
  /** Begins a try: makes the row, or finds the one with that key, whose payload then counts.
   * @returns the row as it was before this try: `tries` counts earlier ones */
  begin: (row: NewIntent): OutboxRow =>
    db.transaction(() => {
      const known = rows.first({ key: row.key });
      if (known === null) rows.insert({ ...row, tries: 1, doubtedAt: row.at });
      else rows.update(known.id, { tries: known.tries + 1, doubtedAt: row.at });
      return known ?? { ...rows.first({ key: row.key })!, tries: 0 };
    }),
}));

/** How a conflict ended; `by_hand`: the field was edited since. */
type SettledBy = 'standing' | 'lost' | 'own' | 'by_hand';

/** For each conflict the text that lost and the text that stands, until the person settles it. A row is written before the
 * file is, and counts once the file is known to say what stands. */
export const CONFLICTS = table(
  'conflicts',
  {
    id: sequence(),
    task: text<TaskId>(),
    field: text(),
    entry: optional(text()),
    lostSide: text<'local' | 'remote'>(),
    lost: text(),
    stands: text(), // What the file said of the field when that was last dealt with.
    kept: optional(text()), // Where the text that lost lies, relative to the room.
    at: integer(),
    sure: integer(), // 0 until the file is known to say what stands.
    settled: optional(text<SettledBy>()),
    settledText: optional(text()),
    settledAt: optional(integer()),
  },
  { order: 'id', indexes: { conflicts_open: '(task) WHERE settled IS NULL' } },
);

export type ConflictRow = RowOf<typeof CONFLICTS>;
export type NewConflict = Omit<ConflictRow, 'id' | 'sure' | 'settled' | 'settledText' | 'settledAt'>;

export const conflicts = CONFLICTS.with((rows) => ({
  /** One that counts once it is sure; the same one again is the same row. @returns its id */
  intend(conflict: NewConflict): number {
    const { kept: _kept, at: _at, ...same } = conflict;
    return rows.first({ ...same, settled: null })?.id ?? rows.insert({ ...conflict, sure: 0 });
  },
  drop: (id: number) => rows.deleteAll({ id, sure: 0 }), // It did not come to be.
  get: (id: number) => rows.first({ id, sure: 1 }),
  open: () => rows.all({ settled: null, sure: 1 }),
  /** Once: false when it was settled before, unless by an edit. */
  settle: (id: number, settled: SettledBy, settledText: string, settledAt: number) =>
    rows.update(id, { settled, settledText, settledAt }, "(settled IS NULL OR settled = 'by_hand')"),
  prune: (before: number) => rows.deleteAll('WHERE settled_at < ?', before),
}));

// The pull requests of tasks, one for each repository of a task's workspace: where it is, and how it was seen last.

/** What was said of it between people and its task. */
export interface PullTalk {
  told: string[]; // What the task was told: `review:12`, `remark:34`, `comment:45`, `check:56`.
  /** Comments on lines that no push has answered, with the threads they stand in. */
  unanswered: { key: string; thread: string }[];
  rounds: number; // How often in a row the task was to change it.
  /** The commit that was the last one when its task was asked, until what came of that is pushed. */
  askedAt: string | null;
}

export const NO_TALK: PullTalk = { told: [], unanswered: [], rounds: 0, askedAt: null };

export const PULLS = table(
  'pulls',
  {
    task: text<TaskId>(),
    name: text(), // The worktree's name in its workspace.
    provider: text(),
    source: text(), // `acme/web`
    url: optional(text()), // Address of its server's API; null for the tracker's own.
    number: integer(),
    uid: text(),
    seen: json<PullRequest>(),
    talk: json<PullTalk>(),
  },
  { key: ['task', 'name'], order: 'task, name' },
);

export type PullRow = RowOf<typeof PULLS>;

const IS_OPEN = "json_extract(seen, '$.state') = 'open'";

export const pulls = PULLS.with((rows) => ({
  of: (task: string) => rows.all({ task }),
  change: ({ task, name }: Pick<PullRow, 'task' | 'name'>, change: Partial<Pick<PullRow, 'seen' | 'talk'>>) =>
    rows.update([task, name], change),
  open: () => rows.all(`WHERE ${IS_OPEN} ORDER BY task, name`),
  /** @param source in any case */
  byNumber: (source: string, number: number) =>
    rows.first('WHERE source = ? COLLATE NOCASE AND number = ?', source, number),
  hasOpen: () => rows.has(`WHERE ${IS_OPEN}`),
}));

/** The session in which a tracker shows the work on a task to whoever asked for it. */
export const REMOTE_SESSIONS = table('remote_sessions', {
  task: text<TaskId>(),
  session: text(),
  createdAt: integer(), // Server clock.
  said: json<string[]>(), // Keys of what was said there, or stood in the file before.
  /** What is to be said and does not follow from the file; `atRest`: once no turn of the task runs. */
  owed: json<(SessionActivity & { key: string; atRest: boolean })[]>(),
  shown: text(), // Hash of the plan and the links that it shows.
});

export type RemoteSessionRow = RowOf<typeof REMOTE_SESSIONS>;

export const remoteSessions = REMOTE_SESSIONS.with();
