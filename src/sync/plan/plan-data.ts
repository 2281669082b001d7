// What planning works on: both sides of a mirror as they are now, what they last agreed on, and the plan. Plain data.
import type { MirrorConfig } from '../../core/chore/chore.ts';
import type { TaskId } from '../../core/ids.ts';
import type { CommentEntry, OutcomeEntry, ProgressEntry } from '../../core/task/body/entries.ts';
import type { Question } from '../../core/task/body/questions.ts';
import type { OwnStatuses, Status } from '../../core/task/status.ts';
import type { Task } from '../../core/task/task.ts';
import type {
  Field,
  Profile,
  RemoteAct,
  RemoteChange,
  RemoteComment,
  RemoteTask,
} from '../../providers/provider.ts';
import type { MirrorRow } from '../../store/ledger/mirrors/mirrors.ts';

/** The fields that are merged, as both a file's side and a change name them. */
export type LocalKey = keyof RemoteChange;

/** A task file as sync sees it. A title that a person took out says nothing. References stand as written. */
export interface LocalSide extends Omit<Pick<Task, Extract<LocalKey, keyof Task>>, 'status'> {
  status: string; // The word that stands there: a status, or one of the room's own.
  class: Status;
  id: TaskId;
  path: string;
  hash: string; // Of the whole text.
  /** Between the body markers, `\n` line ends; null when the markers are gone: then it says nothing. */
  body: string | null;
  remote: string | null;
  paused: boolean;
  assignees: string[];
  comments: CommentEntry[]; // Comment entries, and questions under their marks: both go up as comments.
  questions: Question[];
  progress: ProgressEntry[];
  outcome: OutcomeEntry[];
  notes: string; // Contents of sections that are pushed only when named; '' when empty.
  steps: string;
}

export type RemoteFields = Omit<RemoteTask, 'comments'>;

/** What the fields of a file said when both sides agreed. */
export type LocalFields = Pick<LocalSide, LocalKey>;

/** A comment both sides know. Each side is compared with its own hash: a rewriting tracker changes nothing here. */
export interface KnownComment {
  remote: string; // Hash of the text upstream.
  text: string; // Hash of the text in the file's entry.
  /** Written from here: the local id of its entry, `#progress` and its like; null for what others wrote. */
  local: string | null;
  deleted: boolean; // Deleted upstream; its entry says so.
  at?: number; // Of a question of ours: when it was posted, epoch ms on the tracker's clock.
}

/** Sections that go up as comments of ours. */
export const SENT_SECTIONS = ['notes', 'steps', 'progress', 'outcome'] as const;
export type SentSection = (typeof SENT_SECTIONS)[number];

/** A section's comment, which is edited in place. */
export interface SectionComment {
  id: string;
  hash: string; // Hash of the text we sent.
  at: number; // When we sent it, epoch ms on our clock: only ever compared with our clock.
  entries: string[]; // Hashes of the entries in it.
  before: string[]; // Hashes of the entries that earlier, sealed comments hold: left out of this one.
  sealed: boolean; // Outcome: the task was finished with it; a later outcome becomes another comment.
  ordinal: number; // Counts such comments of this mirror, from 0: part of the idempotency key.
}

/** What both sides last agreed on. */
export interface Base {
  remote: RemoteFields;
  /** The file's own words: they may differ from the tracker's and mean the same (a rewriting, a cut, another case). */
  local: LocalFields;
  comments: Record<string, KnownComment>; // By remote id.
  own: Partial<Record<SentSection, SectionComment>>;
  name: string; // File name we gave, without `.md`: while the file has it, it follows the title.
  gate: string | null; // Why the gate is closed: whose words wait for a person; null when it is open.
}

/** A text that lost a conflict. */
export interface Loss {
  field: Field;
  side: 'local' | 'remote';
  text: string;
  entry?: string; // Of a comment entry: its id in the file, and its words alone.
  words?: string;
  isRestored?: true; // It came from an earlier version of the file that was restored.
}

export type Answer = { question: string; comment: RemoteComment };

/** What is to be written into the file; absent keys stay as they are. */
export interface LocalChange extends Partial<Omit<LocalFields, 'title' | 'body'>> {
  title?: string;
  body?: string;
  milestone?: string | null;
  type?: string | null;
  project?: string[] | null;
  remote?: string; // Puts `remote:` back.
  paused?: true; // Pauses the task.
  newComments: readonly RemoteComment[];
  answers: readonly Answer[];
  /** Entries whose comment was edited or deleted upstream. */
  editedComments: readonly { entry: string; text: string }[];
  notes: readonly string[]; // Lines for Notes, where they do not stand there yet.
}

/** A comment to send. `key` makes it one, however often it is tried. */
export type CommentPush =
  | { kind: 'entry'; key: string; entry: string; text: string; hash: string }
  | { kind: 'edit'; key: string; id: string; entry: string; text: string; hash: string }
  | { kind: SentSection; key: string; id: string | null; text: string; own: Omit<SectionComment, 'id'> };

export interface MirrorPlan {
  local: LocalChange | null; // Null: the file stays as it is.
  base: Base; // The base once `local` is in the file.
  push: RemoteChange | null; // Null: nothing to write upstream.
  comments: CommentPush[];
  losses: Loss[];
  skipped: { field: Field; why: string }[]; // What could not be done, and why; one sentence each.
  heard: RemoteComment[]; // Comments of trusted people that are new: they ask for a turn.
  dueAt: number | null; // When a push that has to wait (Progress goes up once a minute) may go, epoch ms.
  /** A comment with a key of this room's that this room did not send: a copy of it syncs the same source. */
  stranger: string | null;
  held: boolean; // A turn is running: its end, and its Outcome, are sent when it is over.
}

export interface PlanInput {
  base: Base | null; // Null: linked and never agreed.
  local: LocalSide;
  remote: RemoteTask | null; // What upstream says; null when it was not asked and `base.remote` still counts.
  config: MirrorConfig;
  profile: Profile;
  provider: string;
  statuses: OwnStatuses; // The room's own.
  taskOf(ref: string): TaskId | null; // Remote ref ⇄ task id of every mirror of this provider.
  refOf(task: string): string | null;
  posted: ReadonlySet<string>; // Ids of comment entries that our own tools wrote: only those are sent.
  room: string; // The room's own id: part of the keys of its comments.
  intended: ReadonlySet<string>; // Keys of comments that were begun and whose answer is not on record.
  /** Who edited or reopened the issue since the base; null where nobody asked, or nobody can tell. */
  acts: readonly RemoteAct[] | null;
  /** An earlier version in the file's place. `undone`: fields and `comments` from upstream since; `proved`: no editor made it. */
  restored: { local: LocalFields; undone: readonly string[]; proved: boolean } | null;
  running: boolean; // A turn of the task is running: its Outcome is not final.
  /** The tracker shows the work in a session: questions, Progress and Outcome are said there. */
  inSession: boolean;
  savedAt: number; // When the file was saved last, epoch ms; asked only for `prefer: newest`.
  now: number;
}

export const baseOf = (row: Pick<MirrorRow, 'base'>): Base | null =>
  row.base === null ? null : (JSON.parse(row.base) as Base);
