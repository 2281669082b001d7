// Which task a call means, and the text it was handed; inside a turn (TASKROOM_TASK) the task may be left out.
import { RoomError } from '../../../core/errors.ts';
import type { RoomClient } from '../../../runtime.ts';
import type { Call } from '../command.ts';
import type { Terminal } from '../terminal.ts';

/**
 * Refuses what only a person may do to the room as a whole, inside a turn of it.
 * @param what `stop`, `run`
 * @throws RoomError `not_allowed`
 */
export function refuseInsideTurn({ caller }: RoomClient, what: string): void {
  if (caller.kind !== 'agent') return;
  throw new RoomError('not_allowed', `turn ${caller.turn} can't ${what} the room it runs in`, {
    hint: 'ask the person to',
  });
}

/** The task named first, or this turn's own. @throws RoomError `bad_input` */
export function taskOf({ words, terminal }: Call): string {
  return words[0] ?? ownTask(terminal);
}

function ownTask({ env }: Terminal): string {
  if (env.TASKROOM_TASK) return env.TASKROOM_TASK;
  throw new RoomError('bad_input', 'no task was given', { hint: 'give its id or name; see: taskroom list' });
}

/** A text from the command line, or all of stdin for `-`. @throws RoomError `bad_input` for an empty one */
export async function readText(word: string, terminal: Terminal): Promise<string> {
  const text = (word === '-' ? await terminal.readInput() : word).replace(/\s+$/, '');
  if (text !== '') return text;
  throw new RoomError('bad_input', 'the text is empty', {
    hint: 'give some words, or - to read them from stdin',
  });
}
