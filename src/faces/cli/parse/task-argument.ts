// The description of a task argument, the same for every command.
import type { ArgumentSpec } from '../command.ts';

/** May be left out inside a turn. */
export const TASK: ArgumentSpec = {
  name: 'task',
  about: 'id, unique prefix of an id, file name or title; inside a turn it may be left out',
  optional: true,
};

/** One task or several. */
export const TASKS: ArgumentSpec = {
  name: 'task',
  about:
    'one or more, each by id, unique prefix of an id, or file name; inside a turn its own may be left out',
  optional: true,
  many: true,
};
