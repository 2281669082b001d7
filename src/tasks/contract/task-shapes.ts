// One task as the operations take, show and change it.
import type { Problem } from '../../core/errors.ts';
import type { Spent } from '../../core/rules/budget.ts';
import type { WhyNot } from '../../core/rules/why-not.ts';
import type { ListedFacts, ListedTask } from '../../core/task/listed-line.ts';
import type { Status } from '../../core/task/status.ts';
import type { Step, Task } from '../../core/task/task.ts';
import type { ChecksView } from './checks-view.ts';
import type { QuestionView } from './question-shapes.ts';
import type { TurnView } from './turns.ts';

/** One row of a list. `id` is null until the runtime has given one, `updated` as written, else when its file was changed last. */
export interface TaskView extends ListedTask, ListedFacts {
  /** It lies in the archive. */
  archived?: true;
  /** Its file is gone: this is what the attic or the history kept of it. */
  deleted?: true;
}

export interface TaskDetail
  extends TaskView,
    Pick<Task, 'resources' | 'createdBy' | 'completedBy' | 'budget'> {
  stepList: Step[];
  /** The whole file. */
  text: string;
  body: string;
  blockers: { ref: string; name: string | null; status: Status | null }[];
  /** Those whose `parent:` it is, and those its steps are linked to. */
  subtasks: { id: string; name: string; status: Status; owner: string | null }[];
  /** The tasks that wait for it: the inverse of `blockedBy`. */
  blocks: { id: string; name: string; status: Status }[];
  comments: { author: string; role: string | null; at: string; text: string }[];
  /** In the order of the file. */
  questions: QuestionView[];
  /** Pending ones first, then the newest, at most 5; jobs among them. */
  turns: TurnView[];
  attempts: number;
  /** What its turns used since it began, or was last resumed. */
  used: Spent;
  /** Why it has no turn now, and what would change that; null when nothing stands in the way. */
  whyNot: WhyNot | null;
  /** What in its file starts nothing or is read as text, though whoever typed it may have meant more. */
  odd: Problem[];
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

export type { Changed, Removed } from '../shapes/changed.ts';
export type { NewTask } from '../shapes/new-task.ts';
