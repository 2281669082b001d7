// One task as the operations take, show and change it.
import type { ListedFacts, ListedTask } from '../../core/task/listed-line.ts';

/** One row of a list. `id` is null until the runtime has given one, `updated` as written, else when its file was changed last. */
export interface TaskView extends ListedTask, ListedFacts {
  /** It lies in the archive. */
  archived?: true;
  /** Its file is gone: this is what the attic or the history kept of it. */
  deleted?: true;
}

export type { Changed, Removed } from '../shapes/changed.ts';
export type { NewTask } from '../shapes/new-task.ts';
