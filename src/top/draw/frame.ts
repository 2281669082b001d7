// The whole screen as lines, from what is known of the room, what the person did and the time. Only rows that are seen are made.
import { plural } from '../../cli/lines/display-text.ts';
import { STANDING_COLORS, signOfTurn } from '../../cli/lines/glyphs.ts';
import { lengthOfTurn, placeText, turnEnd } from '../../cli/lines/turn-lines.ts';
import type { Paint } from '../../cli/paint.ts';
import type { TaskId } from '../../core/ids.ts';
import { shownName } from '../../core/task/names.ts';
import { standingTexts } from '../../core/task/status.ts';
import { idOfRef } from '../../tasks/references.ts';
import { HELP } from '../model/keymap.ts';
import { countTasks, oddWords, type Row, taskOf } from '../model/rows.ts';
import { type OpenText, type RoomFacts, type ScreenState, VIEWS, type View } from '../model/screen-state.ts';
import { cursorAt } from '../model/target.ts';
import { footLine } from './foot-line.ts';
import { columnWidths, type RowStyle, rowLines } from './row-lines.ts';
import { cell, elapsed, line, lineWithEnd, type Part, type Style, widthOf, wrapColored } from './styled.ts';

const BAR_CELLS = 16;
const TITLES: Readonly<Record<View, string>> = {
  ...{ room: 'Room', inbox: 'Inbox', turns: 'Turns', chores: 'Chores' },
};
const LINKS: Readonly<Record<RoomFacts['link'], Part>> = {
  live: ['● live', 'green'],
  files: ['○ files', 'yellow'],
  lost: ['○ lost', 'red'],
};

function headLines({ facts, state, size }: Scene, style: Style): string[] {
  const first = lineWithEnd(style, glance(facts, state, style.columns), [LINKS[facts.link]]);
  const second = lineWithEnd(style, tabs(facts, state, style.columns), [
    ...workers(facts),
    ...narrowing(state),
  ]);
  if (facts.trouble !== null) return [first, second, line(style, ['! ', 'red'], [facts.trouble, 'red'])];
  return size.rows >= ROOMY_ROWS ? [first, second, ''] : [first, second];
}

function glance(facts: RoomFacts, state: ScreenState, columns: number): Part[] {
  const { done, canceled, ...open } = countTasks(facts, state);
  const all = Object.values(open).reduce((sum, number) => sum + number, done);
  const share = all === 0 ? 0 : done / all;
  const full = Math.floor(share * BAR_CELLS);
  const bar: Part[] = [' ', ['█'.repeat(full), 'green'], ['░'.repeat(BAR_CELLS - full), 'dim']];
  bar.push(` ${Math.floor(share * 100)} %`);
  const name = state.scope === null ? facts.name : `${facts.name}: ${state.scope}`;
  const standings = standingTexts({ ...open, draft: 0, done: 0, canceled }).flatMap(
    ([standing, text]): Part[] => ['  ', [text, STANDING_COLORS[standing]]],
  );
  const counts: Part[] = facts.workers === 0 ? ['  ', ['no worker', 'red'], ...standings] : standings;
  const tasks: Part = [`Tasks ${done}/${all}`, 'bold'];
  // How changes are heard of stands at the end: the bar makes room for that.
  const hasBar = columns >= 70 && widthOf([tasks, ...bar, ...counts]) + 8 <= columns;
  const parts = [tasks, ...(hasBar ? bar : []), ...counts];
  return widthOf(parts) + name.length + 10 > columns ? parts : [[name, 'dim'], '  ', ...parts];
}

function tabs(facts: RoomFacts, state: ScreenState, columns: number): Part[] {
  const counts: Partial<Record<View, number>> = { inbox: facts.inbox.length, turns: facts.running.length };
  return VIEWS.flatMap((view, at): Part[] => {
    const number = columns < 60 ? 0 : (counts[view] ?? 0);
    const text = ` ${at + 1} ${TITLES[view]}${number === 0 ? '' : ` ${number}`} `;
    return [view === state.view ? [text, 'inverse', 'bold'] : [text, 'dim']];
  });
}

const workers = ({ workers: count }: RoomFacts): Part[] =>
  count ? [[` ${plural(count, 'worker')}  `, 'green']] : [];

function narrowing({ search, filter }: ScreenState): Part[] {
  const filtered: Part[] =
    filter === ''
      ? []
      : [
          ['filter ', 'dim'],
          [filter, 'cyan'],
        ];
  return search === '' ? filtered : [...filtered, [' / ', 'dim'], [search, 'cyan']];
}

export interface Scene {
  facts: RoomFacts;
  state: ScreenState;
  rows: readonly Row[];
  size: { columns: number; rows: number };
  nowMs: number;
  paint: Paint;
}

export interface Frame {
  lines: string[]; // As many as the screen has rows.
  /** Where the person types, from 0; null where nothing is typed. */
  cursor: { column: number; row: number } | null;
  top: number; // First row of the view that is shown.
  page: number; // Lines between head and foot.
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** How long each of its signs stands. */
export const SPIN_MS = 200;
const ROOMY_ROWS = 14;

export function drawFrame(scene: Scene): Frame {
  const { facts, state, size, nowMs, paint } = scene;
  const style: RowStyle = {
    paint,
    columns: size.columns,
    nowMs,
    spinner: SPINNER[Math.floor(nowMs / SPIN_MS) % SPINNER.length]!,
    isRoomy: size.rows >= ROOMY_ROWS,
    widths: { name: 0, facts: [] },
    nameOf(ref) {
      const word = idOfRef(ref);
      const task = taskOf(facts, word as TaskId);
      return task === null ? word : shownName(task);
    },
    placeOf(turn) {
      const place = facts.places[turn];
      return place === undefined ? null : [placeText(place), place === null ? 'yellow' : 'dim'];
    },
  };
  const head = headLines(scene, style);
  const foot = footLine(state, facts, style);
  const page = Math.max(0, size.rows - head.length - foot.lines.length);
  const { lines: body, top } = bodyLines(scene, style, page);
  const lines = [...head, ...body.slice(0, page)];
  while (lines.length < size.rows - foot.lines.length) lines.push('');
  lines.push(...foot.lines);
  const shown = lines.slice(-size.rows);
  const cursor = foot.column === null ? null : { column: foot.column, row: shown.length - 1 };
  return { lines: shown, cursor, top, page };
}

function bodyLines(scene: Scene, style: RowStyle, page: number): { lines: string[]; top: number } {
  const { facts, state, rows } = scene;
  const top = state.top[state.view];
  if (state.help) return { lines: helpLines(style, page), top };
  if (state.isOpen) return { lines: openLines(facts.open, state.back, style, page), top };
  if (rows.length === 0) return { lines: ['', line(style, '  ', [nothing(facts, state), 'dim'])], top: 0 };
  return windowOf(rows, cursorAt(state, rows), top, style, page);
}

/** The rows around the cursor that fit, beginning where they did before as far as that shows the cursor. */
function windowOf(rows: readonly Row[], cursor: number, before: number, style: RowStyle, page: number) {
  const heightOf = (row: Row) => rowLines(row, false, style).length;
  // Of ten thousand rows only those near the cursor are made.
  const first = Math.max(before, cursor - page);
  let top = Math.max(0, Math.min(first, rows.length - 1, Math.max(cursor, 0)));
  // A group's first row brings its heading along.
  if (top === cursor && rows[top - 1]?.kind === 'heading') top -= 1;
  let used = 0;
  for (let at = top; at <= cursor; at += 1) used += heightOf(rows[at]!);
  // The last line is one that says what follows.
  const least = cursor < rows.length - 1 ? page - 1 : page;
  for (; used > least && top < cursor; top += 1) used -= heightOf(rows[top]!);
  // Where the end of the list is above the foot, earlier rows fill the screen.
  let height = 0;
  for (let at = top; at < rows.length && height < page; at += 1) height += heightOf(rows[at]!);
  while (top > 0 && height + heightOf(rows[top - 1]!) <= page) {
    top -= 1;
    height += heightOf(rows[top]!);
  }
  const widths = columnWidths(rows.slice(top, top + page), style);
  const lines: string[] = [];
  let end = top;
  for (; end < rows.length && lines.length < page; end += 1)
    lines.push(...rowLines(rows[end]!, end === cursor, { ...style, widths }));
  const isCut = end < rows.length || lines.length > page;
  return { lines: isCut ? [...lines.slice(0, page - 1), moreLine(rows, cursor, end, style)] : lines, top };
}

/** What stands below the screen, by group. */
function moreLine(rows: readonly Row[], cursor: number, end: number, style: Style): string {
  const from = Math.max(cursor + 1, end - 1);
  const counts = new Map<string, number>();
  let group = rows.slice(0, from).findLast(({ kind }) => kind === 'heading');
  for (const row of rows.slice(from)) {
    if (row.kind === 'heading') group = row;
    else if (row.kind !== 'note') {
      const title = group?.kind === 'heading' ? group.title : 'more';
      counts.set(title, (counts.get(title) ?? 0) + 1);
    }
  }
  const parts = [...counts].map(([title, count]) => `${count} ${title}`);
  return line(style, [`  ↓ ${parts.join(', ')}`, 'dim']);
}

function nothing(facts: RoomFacts, state: ScreenState): string {
  if (state.search !== '' || state.filter !== '')
    return [...oddWords(state, facts), 'Nothing fits: Esc shows everything.'].join(' · ');
  if (state.view === 'inbox') return 'Nothing needs you.';
  if (state.view === 'turns') return 'No turn yet.';
  if (state.view === 'chores') return 'This room has no chores.';
  if (state.scope !== null && facts.tasks.some(({ scope }) => scope === state.scope))
    return `All tasks of ${state.scope} are done.`;
  if (state.scope !== null) return `No task belongs to ${state.scope}.`;
  if (facts.tasks.length > 0) return 'Everything is done and cleared away.';
  return 'No task yet: n writes one.';
}

export function tooSmall(size: Scene['size'], paint: Paint): string[] {
  const style: Style = { paint, columns: size.columns };
  return Array.from({ length: size.rows }, (_, at) => (at === 0 ? line(style, 'too small') : ''));
}

const SIGNS =
  '☐ todo  ◐ doing  ⠋ runs  ✓ done  ▸ blocked  ? asks you  ⏸ paused  ✎ draft  ✗ canceled or failed  ■ killed';
const KEY_CELLS = 11;

/** In two columns where one is longer than the screen. */
function helpLines(style: Style, page: number): string[] {
  const half = HELP.length < page ? HELP.length : Math.ceil(HELP.length / 2);
  const cells = half === HELP.length ? style.columns : Math.floor(style.columns / 2);
  const shown = (hint: (typeof HELP)[number] | undefined): Part[] =>
    hint === undefined
      ? []
      : [[cell(hint[0], KEY_CELLS), 'bold'], cell(` ${hint[1]}`, cells - KEY_CELLS - 2), ' '];
  const lines = HELP.slice(0, half).map((hint, at) =>
    line(style, ' ', ...shown(hint), ...shown(HELP[half + at])),
  );
  if (page > half + 1) lines.push('', line(style, ' ', [SIGNS, 'dim']));
  return lines;
}

// What is in the foreground: the output of a turn, or the text of a task, its end or as far up as the person scrolled.
function openLines(open: OpenText | null, back: number, style: RowStyle, page: number): string[] {
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
  const [, color] = signOfTurn(turn);
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
