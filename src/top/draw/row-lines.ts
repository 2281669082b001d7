// A row as lines of the screen: the first with sign, name and facts, those below with what is said of it now.
import { choreSign, lastRun, nextRun } from '../../cli/lines/chore-words.ts';
import { cleanLine, displayWidth, truncate } from '../../cli/lines/display-text.ts';
import { inboxSign, signOfTask, signOfTurn } from '../../cli/lines/glyphs.ts';
import { momentText, retryText } from '../../cli/lines/time-text.ts';
import { lengthOfTurn, turnEnd } from '../../cli/lines/turn-lines.ts';
import type { Color } from '../../cli/paint.ts';
import type { ChoreJson } from '../../core/chore-shapes.ts';
import { choreOfThread } from '../../core/ids.ts';
import { shownName } from '../../core/task/names.ts';
import { isFinished } from '../../core/task/status.ts';
import type { TaskRow } from '../../tasks/shapes/task.ts';
import type { InboxItem, TurnJson } from '../../tasks/shapes/turn.ts';
import type { Row } from '../model/rows.ts';
import { ago, cell, elapsed, line, type Part, type Style, widthOf } from './styled.ts';

export interface RowStyle extends Style {
  nowMs: number;
  spinner: string; // The sign of what runs.
  isRoomy: boolean; // More than the one line that matters.
  nameOf(ref: string): string;
  /** Cells of the columns, as wide as the rows that are seen need. */
  widths: { name: number; facts: readonly number[] };
  placeOf(turn: string): Part | null; // Where a turn runs that does not run here.
}

const INDENT = '      '; // What stands below the name of a row.
const NAME_SHARE = 0.45; // The name has at least this part of the width.

/** @param isChosen the cursor stands on it */
export function rowLines(row: Row, isChosen: boolean, style: RowStyle): string[] {
  switch (row.kind) {
    case 'heading':
      return headingLines(row, style);
    case 'note':
      return [line(style, '    ', [row.text, 'dim'])];
    case 'task':
      return taskLines(row, isChosen, style);
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

function taskLines(row: Extract<Row, { kind: 'task' }>, isChosen: boolean, style: RowStyle): string[] {
  const { task, turn, said } = row;
  const facts = taskFacts(task, turn, style);
  const [glyph, color] = signOf(task, turn, style);
  const dim = isFinished(task.status) || task.status === 'draft' ? 'dim' : undefined;
  const first = columnsOf([glyph, color], shownName(task), facts, isChosen, style, dim);
  if (turn === null || !style.isRoomy) return [first];
  return [
    first,
    ...(task.active_form === null ? [] : [line(style, INDENT, [`${task.active_form}…`, 'cyan'])]),
    ...saidLine(said, style),
  ];
}

const saidLine = (said: string | null, style: RowStyle): string[] =>
  said === null || !style.isRoomy ? [] : [line(style, INDENT, ['│ ', 'blue'], [said, 'dim'])];

/** B6: what is asked for is yellow, what runs blue. */
function signOf(task: TaskRow, turn: TurnJson | null, { spinner }: RowStyle): [string, Color] {
  if (turn !== null || task.running !== null) return [spinner, 'blue'];
  const [glyph] = signOfTask({ ...task, running: false });
  if (task.status === 'done') return [glyph, 'green'];
  if (isFinished(task.status) || task.status === 'draft') return [glyph, 'gray'];
  return [glyph, task.pending || task.blocked || task.paused || task.waiting ? 'yellow' : 'bold'];
}

const spaced = (facts: readonly (Part | null)[]) =>
  facts.filter((fact) => fact !== null).flatMap((fact, at) => (at === 0 ? [fact] : ['  ', fact]));

/** The facts of a row by column: how it stands, its steps, its priority, when it is due, whose it is, its labels. */
type Columns = readonly (readonly Part[])[];

/** How many cells each column of these rows takes; those of tasks and of turns that run are the same. */
export function columnWidths(rows: readonly Row[], style: RowStyle): RowStyle['widths'] {
  const facts: number[] = [];
  let name = 0;
  for (const row of rows) {
    if (row.kind !== 'task' && row.kind !== 'turn') continue;
    name = Math.max(name, widthOf([row.kind === 'task' ? shownName(row.task) : row.turn.description]));
    const of = row.kind === 'task' ? taskFacts(row.task, row.turn, style) : turnFacts(row.turn, style);
    for (const [at, parts] of of.entries()) facts[at] = Math.max(facts[at] ?? 0, widthOf(parts));
  }
  return { name, facts };
}

function taskFacts(task: TaskRow, turn: TurnJson | null, style: RowStyle): Columns {
  const { steps, priority, due, owner, labels } = task;
  const agent = turn?.agent ?? owner;
  const standing = turn === null ? restingFacts(task, style) : runningFacts(turn, style);
  return [
    spaced([task.own_status ?? null, ...standing]),
    steps.total === 0 ? [] : [`${steps.done}/${steps.total}`],
    priority === null || priority === 'medium' ? [] : [priority],
    due === null || isFinished(task.status) ? [] : [`due ${due}`],
    agent === null ? [] : [`@${agent}`],
    labels.length === 0 ? [] : [[labels.map((label) => `#${label}`).join(' '), 'dim']],
  ];
}

const runningFacts = (turn: TurnJson, { nowMs, placeOf }: RowStyle): (Part | null)[] => [
  [elapsed(lengthOfTurn(turn, nowMs)), 'blue'],
  placeOf(turn.id),
  turn.attempt > 1 ? [`attempt ${turn.attempt}`, 'yellow'] : null,
];

function restingFacts(task: TaskRow, { nowMs, nameOf }: RowStyle): (Part | null)[] {
  const isOpen = !isFinished(task.status);
  const waits = isOpen && task.blocked ? `waits for ${task.blocked_by.map(nameOf).join(', ')}` : null;
  const parkedUntil = task.parked_until === null ? null : Date.parse(task.parked_until);
  return [
    waits === null ? null : [waits, 'yellow'],
    isOpen && task.paused ? ['paused', 'yellow'] : null,
    isOpen && task.waiting ? ['waits for your answer', 'yellow'] : null,
    task.held ? ['held', 'yellow'] : null,
    task.retry_at === null ? null : [retryText(task.retry_at, nowMs), 'red'],
    parkedUntil === null ? null : [`waits for its agent until ${momentText(parkedUntil, nowMs)}`, 'yellow'],
    task.pending && parkedUntil === null ? ['turn asked for', 'yellow'] : null,
    task.nothing_written && isOpen ? ['nothing written', 'magenta'] : null,
    task.finished_at === null ? null : [ago(nowMs - Date.parse(task.finished_at)), 'dim'],
  ];
}

function turnFacts(turn: TurnJson, { nowMs, placeOf }: RowStyle): Columns {
  const { state, ended_at: endedAt } = turn;
  const [, color] = signOfTurn(turn);
  return [
    spaced([[turnEnd(turn), color], state === 'running' ? placeOf(turn.id) : null]),
    [elapsed(lengthOfTurn(turn, nowMs))],
    [`@${turn.agent}`],
    endedAt === null ? [] : [[ago(nowMs - Date.parse(endedAt)), 'dim']],
  ];
}

function turnLines(turn: TurnJson, said: string | null, isChosen: boolean, style: RowStyle): string[] {
  const isRunning = turn.state === 'running';
  const [glyph, color] = signOfTurn(turn);
  const sign: Part = [isRunning ? style.spinner : glyph, color];
  const facts = turnFacts(turn, style);
  const chore = choreOfThread(turn.thread);
  const name = chore === null ? turn.description : `${chore} (chore)`;
  const first = columnsOf(sign, name, facts, isChosen, style);
  if (isRunning) return [first, ...saidLine(said, style)];
  if (!turn.message || !style.isRoomy) return [first];
  return [first, line(style, INDENT, [turn.message, 'dim'])];
}

function inboxLines(item: InboxItem, isChosen: boolean, style: RowStyle): string[] {
  const [sign, color] = inboxSign(item.kind);
  const { title, text, at, settle } = item;
  const name = title ?? item.name;
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
  const facts: Columns = [[nextOf(chore, style.nowMs)], [[chore.source ?? 'prompt', 'dim']]];
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

/** Mark, sign, name with the width there is, and the facts in columns: the last ones go where there is no room for them. */
function columnsOf(
  sign: Part,
  name: string,
  facts: Columns,
  isChosen: boolean,
  style: RowStyle,
  color?: Color,
): string {
  const room = style.columns - 4;
  let left = room - Math.min(style.widths.name || room, Math.floor(room * NAME_SHARE));
  const shown: Part[] = [];
  for (const [at, parts] of facts.entries()) {
    const cells = Math.min(style.widths.facts[at] ?? widthOf(parts), left - 2);
    if (cells <= 0) continue;
    left -= cells + 2;
    shown.push('  ', ...padded(parts, cells));
  }
  const colors: Color[] = isChosen ? ['inverse'] : color === undefined ? [] : [color];
  const cells = Math.max(1, room - widthOf(shown));
  return line(style, [isChosen ? '› ' : '  ', 'bold'], sign, ' ', [cell(name, cells), ...colors], ...shown);
}

/** The parts in exactly so many cells. */
function padded(parts: readonly Part[], cells: number): Part[] {
  let left = cells;
  const shown = parts.map((part): Part => {
    const [text, ...colors] = typeof part === 'string' ? [part] : part;
    const kept = truncate(cleanLine(text), left);
    left -= displayWidth(kept);
    return [kept, ...colors];
  });
  return [...shown, ' '.repeat(Math.max(0, left))];
}
