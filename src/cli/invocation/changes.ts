// What commands that change a task share: the task that is meant, a text from stdin, and the lines about a change.
import type { RoomClient } from '../../app/open-room.ts';
import { isRoomError, RoomError } from '../../core/errors.ts';
import type { Changed } from '../../tasks/shapes/change.ts';
import type { Call } from '../command.ts';
import { cleanLine } from '../lines/display-text.ts';
import type { Terminal } from '../terminal.ts';

/** Refuses inside a turn what only a person may do to the room. @param what `stop` @throws RoomError `not_allowed` */
export function refuseInsideTurn({ caller }: RoomClient, what: string): void {
  if (caller.kind !== 'agent') return;
  const hint = 'ask the person to';
  throw new RoomError('not_allowed', `turn ${caller.turn} can't ${what} the room it runs in`, hint);
}

/** The task of the first word; inside a turn its own by default. @throws RoomError `bad_input` */
export function taskOf({ words, terminal }: Call): string {
  const named = words[0] ?? terminal.env.TASKROOM_TASK;
  if (named) return named;
  throw new RoomError('bad_input', 'no task was given', { hint: 'give its id or name; see: taskroom list' });
}

/** The word itself, or all of stdin for `-`. @throws RoomError `bad_input` for an empty text */
export async function readText(word: string, terminal: Terminal): Promise<string> {
  const text = (word === '-' ? await terminal.readInput() : word).replace(/\s+$/, '');
  if (text !== '') return text;
  throw new RoomError('bad_input', 'the text is empty', 'give some words, or - to read them from stdin');
}

/** Prints a change: a line for a person, or JSON. @param said follows the task's name: "is done" */
export function tellChange(
  { json, terminal, paint }: Call,
  changed: Omit<Changed, 'id'> & { id: string | null },
  said: string,
): void {
  if (json) return terminal.write(`${JSON.stringify(changed)}\n`);
  if (changed.later) return terminal.write('· written down; it is carried out when the room runs again\n');
  const named = `${cleanLine(changed.title ?? changed.name)} ${paint('dim', changed.id ?? '')}`;
  if (changed.deferred)
    return terminal.write(
      `· ${named} was edited during this turn: it stays open, and one more turn follows\n`,
    );
  if (changed.awaits_checks !== undefined)
    return terminal.write(
      `· ${named} says done; it counts when its turn is over and this passes: ${changed.awaits_checks.map(cleanLine).join(' · ')}\n`,
    );
  const sign = changed.changed ? paint('green', '✓') : paint('dim', '·');
  const unchanged = changed.changed ? '' : paint('dim', ' (as before)');
  terminal.write(`${sign} ${named} ${said}${unchanged}\n`);
  for (const { who, what, how } of changed.unreached ?? [])
    terminal.write(
      `  it stays in the file and will not reach ${cleanLine(who)}: ${cleanLine(what)}; ${cleanLine(how)}\n`,
    );
}

/** The client that syncs these chores: the daemon's where this shell lacks a token. @param chores none for all sources */
export async function tasksFor(call: Call, runtime: RoomClient, chores: readonly string[]) {
  const { openDaemon, terminal } = call;
  const lacks = await runtime.here?.lacks(chores);
  if (!lacks) return runtime.tasks;
  // A daemon that refuses leaves the command to fail here.
  const daemon = await openDaemon().catch((error: unknown) => {
    if (isRoomError(error)) return null;
    throw error;
  });
  if (daemon === null) return runtime.tasks;
  const { what, chore } = lacks;
  terminal.writeError(`this shell lacks ${what} for ${chore}: the daemon that runs here does it\n`);
  return daemon.tasks;
}
