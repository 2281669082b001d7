// What planning works on: both sides of a mirror as they are now, what they last agreed on, and the plan. Plain data.
import type { MirrorConfig } from '../../core/chore/chore.ts';
import type { TaskId } from '../../core/ids.ts';
import type { CommentEntry, OutcomeEntry, ProgressEntry } from '../../core/task/body/entries.ts';
import type { Question } from '../../core/task/body/questions.ts';
import type { OwnStatuses } from '../../core/task/status.ts';
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
  /** The word that stands there: a status, or one of the room's own. */
  status: string;
  isOver: boolean;
  isCanceled: boolean;
  id: TaskId;
  path: string;
  /** Of the whole text. */
  hash: string;
  /** Between the body markers, `\n` line ends; null when the markers are gone: then it says nothing. */
  body: string | null;
  remote: string | null;
  paused: boolean;
  assignees: string[];
  /** Comment entries, and questions under their marks: both go up as comments. */
  comments: CommentEntry[];
  questions: Question[];
  progress: ProgressEntry[];
  outcome: OutcomeEntry[];
  /** Contents of sections that are pushed only when named; '' when empty. */
  notes: string;
  steps: string;
}

/** A remote task without its comments: what the base keeps of it. */
export type RemoteFields = Omit<RemoteTask, 'comments'>;

/** What the fields of a file said when both sides agreed. */
export type LocalFields = Pick<LocalSide, LocalKey>;

/** A comment both sides know. Each side is compared with its own hash: a rewriting tracker changes nothing here. */
export interface KnownComment {
  /** Hash of the text upstream. */
  remote: string;
  /** Hash of the text in the file's entry. */
  text: string;
  /** Written from here: the local id of its entry, `#progress` and its like; null for what others wrote. */
  local: string | null;
  /** Deleted upstream; its entry says so. */
  deleted: boolean;
  /** Of a question of ours: when it was posted, epoch ms on the tracker's clock. */
  at?: number;
}

/** Sections that go up as comments of ours. */
export const SENT_SECTIONS = ['notes', 'steps', 'progress', 'outcome'] as const;
export type SentSection = (typeof SENT_SECTIONS)[number];

/** A section's comment, which is edited in place. */
export interface SectionComment {
  id: string;
  /** Hash of the text we sent. */
  hash: string;
  /** When we sent it, epoch ms on our clock: only ever compared with our clock. */
  at: number;
  /** Hashes of the entries in it. */
  entries: string[];
  /** Hashes of the entries that earlier, sealed comments hold: left out of this one. */
  before: string[];
  /** Outcome: the task was finished with it; a later outcome becomes another comment. */
  sealed: boolean;
  /** Counts such comments of this mirror, from 0: part of the idempotency key. */
  ordinal: number;
}

/** What both sides last agreed on. */
export interface Base {
  remote: RemoteFields;
  /** The file's own words: they may differ from the tracker's and mean the same (a rewriting, a cut, another case). */
  local: LocalFields;
  /** By remote id. */
  comments: Record<string, KnownComment>;
  own: Partial<Record<SentSection, SectionComment>>;
  /** File name we gave, without `.md`: while the file has it, it follows the title. */
  name: string;
  /** Why the gate is closed: whose words wait for a person; null when it is open. */
  gate: string | null;
}

/** A text that lost a conflict. */
export interface Loss {
  field: Field;
  side: 'local' | 'remote';
  text: string;
  /** Of a comment entry: its id in the file, and its words alone. */
  entry?: string;
  words?: string;
  /** It came from an earlier version of the file that was restored. */
  isRestored?: true;
}

/** A comment upstream that answers the question with this key. */
export interface Answer {
  question: string;
  comment: RemoteComment;
}

/** What is to be written into the file; absent keys stay as they are. */
export interface LocalChange extends Partial<Omit<LocalFields, 'title' | 'body'>> {
  title?: string;
  body?: string;
  milestone?: string | null;
  type?: string | null;
  /** Puts `remote:` back. */
  remote?: string;
  /** Pauses the task. */
  paused?: true;
  newComments: readonly RemoteComment[];
  answers: readonly Answer[];
  /** Entries whose comment was edited or deleted upstream. */
  editedComments: readonly { entry: string; text: string }[];
  /** Lines for Notes, where they do not stand there yet. */
  notes: readonly string[];
}

/** A comment to send. `key` makes it one, however often it is tried. */
export type CommentPush =
  | { kind: 'entry'; key: string; entry: string; text: string; hash: string }
  | { kind: 'edit'; key: string; id: string; entry: string; text: string; hash: string }
  | { kind: SentSection; key: string; id: string | null; text: string; own: Omit<SectionComment, 'id'> };

export interface MirrorPlan {
  /** Null: the file stays as it is. */
  local: LocalChange | null;
  /** The base once `local` is in the file. */
  base: Base;
  /** Null: nothing to write upstream. */
  push: RemoteChange | null;
  comments: CommentPush[];
  losses: Loss[];
  /** What could not be done, and why; one sentence each. */
  skipped: { field: Field; why: string }[];
  /** Comments of trusted people that are new: they ask for a turn. */
  heard: RemoteComment[];
  /** When a push that has to wait (Progress goes up once a minute) may go, epoch ms. */
  dueAt: number | null;
  /** A comment with a key of this room's that this room did not send: a copy of it syncs the same source. */
  stranger: string | null;
  /** A turn is running: its end, and its Outcome, are sent when it is over. */
  held: boolean;
}

export interface PlanInput {
  /** Null: linked and never agreed. */
  base: Base | null;
  local: LocalSide;
  /** What upstream says; null when it was not asked and `base.remote` still counts. */
  remote: RemoteTask | null;
  config: MirrorConfig;
  profile: Profile;
  provider: string;
  /** The room's own. */
  statuses: OwnStatuses;
  /** Remote ref ⇄ task id of every mirror of this provider. */
  taskOf(ref: string): TaskId | null;
  refOf(task: string): string | null;
  /** Ids of comment entries that our own tools wrote: only those are sent. */
  posted: ReadonlySet<string>;
  /** The room's own id: part of the keys of its comments. */
  room: string;
  /** Keys of comments that were begun and whose answer is not on record. */
  intended: ReadonlySet<string>;
  /** Who edited or reopened the issue since the base; null where nobody asked, or nobody can tell. */
  acts: readonly RemoteAct[] | null;
  /** An earlier version in the file's place. `undone`: fields and `comments` from upstream since; `proved`: no editor made it. */
  restored: { local: LocalFields; undone: readonly string[]; proved: boolean } | null;
  /** A turn of the task is running: its Outcome is not final. */
  running: boolean;
  /** The tracker shows the work in a session: questions, Progress and Outcome are said there. */
  inSession: boolean;
  /** When the file was saved last, epoch ms; asked only for `prefer: newest`. */
  savedAt: number;
  now: number;
}

export const baseOf = (row: Pick<MirrorRow, 'base'>): Base | null =>
  row.base === null ? null : (JSON.parse(row.base) as Base);
