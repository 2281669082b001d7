// Every operation on tasks, once, with permission and validation: the faces are thin over this interface.
// Implemented by `createOperations` (tasks/create-operations.ts).
import type { Budget } from '../core/config/budget.ts';
import type { TurnContext } from '../core/context/context-shape.ts';
import type { Problem } from '../core/errors.ts';
import type { TaskId, TurnId } from '../core/ids.ts';
import type { Spent } from '../core/rules/budget.ts';
import type { Wait } from '../core/rules/stand-in.ts';
import type { WhyNot } from '../core/rules/why-not.ts';
import type { Status } from '../core/task/status.ts';
import type { Priority, Resource, Step } from '../core/task/task.ts';
import type { HistoryLine } from '../store/history.ts';
import type { Notice } from '../store/ledger/notices.ts';
import type { TurnFilter, TurnRecord } from '../store/ledger/turns.ts';
import type { Skipped } from '../store/scan.ts';
import type { ChecksView } from './checks-view.ts';
import type { Actor } from './task-room.ts';

export type { HistoryLine } from '../store/history.ts';
export type { Notice } from '../store/ledger/notices.ts';
export type { TurnRecord } from '../store/ledger/turns.ts';

/** One row of a list. `id` is null until the runtime has given one. */
export interface TaskView {
  id: TaskId | null;
  name: string;
  title: string | null;
  path: string;
  status: Status;
  paused: boolean;
  /** Derived: an open task with a blocker that is not done. */
  blocked: boolean;
  blockedBy: string[];
  /** The turn that runs now. */
  running: TurnId | null;
  /** A turn is asked for. */
  pending: boolean;
  held: boolean;
  /** When a failed turn is tried again, epoch ms. */
  retryAt: number | null;
  /** Its turn is asked for and waits until then, epoch ms, for its agent's usage limit or a budget of the day. */
  parkedUntil: number | null;
  /** Its last turn ended well and wrote nothing into the file, and it is still open. */
  nothingWritten: boolean;
  /** As written; null for the room's default agent. */
  owner: string | null;
  requester: string;
  priority: Priority | null;
  labels: string[];
  sprint: string | null;
  parent: string | null;
  due: string | null;
  /** It lies in the archive. */
  archived?: true;
  /** When it was seen to be done or canceled, epoch ms; null for an open one, or when the ledger does not know. */
  finishedAt: number | null;
  activeForm: string | null;
  steps: { done: number; total: number };
}

export const SORT_KEYS = ['due', 'priority', 'status', 'name', 'finished'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export interface ListFilter {
  status?: Status[];
  owner?: string;
  label?: string;
  sprint?: string;
  /** Tasks without one are of medium priority. */
  priority?: Priority[];
  /** A reference: only its subtasks. */
  parent?: string;
  /** Words that name, title or text hold, case ignored; the archive is looked through too. */
  text?: string;
  /** In this order instead of that of `sort:`, priority and path. */
  sort?: SortKey;
  /** At most this many. */
  limit?: number;
  /** Only tasks a turn could start on now (or is running on). */
  ready?: boolean;
}

export interface TaskList {
  /** Why open tasks have no turn now, by path, where a person has to do something about it. */
  whyNot?: ReadonlyMap<string, WhyNot>;
  tasks: TaskView[];
  /** Files that can't be read as tasks. */
  invalid: { path: string; problems: Problem[] }[];
  /** Files with keys that look like a known one mistyped. */
  odd: { path: string; problems: Problem[] }[];
}

/** A task as far as its name. */
export interface NamedTask {
  id: TaskId | null;
  name: string;
  path: string;
}

/** An agent, or the room (null), whose turns wait. */
export interface WaitingAgent extends Wait {
  agent: string | null;
  /** Who takes its turns meanwhile. */
  takenBy: string | null;
  /** How many tasks wait for it. */
  tasks: number;
}

/** A room at a glance. */
export interface Overview {
  /** Of the files that can be read. */
  counts: Record<Status, number>;
  invalid: TaskList['invalid'];
  /** A turn is asked for and none runs. */
  pending: NamedTask[];
  held: NamedTask[];
  /** The soonest first; epoch ms. */
  retries: (NamedTask & { retryAt: number })[];
  /** The room first. */
  waiting: WaitingAgent[];
  /** What the turns that began today used. */
  today: Spent;
  /** Due, but for want of an agent. */
  stuck: (NamedTask & { whyNot: WhyNot })[];
}

/** A {@link TaskList} with its tasks as JSON text: joined, the chunks are the members of an array. */
export interface ListText {
  chunks: Iterable<string>;
  invalid: TaskList['invalid'];
  odd: TaskList['odd'];
}

export interface TaskDetail extends TaskView {
  stepList: Step[];
  resources: Resource[];
  /** The whole file. */
  text: string;
  body: string;
  blockers: { ref: string; name: string | null; status: Status | null }[];
  subtasks: { id: string; name: string; status: Status; owner: string | null }[];
  comments: { author: string; role: string | null; at: string; text: string }[];
  /** Newest first, at most 5. */
  turns: TurnRecord[];
  attempts: number;
  /** What its turns used since it began, or was last resumed. */
  used: Spent;
  /** What it may use before it is paused. */
  budget: Budget | null;
  /** Why it has no turn now, and what would change that; null when nothing stands in the way. */
  whyNot: WhyNot | null;
  /** The issue it mirrors; null for a local task. */
  remote: RemoteSide | null;
  /** Null for a task that no check is asked of. */
  checks: ChecksView | null;
}

/** What is known here of a mirrored task's issue. */
export interface RemoteSide {
  /** `github:acme/web#12`. */
  ref: string;
  url: string | null;
  /** The chore that governs the mirror; null when nothing follows it any more, or not yet. */
  chore: string | null;
  /** As in `taskroom mirrors`; null without a chore. */
  state: string | null;
  message: string | null;
}

export interface NewTask {
  name: string;
  /** Goes under `## Task`. */
  body?: string;
  title?: string;
  status?: Status;
  owner?: string;
  requester?: string;
  priority?: Priority;
  labels?: string[];
  blockedBy?: string[];
  parent?: string;
  sprint?: string;
}

export interface Changed {
  id: TaskId;
  name: string;
  path: string;
  /** False when the file already said so. */
  changed: boolean;
  /** What it says now, where that matters to whoever asked. */
  status?: Status;
  paused?: boolean;
  /** The status was left alone: the task was edited during the turn that says done, and one more turn follows. */
  deferred?: boolean;
  /** The file says done, which counts when the turn that runs is over and these shell commands pass. */
  awaitsChecks?: string[];
  /** Nothing runs the room now: it is written down, and done when something does. Then `id` is null and `path` ''. */
  later?: boolean;
}

export interface StatusOptions {
  /** Appended in the same write. */
  outcome?: string;
  /** A person's word that it is done whatever its checks would say, and why. */
  withoutChecks?: string;
  /** Leaves a task of any other status as it is. */
  onlyIf?: Status;
  /** Leaves a task that is not over as it is. */
  onlyFinished?: boolean;
}

/** `id` is null for a file that never had one. */
export interface Removed extends Omit<Changed, 'id'> {
  id: TaskId | null;
  /** Where the file lies now, relative to the room. */
  attic: string;
}

/** References are an id, a unique prefix of one, or a file name. All throw RoomError `not_found` / `ambiguous`. */
export interface Operations {
  list(filter?: ListFilter): Promise<TaskList>;
  /** The whole list as JSON text, in half the time; null where only `list` can tell. */
  listAsJson(): Promise<ListText | null>;
  /** How many tasks of each status there are, and those that wait for their turn. */
  overview(): Promise<Overview>;
  show(ref: string): Promise<TaskDetail>;
  /** Names of the files in tasks/, none of them opened: for completions. */
  names(): Promise<string[]>;
  /** @throws RoomError `conflict` when the file exists, `bad_input` for a name no file can have or an unknown owner (S5) */
  create(task: NewTask, actor: Actor): Promise<Changed>;
  /** Sets front matter keys; an empty value removes the key. @throws RoomError `bad_input` naming the allowed values,
   * and without `force` for an unknown key that looks like a known one mistyped */
  set(
    ref: string,
    changes: Readonly<Record<string, string>>,
    actor: Actor,
    options?: { force?: boolean },
  ): Promise<Changed>;
  /** done, canceled, todo (reopen), … @throws RoomError `not_allowed` when an agent reopens (S4) */
  setStatus(ref: string, status: Status, actor: Actor, options?: StatusOptions): Promise<Changed>;
  pause(ref: string, actor: Actor, reason?: string): Promise<Changed>;
  resume(ref: string, actor: Actor): Promise<Changed>;
  /** Moves the file to the attic, readable or not. */
  remove(ref: string, actor: Actor): Promise<Removed>;
  /** Moves a finished task to archive/YYYY-MM/. @throws RoomError `refused` for an open one */
  archive(ref: string, actor: Actor): Promise<Changed>;
  /** Asks for a turn. @throws RoomError `refused` when it stands still (paused, blocked, draft, finished) and `force` is not set */
  run(
    ref: string,
    options: { force?: boolean },
    actor: Actor,
  ): Promise<{ id: TaskId; name: string; daemon: boolean }>;
  /** Releases held tasks. */
  release(): Promise<{ released: number; daemon: boolean }>;
  comment(ref: string, text: string, actor: Actor, key?: string): Promise<Changed>;
  progress(ref: string, text: string, actor: Actor, key?: string): Promise<Changed>;
  /** As `progress`, for what the runtime or a program said: it stays in the file. */
  note(ref: string, text: string, actor: Actor, key?: string): Promise<Changed>;
  outcome(ref: string, text: string, actor: Actor, key?: string): Promise<Changed>;
  /** As `outcome`, for what a program printed: it stays in the file. */
  printed(ref: string, text: string, actor: Actor, key?: string): Promise<Changed>;
  /** `index` from 0. */
  setStep(ref: string, index: number, done: boolean, actor: Actor): Promise<Changed>;
  addStep(ref: string, title: string, actor: Actor, details?: string): Promise<Changed>;
  /** S10: refuses to drop a linked step. */
  setSteps(ref: string, steps: Step[], actor: Actor): Promise<Changed>;
  history(options: { limit?: number; ref?: string }): Promise<HistoryLine[]>;
  /** What an agent would get: T7's context and the built-in prompt. */
  context(ref: string): Promise<{ context: TurnContext; prompt: string }>;
  turns(filter: Omit<TurnFilter, 'thread'> & { ref?: string }): Promise<TurnRecord[]>;
  /** Records that the person saw how these turns ended (B7). */
  markTold(turns: readonly TurnId[]): Promise<void>;
  /**
   * Tells the person something that can't wait for them to look at the task: shown in the log and by `status`, and sent
   * by the ways that `notify:` in room.yaml names. The same key again tells nothing.
   * @throws RoomError `bad_input` for an empty or long text, `refused` when its turn has told enough
   */
  notify(text: string, actor: Actor, about?: { ref?: string; key?: string }): Promise<Notice>;
  /** What was told, newest first. */
  notices(filter: { untold?: boolean; limit?: number }): Promise<(Notice & { name: string | null })[]>;
  /** Records that the person saw them. */
  markNoticesTold(seqs: readonly number[]): Promise<void>;
  /** By id, unique prefix, or a task's reference: its newest turn. */
  turn(ref: string): Promise<TurnRecord>;
  /** Reads a turn's output from a byte offset (B3); `text` is at most `limit` bytes. */
  output(turn: TurnId, offset: number, limit?: number): Promise<{ text: string; next: number; size: number }>;
  /** Kills a running turn (by turn or task). @throws RoomError `refused` when nothing runs */
  kill(ref: string, actor: Actor): Promise<TurnRecord>;
  /** Files in tasks/ that are passed over, and why. */
  skipped(): Promise<Skipped[]>;
}
