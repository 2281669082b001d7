// The refusal of an index that nothing has. It repeats the number that was given: from 0 in JSON and tools, from 1 on the command line.
import { isRoomError, RoomError } from './errors.ts';

type Counted = 'step' | 'resource';

/** @param index from 0. @param has how many there are */
export function noSuchIndex(what: Counted, index: number, has: number): RoomError {
  return refusal(what, index, has === 0 ? 'the task has none' : `the task has ${has}`, 0);
}

/** The same for a caller who counts from 1; any other error as it is. */
export function countedFromOne(error: unknown): unknown {
  if (!isRoomError(error, 'not_found')) return error;
  const [, what, index, has] = /^there is no (step|resource) (\d+); (.*)$/.exec(error.message) ?? [];
  return what === undefined ? error : refusal(what as Counted, Number(index) + 1, has!, 1);
}

function refusal(what: Counted, number: number, has: string, first: 0 | 1): RoomError {
  return new RoomError('not_found', `there is no ${what} ${number}; ${has}`, {
    hint: `${what}s count from ${first}`,
  });
}
