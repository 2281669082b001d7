// What one task file says: the facts every layer works with. Made by `readTask` (read-task.ts) from the
// file's text alone; nothing here knows the ledger, so the same bytes always give the same Task.
import type { Budget } from '../config/budget.ts';
import type { Problem } from '../errors.ts';
import type { TaskId } from '../ids.ts';
import type { Status } from './status.ts';

export const PRIORITIES = ['high', 'medium', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** One line of `## Steps` (S2). `task` is the linked subtask's id. */
export interface Step {
  title: string;
  details: string;
  done: boolean;
  task: string | null;
}

export interface Resource {
  kind: 'url' | 'file';
  value: string;
  label: string | null;
}

/** One question of an agent's, as far as it bears on what the task waits for. */
export interface TaskQuestion {
  key: string;
  author: string;
  /** `YYYY-MM-DD HH:MM` in UTC. */
  at: string;
  /** On one line, at most 300 characters. */
  text: string;
  /** Hash of all its answers; null while it is open. */
  answer: string | null;
  /** Ids of the answers that a tool or a mirror wrote. */
  answerIds: string[];
  /** Hash of what was typed below it by hand; null for nothing. */
  typed: string | null;
}

export interface Task {
  /** Path inside the room with forward slashes: `tasks/Fix the build.md`. */
  path: string;
  /** File name without `.md`: the human-facing name (T4). */
  name: string;
  /** Null until the runtime has written one. */
  id: TaskId | null;
  /** `title:`, when the file has one. */
  title: string | null;
  status: Status;
  paused: boolean;
  requester: string;
  /** Agent id, null when the room's `default_agent` takes it. */
  owner: string | null;
  priority: Priority | null;
  /** Task references as written: an id, `task:<id>`, `task:local:<id>` or a name. */
  blockedBy: string[];
  parent: string | null;
  labels: string[];
  sprint: string | null;
  artifact: string | null;
  scope: string | null;
  sort: number | null;
  due: string | null;
  activeForm: string | null;
  created: string | null;
  createdBy: string | null;
  completedBy: string | null;
  updated: string | null;
  /** What it may use before it is paused; null where its file names none. */
  budget: Budget | null;
  /** `remote:` of a mirrored task. */
  remote: string | null;
  steps: Step[];
  resources: Resource[];
  /** `checks:` as it stands in the file, whoever wrote it; absent where there are none. */
  checks?: string[];
  /** What agents asked here, answered or not; absent where there is nothing. */
  questions?: TaskQuestion[];
  /** Hash of what the requester says (DESIGN.md §3.3). */
  revision: string;
  /** Hash of the whole text. */
  hash: string;
  /** Keys that look mistyped, and text that stands where it starts nothing; absent where there is neither. */
  oddKeys?: Problem[];
}

/** A file that can't be read as a task. Shown with its place; nothing is scheduled for it. */
export interface InvalidFile {
  path: string;
  problems: Problem[];
  /** Its status says `deleted`: nobody is shown it, and whoever observes it moves it to the attic. */
  deleted?: true;
}

export type TaskReading = { ok: true; task: Task } | { ok: false; invalid: InvalidFile };
