// What needs the person as lines of a terminal: a sign, whom it is about and what it is, and below it what settles it.
import type { OutputOf } from '../../../operations/client.ts';
import type { InboxItem } from '../../../tasks/shapes/turn.ts';
import { cleanLine, truncate } from '../lines/display-text.ts';
import { inboxSign } from '../lines/inbox-sign.ts';
import { lengthOf } from '../lines/time-text.ts';
import type { Paint } from '../paint.ts';

export function inboxLines(
  { inbox }: OutputOf<'inbox'>,
  paint: Paint,
  columns: number | null,
  nowMs: number,
): string[] {
  if (inbox.length === 0) return [`${paint('green', '✓')} nothing needs you`];
  return inbox.flatMap((item) => linesOf(item, nowMs, paint, columns));
}

function linesOf(
  { kind, name, text, settle, at }: InboxItem,
  nowMs: number,
  paint: Paint,
  columns: number | null,
): string[] {
  const [sign, color] = inboxSign(kind);
  const about = name === null || text.startsWith(name) ? '' : `${cleanLine(name)}: `;
  const since = at === null ? nowMs : Date.parse(at);
  const age = nowMs <= since ? '' : paint('dim', ` (${lengthOf(nowMs - since)})`);
  const room = columns === null ? null : columns * 2 - 12;
  return [
    `${paint(color, sign)} ${truncate(`${about}${cleanLine(text)}`, room)}${age}`,
    `    ${paint('dim', cleanLine(settle))}`,
  ];
}

export function acceptedLines({ accepted }: OutputOf<'accept'>, paint: Paint): string[] {
  if (accepted.length === 0) return [paint('dim', 'nothing waits to be accepted')];
  return accepted.map(
    ({ name, text }) => `${paint('green', '✓')} ${cleanLine(name)} accepted: ${cleanLine(text)}`,
  );
}
