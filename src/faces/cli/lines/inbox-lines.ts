// The inbox on a terminal: a sign, whom it is about and what it is, and below it what settles it.
import type { InboxKind } from '../../../core/config/inbox-kinds.ts';
import type { InboxItem } from '../../../tasks/contract/operations.ts';
import type { Color, Paint } from '../paint.ts';
import { cleanLine, truncate } from './display-text.ts';
import { lengthOf } from './time-text.ts';

const SIGNS: Readonly<Record<InboxKind, readonly [sign: string, color: Color]>> = {
  question: ['?', 'yellow'],
  paused: ['⏸', 'yellow'],
  trust: ['⚿', 'yellow'],
  rights: ['⚿', 'red'],
  held: ['⏸', 'yellow'],
  conflict: ['⇅', 'red'],
  invalid: ['✗', 'red'],
  setup: ['!', 'red'],
  trouble: ['!', 'red'],
  tracker: ['⇅', 'yellow'],
  notice: ['✉', 'magenta'],
};

/** The sign of a kind, and its colour. */
export const inboxSign = (kind: InboxKind) => SIGNS[kind];

/** Ends with a line end. */
export function renderInbox(
  items: readonly InboxItem[],
  nowMs: number,
  paint: Paint,
  columns: number | null,
): string {
  if (items.length === 0) return `${paint('green', '✓')} nothing needs you\n`;
  return items.map((item) => `${linesOf(item, nowMs, paint, columns).join('\n')}\n`).join('');
}

function linesOf(
  { kind, name, text, settle, at }: InboxItem,
  nowMs: number,
  paint: Paint,
  columns: number | null,
): string[] {
  const [sign, color] = SIGNS[kind];
  const about = name === null || text.startsWith(name) ? '' : `${cleanLine(name)}: `;
  const age = at === null || nowMs <= at ? '' : paint('dim', ` (${lengthOf(nowMs - at)})`);
  const room = columns === null ? null : columns * 2 - 12;
  return [
    `${paint(color, sign)} ${truncate(`${about}${cleanLine(text)}`, room)}${age}`,
    `    ${paint('dim', cleanLine(settle))}`,
  ];
}
