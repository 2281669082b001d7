// The rows of each view: which there are, in which groups and in which order. What they look like is drawn elsewhere.
import type { ChoreJson } from '../../core/chore-shapes.ts';
import { type TaskId, taskOfThread } from '../../core/ids.ts';
import { keyOf } from '../../core/person-keys.ts';
import { createFilter, parseFilter, wordsNotInHead } from '../../core/task/filter.ts';
import { countStandings, isFinished } from '../../core/task/status.ts';
import type { TaskRow } from '../../tasks/shapes/task.ts';
import type { InboxItem, TurnJson } from '../../tasks/shapes/turn.ts';
import type { RoomFacts, ScreenState, View } from './screen-state.ts';

export type Row =
  /** `isFirst` of the whole view. */
  (
    | { kind: 'heading'; title: string; count: number; isFirst: boolean }
    | { kind: 'task'; task: TaskRow; turn: TurnJson | null; said: string | null }
    | { kind: 'turn'; turn: TurnJson; task: TaskRow | null; said: string | null }
    | { kind: 'inbox'; item: InboxItem; task: TaskRow | null }
    | { kind: 'chore'; chore: ChoreJson; mirrors: string | null }
    | { kind: 'note'; text: string }
  ) & { key: string };

const DONE_SHOWN = 5; // Of done tasks, where not all are asked for.
const INBOX_SHOWN = 5; // Of the inbox, beside everything else.

export function rowsOf(facts: RoomFacts, state: ScreenState): Row[] {
  const rows = ROWS_OF[state.view](facts, state);
  if (rows[0]?.kind === 'heading') rows[0] = { ...rows[0], isFirst: true };
  return rows;
}

const ROWS_OF: Readonly<Record<View, (facts: RoomFacts, state: ScreenState) => Row[]>> = {
  ...{ room: roomRows, turns: turnRows, chores: choreRows },
  inbox: (facts, state) => inboxOf(facts, state).map((item) => inboxRow(item, facts)),
};

/** Of the tasks that are shown where nothing is searched for. */
export const countTasks = (facts: Tasks, state: ScreenState) =>
  countStandings(facts.tasks.filter(taskFilter({ ...state, search: '', filter: '' }, facts)));

/** Without those that run: their turns are rows of their own. */
const GROUPS = [
  ...['Ended, and wrote nothing', 'Next', 'Doing', 'Todo', 'Waiting', 'Draft', 'Done', 'Canceled'],
];

function groupOf(task: TaskRow): string {
  if (task.running !== null) return 'Running';
  if (task.status === 'done') return 'Done';
  if (task.status === 'canceled') return 'Canceled';
  if (task.status === 'draft') return 'Draft';
  if (task.paused || task.blocked || task.waiting || task.held) return 'Waiting';
  if (task.pending || task.retry_at !== null) return 'Next';
  if (task.nothing_written) return 'Ended, and wrote nothing';
  return task.status === 'doing' ? 'Doing' : 'Todo';
}

function roomRows(facts: RoomFacts, state: ScreenState): Row[] {
  const groups = Map.groupBy(facts.tasks.filter(taskFilter(state, facts)), groupOf);
  const running = facts.running.filter(turnFilter(facts, state)).flatMap((turn) => {
    const row = turnRow(turn, facts);
    if (row.task === null) return [row];
    return row.task.running === turn.id ? [taskRow(row.task, turn, row.said)] : [];
  });
  // The list of tasks is the newer one: a turn that just began is in it first.
  const known = new Set<string | null>(facts.running.map(({ id }) => id));
  const begun = (groups.get('Running') ?? []).filter((task) => !known.has(task.running));
  const items = inboxOf(facts, state);
  const needs = items.slice(0, INBOX_SHOWN).map((item) => inboxRow(item, facts));
  return [
    ...titled('Running', [...running, ...begun.map((task) => taskRow(task))]),
    ...titled('Needs you', needs, items.length, 'press 2'),
    ...GROUPS.flatMap((group) => groupRows(group, groups.get(group) ?? [], state)),
  ];
}

function taskRow(task: TaskRow, turn: TurnJson | null = null, said: string | null = null): Row {
  return { kind: 'task', key: `task:${task.id ?? task.path}`, task, turn, said };
}

function turnRow(turn: TurnJson, facts: RoomFacts): Row & { kind: 'turn' } {
  const task = taskOf(facts, taskOfThread(turn.thread));
  return { kind: 'turn', key: `turn:${turn.id}`, turn, task, said: facts.said.get(turn.id) ?? null };
}

function groupRows(group: string, tasks: readonly TaskRow[], { allDone }: ScreenState): Row[] {
  if (tasks.length === 0) return [];
  const most = allDone ? tasks.length : group === 'Done' ? DONE_SHOWN : 0;
  const shown = isFinished(tasks[0]!.status) ? tasks.toSorted(newestFirst).slice(0, most) : tasks;
  const rows = shown.map((task) => taskRow(task));
  return titled(group, rows, tasks.length, rows.length > 0 ? `press ${keyOf('finished').key}` : null);
}

/** By their times in ISO 8601, which compare as texts: of thousands that is much faster than to read each. */
function newestFirst({ finished_at: a }: TaskRow, { finished_at: b }: TaskRow): number {
  return Number((a ?? '') < (b ?? '')) - Number((a ?? '') > (b ?? ''));
}

/** Rows below their heading; nothing where there are none. @param more the key that shows those that are left out */
function titled(title: string, rows: readonly Row[], count = rows.length, more: string | null = null): Row[] {
  if (count === 0) return [];
  const heading: Row = { kind: 'heading', key: `heading:${title}`, title, count, isFirst: false };
  const text = `… and ${count - rows.length} more: ${more}`;
  const rest: Row[] =
    more === null || count === rows.length ? [] : [{ kind: 'note', key: `note:${title}`, text }];
  return [heading, ...rows, ...rest];
}

function inboxRow(item: InboxItem, facts: RoomFacts): Row {
  return { kind: 'inbox', key: `inbox:${item.key}`, item, task: taskOf(facts, item.task) };
}

function inboxOf(facts: RoomFacts, state: ScreenState): InboxItem[] {
  const fits = textOfTaskFilter(state, facts);
  return facts.inbox.filter((item) =>
    fits(taskOf(facts, item.task), `${item.title ?? ''} ${item.name ?? ''} ${item.text}`),
  );
}

function turnFilter(facts: RoomFacts, state: ScreenState): (turn: TurnJson) => boolean {
  const fits = textOfTaskFilter({ ...state, cleared: new Set() }, facts);
  return ({ thread, description, agent, id }) =>
    fits(taskOf(facts, taskOfThread(thread)), `${description} ${agent} ${id}`);
}

/** Whether a text about a task, or about none, is shown: searched in the text, filtered by the task. */
function textOfTaskFilter(state: ScreenState, facts: RoomFacts) {
  const said = textFilter(state);
  const fits = taskFilter({ ...state, search: '' }, facts);
  const isNarrowed = state.scope !== null || state.filter !== '';
  return (task: TaskRow | null, text: string) => (task === null ? !isNarrowed : fits(task)) && said(text);
}

function turnRows(facts: RoomFacts, state: ScreenState): Row[] {
  const fits = turnFilter(facts, state);
  const rows = (turns: readonly TurnJson[]) => turns.filter(fits).map((turn) => turnRow(turn, facts));
  return [...titled('Running', rows(facts.running)), ...titled('Ended', rows(facts.ended))];
}

function choreRows(facts: RoomFacts, state: ScreenState): Row[] {
  const said = textFilter(state);
  const broken = facts.brokenChores.map(
    (text): Row => ({ kind: 'note', key: `note:${text}`, text: `✗ ${text}` }),
  );
  const chores = facts.chores
    .filter(({ name, source }) => said(`${name} ${source ?? ''}`))
    .map((chore): Row => {
      const mirrors = facts.mirrors.get(chore.name) ?? null;
      return { kind: 'chore', key: `chore:${chore.name}`, chore, mirrors };
    });
  return [...chores, ...broken];
}

let byId: { of: readonly TaskRow[]; tasks: Map<TaskId | null, TaskRow> } = { of: [], tasks: new Map() };

export function taskOf({ tasks }: Pick<RoomFacts, 'tasks'>, id: TaskId | null): TaskRow | null {
  if (id === null) return null;
  if (byId.of !== tasks) byId = { of: tasks, tasks: new Map(tasks.map((task) => [task.id, task])) };
  return byId.tasks.get(id) ?? null;
}

// Which tasks are shown: the words of search and filter, which mean what they mean to every list, the scope, and what was cleared away.

type Tasks = Pick<RoomFacts, 'tasks' | 'found' | 'lookedAtMs'>;

function taskFilter(state: Pick<ScreenState, 'search' | 'filter' | 'scope' | 'cleared'>, facts: Tasks) {
  const { scope, cleared } = state;
  const { words, fits } = readWords(state, facts);
  const holds = (task: TaskRow) =>
    wordsNotInHead(task, words).every((word) => facts.found.get(word)?.has(task.path) === true);
  return (task: TaskRow) =>
    (scope === null || task.scope === scope) &&
    !(isFinished(task.status) && cleared.has(task.path)) &&
    fits(task) &&
    (words.length === 0 || holds(task));
}

function readWords({ search, filter }: Pick<ScreenState, 'search' | 'filter'>, facts: Tasks) {
  const { tasks, lookedAtMs: nowMs } = facts;
  const read = parseFilter(`${search} ${filter}`);
  return { words: read.words, ...createFilter(read, { nowMs, tasks }) };
}

export const oddWords = (state: ScreenState, facts: RoomFacts) => readWords(state, facts).notes;

export const searchedWords = ({ search, filter }: ScreenState) => parseFilter(`${search} ${filter}`).words;

function textFilter({ search }: Pick<ScreenState, 'search'>): (text: string) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => {
    const low = text.toLowerCase();
    return words.every((word) => low.includes(word));
  };
}

/** A view of a scope is cleared when all its tasks are done and no turn runs (G4); of what comes later nothing is hidden.
 * @returns the state, another one when something was cleared away */
export function clearFinishedScope(state: ScreenState, facts: RoomFacts): ScreenState {
  if (state.scope === null) return state;
  const tasks = facts.tasks.filter(({ scope }) => scope === state.scope);
  if (!tasks.every(({ status, running }) => isFinished(status) && running === null)) return state;
  if (tasks.every(({ path }) => state.cleared.has(path))) return state;
  return { ...state, cleared: withAll(state.cleared, tasks) };
}

export function clearFinished(state: ScreenState, facts: RoomFacts): ScreenState {
  const finished = facts.tasks.filter(({ status }) => isFinished(status));
  return { ...state, cleared: withAll(state.cleared, finished) };
}

const withAll = (cleared: ReadonlySet<string>, tasks: readonly TaskRow[]): ReadonlySet<string> =>
  new Set([...cleared, ...tasks.map(({ path }) => path)]);
