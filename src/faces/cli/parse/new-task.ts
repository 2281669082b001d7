// What a new task is, as the options of a command say it.
import type { NewTask } from '../../../tasks/contract/operations.ts';
import type { Call } from '../command.ts';
import { readPriority } from './priority.ts';

/** Those of `new` and `sub`; an option that a command does not have counts as not given. */
const TEXTS = ['title', 'owner', 'parent', 'sprint', 'scope'] as const;

/** @throws RoomError `bad_input` */
export function taskFromOptions(name: string, options: Call['options']): NewTask {
  const task: NewTask = { name };
  for (const key of TEXTS) {
    const value = options.text(key);
    if (value !== null) task[key] = value;
  }
  const priority = options.text('priority');
  if (priority !== null) task.priority = readPriority(priority);
  const labels = options.texts('label');
  if (labels.length > 0) task.labels = labels;
  const blockedBy = options.texts('blocked-by');
  if (blockedBy.length > 0) task.blockedBy = blockedBy;
  if (options.flag('draft')) task.status = 'draft';
  return task;
}
