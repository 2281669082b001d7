// Lists of tasks and the room at a glance, as the operations answer them.
import type { Problem } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import type { Spent } from '../../core/rules/budget.ts';
import type { Wait } from '../../core/rules/stand-in.ts';
import type { WhyNot } from '../../core/rules/why-not.ts';
import type { Priority } from '../../core/task/priority.ts';
import type { Status } from '../../core/task/status.ts';
import type { TaskView } from './task-shapes.ts';

export const SORT_KEYS = ['due', 'priority', 'status', 'name', 'finished'] as const;

export type SortKey = (typeof SORT_KEYS)[number];

export interface ListFilter {
  status?: Status[];
  owner?: string;
  label?: string;
  sprint?: string;
  /** By its name, with or without folder and `.md`. */
  artifact?: string;
  scope?: string;
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
  /** How many things need the person: see `inbox`. */
  inbox: number;
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
  /** How many they are. */
  count: number;
  chunks: Iterable<string>;
  /** The chunks in UTF-8, where they are kept so: each is the same object as long as nothing of it changed. Read once, instead. */
  bytes?: Iterable<Uint8Array>;
  invalid: TaskList['invalid'];
  odd: TaskList['odd'];
}
