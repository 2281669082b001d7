// Priorities as words of a command line.

import { unknownWord } from '../../../core/document/suggest.ts';
import { RoomError } from '../../../core/errors.ts';
import { PRIORITIES, type Priority } from '../../../core/task/priority.ts';

/** @throws RoomError `bad_input` with the known words */
export function readPriority(word: string): Priority {
  const found = PRIORITIES.find((priority) => priority === word.trim().toLowerCase());
  if (found !== undefined) return found;
  const { message, hint } = unknownWord('priority', word, PRIORITIES);
  throw new RoomError('bad_input', message, { hint });
}
