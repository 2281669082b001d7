// The list of tasks: a progress line (C10, G3), one line a task, and the files that can't be read.
import { formatProblem } from '../../core/errors.ts';
import { shownName } from '../../core/task/names.ts';
import { countStandings, isFinished, type StandingCounts, standingTexts } from '../../core/task/status.ts';
import { dueMoment } from '../../core/time/durations.ts';
import type { TaskList, TaskRow } from '../../tasks/shapes/task.ts';
import type { Call } from '../command.ts';
import type { Paint } from '../paint.ts';
import { cleanLine, displayWidth, fit, plural, truncate } from './display-text.ts';
import { STANDING_COLORS, taskGlyph } from './glyphs.ts';
import type { ViewStyle } from './row.ts';
import { momentText, retryText } from './time-text.ts';

export interface ListStyle extends Pick<ViewStyle, 'paint' | 'columns'> {
  all: boolean; // Show every finished task, not only the newest few.
  nowMs?: number; // Without it no task is overdue.
  asGiven?: boolean; // Keep their order.
}

const BAR_CELLS = 20;
const FINISHED_SHOWN = 5;
const MAX_NAME_CELLS = 48;
const MIN_NAME_CELLS = 16;
const ID_CELLS = 8;

/** The list of the command, with all finished tasks if the options ask for them. */
export function listLines(list: TaskList, style: ViewStyle, { options, words }: Call): string[] {
  const said = (name: string) => options.text(name) !== null;
  const all =
    words.length > 0 ||
    options.flag('all') ||
    options.texts('status').length > 0 ||
    ['text', 'sort', 'limit'].some(said);
  return renderTaskList(list, { ...style, all, asGiven: said('sort') })
    .trimEnd()
    .split('\n');
}

export function renderTaskList(
  list: Pick<TaskList, 'tasks' | 'invalid' | 'odd' | 'notes'>,
  style: ListStyle,
): string {
  const notes = (list.notes ?? []).map((note) => style.paint('yellow', cleanLine(note)));
  const lines = [progressLine(countStandings(list.tasks), style.paint), ...notes];
  const { shown, hidden } = choose(list.tasks, style);
  if (shown.length > 0) lines.push('');
  const nameCells = chooseNameCells(shown, style.columns);
  const names = new Map(
    list.tasks.flatMap((view) => [view.name, `${view.id}`].map((ref) => [ref, shownName(view)] as const)),
  );
  for (const view of shown) lines.push(...taskLines(view, nameCells, names, style));
  if (hidden > 0) lines.push(style.paint('dim', `  … and ${hidden} more finished: taskroom list --all`));
  const unread = `${plural(list.invalid.length, 'file')} can't be read:`;
  lines.push(...problemLines(style.paint('red', unread), list.invalid));
  lines.push(...problemLines(style.paint('yellow', 'Looks like a slip:'), list.odd));
  return `${lines.join('\n')}\n`;
}

/** `Tasks 1/4 █████░░░ 25 %  1 running  2 to do`: how many of the tasks that are not canceled are done, and how the open ones stand. */
export function progressLine(counts: StandingCounts, paint: Paint): string {
  const { done, canceled, ...open } = counts;
  const counted = Object.values(open).reduce((sum, count) => sum + count, done);
  const share = counted === 0 ? 0 : done / counted;
  const full = Math.floor(share * BAR_CELLS);
  const bar = paint('green', '█'.repeat(full)) + paint('dim', '░'.repeat(BAR_CELLS - full));
  const said = standingTexts({ ...counts, done: 0 }).map(([standing, text]) =>
    paint(STANDING_COLORS[standing], text),
  );
  return [`${paint('bold', `Tasks ${done}/${counted}`)} ${bar} ${Math.floor(share * 100)} %`, ...said].join(
    '  ',
  );
}

/** Running first, then what could run, then what waits, then drafts, then finished ones with the newest first. */
function choose(tasks: readonly TaskRow[], { all, asGiven = false }: ListStyle) {
  if (asGiven) return { shown: tasks, hidden: 0 };
  const { open = [], finished = [] } = Object.groupBy(tasks, ({ status }) =>
    isFinished(status) ? 'finished' : 'open',
  );
  // Open tasks of one rank keep the order of `sort:`, priority and name.
  open.sort((a, b) => rankOf(a) - rankOf(b));
  finished.sort((a, b) => momentOf(b) - momentOf(a));
  const kept = all ? finished : finished.slice(0, FINISHED_SHOWN);
  return { shown: [...open, ...kept], hidden: finished.length - kept.length };
}

function rankOf(view: TaskRow): number {
  if (view.running) return 0;
  if (view.status === 'draft') return 5;
  if (view.paused) return 4;
  if (view.blocked || view.waiting) return 3;
  return view.status === 'doing' ? 1 : 2;
}

const momentOf = ({ finished_at }: TaskRow) => (finished_at === null ? 0 : Date.parse(finished_at));
const nameOf = (task: TaskRow) => cleanLine(shownName(task));

function chooseNameCells(views: readonly TaskRow[], columns: number | null): number {
  const widest = views.reduce((most, view) => Math.max(most, displayWidth(nameOf(view))), 0);
  const room = columns === null ? MAX_NAME_CELLS : Math.max(MIN_NAME_CELLS, Math.floor(columns * 0.55));
  return Math.min(widest, room, MAX_NAME_CELLS);
}

function taskLines(view: TaskRow, nameCells: number, names: Names, style: ListStyle): string[] {
  const { paint, columns, nowMs = 0 } = style;
  const dim = isFinished(view.status) || view.status === 'draft';
  const name = columns === null ? nameOf(view).padEnd(nameCells) : fit(nameOf(view), nameCells);
  const head = `  ${taskGlyph({ ...view, running: view.running !== null }, paint)} `;
  const id = fit(view.id ?? 'no id', ID_CELLS);
  const used = 4 + displayWidth(name) + 2 + displayWidth(id) + 2;
  const facts = truncate(factsOf(view, names, nowMs).join('  '), columns === null ? null : columns - used);
  const line = `${head}${dim ? paint('dim', name) : name}  ${paint('dim', id)}  ${dim ? paint('dim', facts) : facts}`;
  const below = (text: string, color: 'cyan' | 'yellow') =>
    `      ${paint(color, truncate(cleanLine(text), columns === null ? null : columns - 6))}`;
  const why = view.why_not;
  return [
    line.trimEnd(),
    ...(view.running && view.active_form ? [below(`${view.active_form}…`, 'cyan')] : []),
    // Why it has no turn, where a person has to do something about it.
    ...(why === null ? [] : [below(why.hint === null ? why.text : `${why.text}; ${why.hint}`, 'yellow')]),
  ];
}

/** Its last turn left it open, and nothing asks for another. */
function restsDoing(task: TaskRow): boolean {
  const { status, running, pending, paused, blocked, waiting, held, retry_at } = task;
  const goesOn = running || pending || retry_at !== null;
  return status === 'doing' && !(goesOn || paused || blocked || waiting || held);
}

/** Names of the listed tasks by id: a person reads names. */
type Names = ReadonlyMap<string, string>;

function factsOf(view: TaskRow, names: Names, nowMs: number): string[] {
  const { steps } = view;
  const open = !isFinished(view.status);
  const facts = [
    view.own_status ?? null,
    steps.total > 0 ? `${steps.done}/${steps.total}` : null,
    open && view.blocked
      ? `waits for ${view.blocked_by.map((ref) => cleanLine(names.get(ref.replace(/^task:(local:)?/, '')) ?? ref)).join(', ')}`
      : null,
    open && view.paused ? 'paused' : null,
    open && view.waiting ? 'waits for your answer: taskroom inbox' : null,
    view.held ? 'held: taskroom run --all' : null,
    view.nothing_written ? 'last turn wrote nothing' : null,
    view.retry_at === null ? null : retryText(view.retry_at, nowMs),
    view.parked_until === null
      ? null
      : `waits for its agent until ${momentText(Date.parse(view.parked_until), nowMs)}`,
    view.pending && !view.running && view.parked_until === null ? 'turn asked for' : null,
    restsDoing(view) ? 'waits for news' : null,
    view.priority === null || view.priority === 'medium' ? null : view.priority,
    view.owner === null ? null : `@${cleanLine(view.owner)}`,
    view.archived ? 'archived' : null,
    dueFact(view, nowMs),
    ...view.labels.map((label) => `#${cleanLine(label)}`),
  ];
  return facts.filter((fact) => fact !== null);
}

/** `due 2026-12-24`, and whether that is over or no date at all. */
export function dueFact(view: Pick<TaskRow, 'due' | 'status'>, nowMs: number): string | null {
  if (view.due === null) return null;
  const moment = dueMoment(view.due);
  const late = moment !== null && moment < nowMs && !isFinished(view.status);
  return `due ${cleanLine(view.due)}${moment === null ? ' (no date)' : late ? ' (overdue)' : ''}`;
}

function problemLines(heading: string, files: TaskList['invalid']): string[] {
  const problems = files.flatMap((file) =>
    file.problems.map((each) => `  ${cleanLine(formatProblem(each))}`),
  );
  return files.length === 0 ? [] : ['', heading, ...problems];
}
