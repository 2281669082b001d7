// The description of a task argument, the same for every command.
import type { ArgumentSpec } from '../command.ts';

/** May be left out inside a turn. */
export const TASK: ArgumentSpec = {
  name: 'task',
  about: 'id, unique prefix of an id, file name or title; inside a turn it may be left out',
  optional: true,
};
