// Workers on other machines as lines of a terminal.
import type { WorkerJson } from '../../../tasks/shapes/turn.ts';
import type { Paint } from '../paint.ts';
import { cleanLine } from './display-text.ts';
import { clockTime } from './time-text.ts';

const NAME_CELLS = 20;

/** `● build-2   2 of 4 slots  coder, tester  0.1.0`; one that is silent says since when. */
export function workerLine(worker: WorkerJson, paint: Paint): string {
  const { name, slots, agents, live, turns, version, seen_at, trouble } = worker;
  const glyph =
    live && trouble !== null ? paint('yellow', '!') : live ? paint('green', '●') : paint('dim', '○');
  const what = agents.length === 0 ? 'can run no agent' : agents.map(cleanLine).join(', ');
  const seen = live
    ? trouble === null
      ? ''
      : `, takes no turns: ${cleanLine(trouble)}`
    : `, not seen since ${clockTime(Date.parse(seen_at ?? ''))}`;
  const has = `${turns.length} of ${slots} slots`;
  return `${glyph} ${cleanLine(name).padEnd(NAME_CELLS)} ${has}  ${what}  ${paint('dim', `${version}${seen}`)}`;
}

/** Where a turn runs; '' for one that runs beside the room. */
export function placeText(place: string | null | undefined): string {
  if (place === undefined) return '';
  return place === null ? 'waits for a worker' : `at ${cleanLine(place)}`;
}
