// Turns, what they used, the workers that run them, and what agents told the person, as lines of a terminal.
import type { RoomStatus } from '../../tasks/shapes/room.ts';
import type { SpentJson, TurnJson, WorkerJson } from '../../tasks/shapes/turn.ts';
import type { Paint } from '../paint.ts';
import { cleanLine, fit, plural, truncate } from './display-text.ts';
import { signOfTurn } from './glyphs.ts';
import type { ViewStyle } from './row.ts';
import { clockTime, dateTime, lengthOf } from './time-text.ts';

const NAME_CELLS = 32;

/** @param place where the turn runs */
export function turnLine(turn: TurnJson, { nowMs, paint, columns }: ViewStyle, place = '') {
  const from = Date.parse(turn.started_at ?? turn.asked_at!);
  const took = lengthOf((turn.ended_at === null ? nowMs : Date.parse(turn.ended_at)) - from);
  const [glyph, color] = signOfTurn(turn);
  const head = `  ${paint(color, glyph)} ${paint('dim', turn.id)}  ${dateTime(from)}  ${took.padStart(12)}  `;
  const used = 4 + turn.id.length + 2 + 16 + 2 + 12 + 2;
  const facts = [
    turn.limited_until === null
      ? turnEnd(turn)
      : `${turnEnd(turn)} until ${dateTime(Date.parse(turn.limited_until))}`,
    `@${cleanLine(turn.agent)}`,
    place,
    turn.attempt > 1 ? `attempt ${turn.attempt}` : '',
    turn.usage === null ? '' : usageText(turn.usage),
    cleanLine(turn.message ?? ''),
  ];
  const rest = `${fit(cleanLine(turn.description), NAME_CELLS)}  ${facts.filter(Boolean).join('  ')}`;
  return `${head}${truncate(rest, columns === null ? null : columns - used)}`.trimEnd();
}

/** Of which the machine did not sleep, ms. */
export function lengthOfTurn({ asked_at, started_at, ended_at, paused_ms }: TurnJson, nowMs: number): number {
  return (ended_at === null ? nowMs : Date.parse(ended_at)) - Date.parse(started_at ?? asked_at!) - paused_ms;
}

/** How a turn stands, in words: `running`, `completed`, `failed: timed out`. */
export function turnEnd({ state, reason }: Pick<TurnJson, 'state' | 'reason'>): string {
  if (reason === null || reason === 'ok') return state;
  return `${state}: ${reason.replaceAll('_', ' ')}`;
}

/** `12k tokens in, 340 out, $0.42`, without parts that are 0. */
export function usageText(used: Omit<SpentJson, 'turns' | 'seconds'>): string {
  const { input_tokens, output_tokens, cost_usd } = used;
  const isNone = input_tokens + output_tokens === 0;
  const tokens = isNone ? '' : `${short(input_tokens)} tokens in, ${short(output_tokens)} out`;
  const cost = cost_usd === null || cost_usd === 0 ? '' : `$${cost_usd.toFixed(2)}`;
  return [tokens, cost].filter(Boolean).join(', ');
}

/** `3 turns, 12 min 4 s, 12k tokens in, 340 out, $0.42`. */
export const spentText = ({ turns, seconds, ...usage }: SpentJson): string =>
  [plural(turns, 'turn'), lengthOf(seconds * 1000), usageText(usage)].filter(Boolean).join(', ');

/** `340`, `12k`, `1.2M`. */
function short(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return `${Math.round(count / 1_000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** `● build-2   2 of 4 slots  coder, tester  0.1.0`; one that is silent says since when. */
export function workerLine(worker: WorkerJson, paint: Paint): string {
  const { name, slots, agents, live, turns, version, seen_at, trouble } = worker;
  const what = agents.length === 0 ? 'can run no agent' : agents.map(cleanLine).join(', ');
  const glyph = !live ? paint('dim', '○') : trouble === null ? paint('green', '●') : paint('yellow', '!');
  const takesNone = trouble === null ? '' : `, takes no turns: ${cleanLine(trouble)}`;
  const seen = live ? takesNone : `, not seen since ${clockTime(Date.parse(seen_at ?? ''))}`;
  const has = `${turns.length} of ${slots} slots`;
  return `${glyph} ${cleanLine(name).padEnd(20)} ${has}  ${what}  ${paint('dim', `${version}${seen}`)}`;
}

/** Where a turn runs; '' for one that runs beside the room. */
export function placeText(place: string | null | undefined): string {
  if (place === undefined) return '';
  return place === null ? 'waits for a worker' : `at ${cleanLine(place)}`;
}

export const noticeText = ({ at, from, name, title, text }: RoomStatus['notices'][number]) =>
  `${dateTime(Date.parse(at))} ${from.replace(/^agent:/, '')}${name === null ? '' : ` on ${title ?? name}`}: ${text}`;
