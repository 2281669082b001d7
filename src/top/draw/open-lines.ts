// What is in the foreground: the output of a turn, or the text of a task, its end or as far up as the person scrolled.
import { lengthOfTurn, turnEnd } from '../../cli/lines/turn-lines.ts';
import type { OpenText } from '../model/room-facts.ts';
import { type RowStyle, TURN_COLORS } from './row-lines.ts';
import { elapsed, line, lineWithEnd, type Part, wrapColored } from './styled.ts';

export function openLines(open: OpenText | null, back: number, style: RowStyle, page: number): string[] {
  if (open === null) return ['', line(style, '  ', ['…', 'dim'])];
  const head = titleLine(open, back, style);
  const room = page - 1;
  const { lines, turn } = open;
  if (lines.length === 0) {
    const what =
      turn === null ? 'empty' : turn.state === 'running' ? 'nothing printed yet' : 'printed nothing';
    return [head, line(style, '  ', [what, 'dim'])];
  }
  const shown: string[] = [];
  if (turn === null) {
    for (let at = back; at < lines.length && shown.length < room; at += 1)
      shown.push(...wrapColored(lines[at]!, style));
    return [head, ...shown.slice(0, room)];
  }
  for (let at = lines.length - 1 - back; at >= 0 && shown.length < room; at -= 1)
    shown.unshift(...wrapColored(lines[at]!, style));
  if (open.isCut && shown.length < room)
    shown.unshift(line(style, ['… what came before: taskroom log', 'dim']));
  // A short output stands at the top.
  return [head, ...shown.slice(-room)];
}

function titleLine({ title, turn, lines }: OpenText, back: number, style: RowStyle): string {
  const at: Part[] =
    back === 0 ? [] : [[`line ${turn === null ? back + 1 : lines.length - back} of ${lines.length}`, 'dim']];
  if (turn === null) return lineWithEnd(style, [[title, 'bold']], at);
  const isRunning = turn.state === 'running';
  const color = TURN_COLORS[turn.state];
  const took = elapsed(lengthOfTurn(turn, style.nowMs));
  const parts: Part[] = [
    [isRunning ? `${style.spinner} ` : '', color],
    [title, 'bold'],
    `  @${turn.agent}  `,
    [turnEnd(turn), color],
    [`  ${took}`, 'dim'],
    [`  ${turn.id}`, 'dim'],
  ];
  return lineWithEnd(style, parts, at);
}
