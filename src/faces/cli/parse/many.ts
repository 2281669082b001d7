// Which of many tasks a command means: a filter, given by options.
import { RoomError } from '../../../core/errors.ts';
import type { ListFilter } from '../../../tasks/contract/operations.ts';
import type { Call, OptionSpec } from '../command.ts';
import { readPriority } from './priority.ts';

const TEXTS = ['owner', 'label', 'sprint', 'artifact', 'scope', 'parent'] as const;

export const MANY_OPTIONS: readonly OptionSpec[] = [
  { flags: '--owner <agent>', about: 'only tasks of this agent' },
  { flags: '--label <label>', about: 'only tasks with this label' },
  { flags: '--sprint <sprint>', about: 'only tasks of this sprint' },
  { flags: '--artifact <name>', about: 'only tasks linked to this document in artifacts/' },
  { flags: '--scope <scope>', about: 'only tasks of this set' },
  { flags: '--parent <task>', about: 'only subtasks of this task' },
  {
    flags: '--priority <priority>',
    about: 'only these: high, medium, low; a comma list, or repeated',
    many: true,
  },
];

/** @throws RoomError `bad_input` */
export function readMany({ options }: Call): ListFilter {
  const filter: ListFilter = {};
  for (const key of TEXTS) {
    const value = options.text(key);
    if (value !== null) filter[key] = value;
  }
  const priority = options.texts('priority').map(readPriority);
  if (priority.length > 0) filter.priority = priority;
  return filter;
}

/** A filter without the option that makes it count is a slip. @throws RoomError `bad_input` */
export function refuseFilter(call: Call, option: string): void {
  const given = Object.keys(readMany(call))[0];
  if (given === undefined) return;
  throw new RoomError('bad_input', `--${given} says which of many tasks are meant`, {
    hint: `it goes with ${option}`,
  });
}
