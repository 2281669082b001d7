// A row as lines of the screen: the first with sign, name and facts, those below with what is said of it now.

import { choreSign, lastRun, nextRun } from '../../cli/lines/chore-words.ts';
import { inboxSign, taskGlyph, turnGlyph } from '../../cli/lines/glyphs.ts';
import { clockTime, momentText } from '../../cli/lines/time-text.ts';
import { lengthOfTurn, turnEnd } from '../../cli/lines/turn-lines.ts';
import { type Color, plain } from '../../cli/paint.ts';
import type { ChoreJson } from '../../core/chore-shapes.ts';
import { choreOfThread } from '../../core/ids.ts';
import { isFinished } from '../../core/task/status.ts';
import type { TaskRow } from '../../tasks/shapes/task.ts';
import type { InboxItem, TurnJson } from '../../tasks/shapes/turn.ts';
import type { Row } from '../model/rows.ts';
import { ago, cell, elapsed, line, type Part, type Style, widthOf } from './styled.ts';

export interface RowStyle extends Style {
  nowMs: number;
  /** The sign of what runs. */
  spinner: string;
  /** More than the one line that matters. */
  isRoomy: boolean;
  /** Names of tasks by id. */
  nameOf(ref: string): string;
  /** Where a turn runs that does not run here. */
  placeOf(turn: string): Part | null;
}

export const TURN_COLORS: Readonly<Record<TurnJson['state'], Color>> = {
  pending: 'yellow',
  running: 'blue',
  completed: 'green',
  failed: 'red',
  killed: 'gray',
};

/** What stands below the name of a row. */
const INDENT = '      ';
const MAX_NAME_CELLS = 48;

/** @param isChosen the cursor stands on it */
export function rowLines(row: Row, isChosen: boolean, style: RowStyle): string[] {
  switch (row.kind) {
    case 'heading':
      return headingLines(row, style);
    case 'note':
      return [line(style, '    ', [row.text, 'dim'])];
    case 'task':
      return taskLines(row.task, row.turn, row.said, isChosen, style);
    case 'turn':
      return turnLines(row.turn, row.said, isChosen, style);
    case 'inbox':
      return inboxLines(row.item, isChosen, style);
    case 'chore':
      return choreLines(row.chore, row.mirrors, isChosen, style);
  }
}

function headingLines(row: Extract<Row, { kind: 'heading' }>, style: RowStyle): string[] {
  const title = line(style, [row.title, 'bold'], [`  ${row.count}`, 'dim']);
  return row.isFirst || !style.isRoomy ? [title] : ['', title];
}

/** How many lines {@link rowLines} gives: of ten thousand rows only those that are seen are made. */
export function heightOf(row: Row, { isRoomy }: Pick<RowStyle, 'isRoomy'>): number {
  if (!isRoomy) return 1;
  switch (row.kind) {
    case 'task':
      return row.turn === null ? 1 : 1 + Number(row.task.active_form !== null) + Number(row.said !== null);
    case 'turn':
      return 1 + Number(Boolean(row.turn.state === 'running' ? row.said : row.turn.message));
    case 'inbox':
    case 'chore':
      return 2;
    case 'heading':
      return row.isFirst ? 1 : 2;
    default:
      return 1;
  }
}

function taskLines(
  task: TaskRow,
  turn: TurnJson | null,
  said: string | null,
  isChosen: boolean,
  style: RowStyle,
): string[] {
  const isOver = isFinished(task.status);
  const facts = spaced(turn === null ? restingFacts(task, style) : runningFacts(task, turn, style));
  const [glyph, color] = signOf(task, turn, style);
  const dim = isOver || task.status === 'draft' ? 'dim' : undefined;
  const first = columnsOf([glyph, color], task.name, facts, isChosen, style, dim);
  if (turn === null || !style.isRoomy) return [first];
  return [
    first,
    ...(task.active_form === null ? [] : [line(style, INDENT, [`${task.active_form}…`, 'cyan'])]),
    ...saidLine(said, style),
  ];
}

function saidLine(said: string | null, style: RowStyle): string[] {
  return said === null || !style.isRoomy ? [] : [line(style, INDENT, ['│ ', 'blue'], [said, 'dim'])];
}

/** B6: what is asked for is yellow, what runs blue. */
function signOf(task: TaskRow, turn: TurnJson | null, { spinner }: RowStyle): [string, Color] {
  if (turn !== null || task.running !== null) return [spinner, 'blue'];
  const glyph = taskGlyph({ ...task, running: false }, plain);
  if (task.status === 'done') return [glyph, 'green'];
  if (isFinished(task.status) || task.status === 'draft') return [glyph, 'gray'];
  return [glyph, task.pending || task.blocked || task.paused || task.waiting ? 'yellow' : 'bold'];
}

const spaced = (facts: readonly (Part | null)[]): Part[] =>
  facts.filter((fact) => fact !== null).flatMap((fact, at) => (at === 0 ? [fact] : ['  ', fact]));

const stepsOf = ({ steps }: TaskRow): Part | null =>
  steps.total === 0 ? null : `${steps.done}/${steps.total}`;

function runningFacts(task: TaskRow, turn: TurnJson, { nowMs, placeOf }: RowStyle): (Part | null)[] {
  return [
    [elapsed(lengthOfTurn(turn, nowMs)), 'blue'],
    placeOf(turn.id),
    stepsOf(task),
    `@${turn.agent}`,
    turn.attempt > 1 ? [`attempt ${turn.attempt}`, 'yellow'] : null,
  ];
}

function restingFacts(task: TaskRow, { nowMs, nameOf }: RowStyle): (Part | null)[] {
  const isOpen = !isFinished(task.status);
  const waits = isOpen && task.blocked ? `waits for ${task.blocked_by.map(nameOf).join(', ')}` : null;
  const [retryAt, parkedUntil] = [task.retry_at, task.parked_until].map((at) =>
    at === null ? null : Date.parse(at),
  ) as [number | null, number | null];
  return [
    stepsOf(task),
    waits === null ? null : [waits, 'yellow'],
    isOpen && task.paused ? ['paused', 'yellow'] : null,
    isOpen && task.waiting ? ['waits for your answer', 'yellow'] : null,
    task.held ? ['held', 'yellow'] : null,
    retryAt === null ? null : [`tried again at ${clockTime(retryAt)}`, 'red'],
    parkedUntil === null ? null : [`waits for its agent until ${momentText(parkedUntil, nowMs)}`, 'yellow'],
    task.pending && parkedUntil === null ? ['turn asked for', 'yellow'] : null,
    task.nothing_written && isOpen ? ['nothing written', 'magenta'] : null,
    task.finished_at === null ? null : [ago(nowMs - Date.parse(task.finished_at)), 'dim'],
    task.priority === null || task.priority === 'medium' ? null : task.priority,
    task.owner === null ? null : `@${task.owner}`,
    ...task.labels.map((label): Part => [`#${label}`, 'dim']),
  ];
}

function turnLines(turn: TurnJson, said: string | null, isChosen: boolean, style: RowStyle): string[] {
  const isRunning = turn.state === 'running';
  const color = TURN_COLORS[turn.state];
  const sign: Part = [isRunning ? style.spinner : turnGlyph(turn.state, plain), color];
  const took = elapsed(lengthOfTurn(turn, style.nowMs));
  const facts = spaced([
    [turnEnd(turn), turn.reason === 'nothing_written' ? 'magenta' : color],
    took,
    isRunning ? style.placeOf(turn.id) : null,
    `@${turn.agent}`,
    turn.ended_at === null ? null : [ago(style.nowMs - Date.parse(turn.ended_at)), 'dim'],
  ]);
  const chore = choreOfThread(turn.thread);
  const name = chore === null ? turn.description : `${chore} (chore)`;
  const first = columnsOf(sign, name, facts, isChosen, style);
  if (isRunning) return [first, ...saidLine(said, style)];
  if (!turn.message || !style.isRoomy) return [first];
  return [first, line(style, INDENT, [turn.message, 'dim'])];
}

function inboxLines(item: InboxItem, isChosen: boolean, style: RowStyle): string[] {
  const [sign, color] = inboxSign(item.kind);
  const { name, text, at, settle } = item;
  const about = name === null || text.startsWith(name) ? text : `${name}: ${text}`;
  const age: Part[] = at === null ? [] : [[`  ${ago(style.nowMs - Date.parse(at))}`, 'dim']];
  const cells = Math.max(10, style.columns - 4 - widthOf(age));
  const words: Part = isChosen ? [cell(about, cells), 'inverse'] : cell(about, cells);
  const first = line(style, [isChosen ? '› ' : '  ', 'bold'], [sign, color], ' ', words, ...age);
  if (!style.isRoomy) return [first];
  const how = item.kind === 'question' ? 'Enter answers it here' : settle;
  return [first, line(style, INDENT, [how, 'dim'])];
}

function choreLines(chore: ChoreJson, mirrors: string | null, isChosen: boolean, style: RowStyle): string[] {
  const facts: Part[] = [nextOf(chore, style.nowMs), '  ', [chore.source ?? 'prompt', 'dim']];
  const first = columnsOf(choreSign(chore, style.spinner), chore.name, facts, isChosen, style);
  if (!style.isRoomy) return [first];
  const isAtRest = chore.stopped === null && !chore.running;
  const how = (isAtRest && chore.sync?.error?.message) || lastRun(chore, style.nowMs, elapsed);
  const last = `${how}${mirrors === null ? '' : `; ${mirrors}`}`;
  return [first, line(style, INDENT, [last, chore.failures > 0 || chore.stopped !== null ? 'red' : 'dim'])];
}

function nextOf(chore: ChoreJson, nowMs: number): Part {
  const text = nextRun(chore, nowMs) || 'only when asked';
  if (chore.running) return [text, 'blue'];
  if (text === 'stands still') return [text, 'red'];
  if (text === 'only when asked') return text;
  if (!text.startsWith('next')) return [text, 'yellow'];
  const inMs = Date.parse(chore.next_at!) - nowMs;
  return `${text}, in ${elapsed(inMs).split(' ').slice(0, 2).join(' ')}`;
}

/** Mark, sign, name and what else there is, in columns. */
function columnsOf(
  sign: Part,
  name: string,
  facts: readonly Part[],
  isChosen: boolean,
  style: Style,
  color?: Color,
): string {
  const used = widthOf(facts);
  const most = Math.min(MAX_NAME_CELLS, Math.floor(style.columns * (style.columns < 60 ? 0.6 : 0.5)));
  // Where there is little to say beside it, the name has the room.
  const cells = Math.max(most, Math.min(style.columns - 6 - used, used === 0 ? style.columns - 4 : most));
  const colors: Color[] = isChosen ? ['inverse'] : color === undefined ? [] : [color];
  return line(
    style,
    [isChosen ? '› ' : '  ', 'bold'],
    sign,
    ' ',
    [cell(name, cells), ...colors],
    '  ',
    ...facts,
  );
}
