// What one task file says: the facts every layer works with. Made by `readTask` (read-task.ts) from the
// file's text alone; nothing here knows the ledger, so the same bytes always give the same Task.
import type { Problem } from '../errors.ts';
import type { KeyValues } from './task-keys.ts';

export type { Resource } from './key-kinds.ts';

/** One line of `## Steps` (S2). `task` is the linked subtask's id. */
export type Step = { title: string; details: string; done: boolean; task: string | null };

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

/** `checks` as they stand in the file, whoever wrote them, are absent where there are none. */
export interface Task extends Omit<KeyValues, 'checks'>, Partial<Pick<KeyValues, 'checks'>> {
  /** Path inside the room with forward slashes: `tasks/Fix the build.md`. */
  path: string;
  /** File name without `.md`: the human-facing name (T4). */
  name: string;
  steps: Step[];
  /** The status of the room's own that stands in the file; `status` is what it counts as. */
  ownStatus?: string;
  /** What agents asked here, answered or not; absent where there is nothing. */
  questions?: TaskQuestion[];
  /** Hash of what the requester says (DESIGN.md §3.3). */
  revision: string;
  /** Hash of the whole text. */
  hash: string;
  /** Its text has blocks that a runbook runs; absent where it has none. */
  hasRunBlocks?: true;
  /** Keys that look mistyped, and text that stands where it starts nothing; absent where there is neither. */
  oddKeys?: Problem[];
}

/** A file that can't be read as a task. Shown with its place; nothing is scheduled for it. */
export interface InvalidFile {
  path: string;
  problems: Problem[];
  /** Its status says `deleted`: no list shows it, and the observer moves it to the trash. */
  deleted?: true;
}

export type TaskReading = { ok: true; task: Task } | { ok: false; invalid: InvalidFile };
