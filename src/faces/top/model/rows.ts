// The rows of each view: which there are, in which groups and in which order. What they look like is drawn elsewhere.

import type { ChoreJson } from '../../../core/chore-shapes.ts';
import { type TaskId, taskOfThread } from '../../../core/ids.ts';
import { isFinished } from '../../../core/task/status.ts';
import type { TaskView } from '../../../tasks/contract/operations.ts';
import type { InboxItem } from '../../../tasks/shapes/inbox.ts';
import type { TurnJson } from '../../../tasks/shapes/turn.ts';
import type { RoomFacts } from './room-facts.ts';
import type { ScreenState } from './screen-state.ts';
import { taskFilter, textFilter } from './task-filter.ts';
import { GROUPS, type Group, groupTasks, placesThatDiffer, type TaskRow } from './task-groups.ts';

export type Row =
  /** `isFirst` of the whole view. */
  (
    | { kind: 'heading'; title: string; count: number; isFirst: boolean }
    | Omit<TaskRow, 'key'>
    | { kind: 'turn'; turn: TurnJson; task: TaskView | null; said: string | null }
    | { kind: 'inbox'; item: InboxItem; task: TaskView | null }
    | { kind: 'chore'; chore: ChoreJson; mirrors: string | null }
    | { kind: 'note'; text: string }
  ) & { key: string };

/** Of done tasks, where not all are asked for. */
const DONE_SHOWN = 5;
/** Of the inbox, beside everything else. */
const INBOX_SHOWN = 5;

export function rowsOf(facts: RoomFacts, state: ScreenState): Row[] {
  const rows = viewRows(facts, state);
  if (rows[0]?.kind === 'heading') rows[0] = { ...rows[0], isFirst: true };
  return rows;
}

function viewRows(facts: RoomFacts, state: ScreenState): Row[] {
  switch (state.view) {
    case 'room':
      return roomRows(facts, state);
    case 'inbox':
      return inboxOf(facts, state).map((item) => inboxRow(item, facts));
    case 'turns':
      return turnRows(facts, state);
    case 'chores':
      return choreRows(facts, state);
  }
}

export interface TaskCount {
  done: number;
  /** Canceled ones count for nothing. */
  all: number;
  /** Their last turn wrote nothing. */
  silent: number;
}

let counted: { tasks: readonly TaskView[]; by: readonly unknown[]; count: TaskCount } | null = null;

/** Of the tasks that are shown where nothing is searched for. Only those that changed since are counted anew. */
export function countTasks({ tasks }: Pick<RoomFacts, 'tasks'>, state: ScreenState): TaskCount {
  const by = [state.scope, state.cleared];
  const fits = taskFilter({ ...state, search: '', filter: '' });
  const isKept = counted?.by.every((each, at) => each === by[at]);
  const before = isKept ? counted!.tasks : [];
  const changed = placesThatDiffer(before, tasks);
  const count = changed === null ? { done: 0, all: 0, silent: 0 } : { ...counted!.count };
  if (changed === null) for (const task of tasks) add(count, task, fits, 1);
  else
    for (const at of changed) {
      add(count, before[at]!, fits, -1);
      add(count, tasks[at]!, fits, 1);
    }
  counted = { tasks, by, count };
  return count;
}

function add(count: TaskCount, task: TaskView, fits: (task: TaskView) => boolean, sign: 1 | -1): void {
  if (task.status === 'canceled' || !fits(task)) return;
  count.all += sign;
  if (task.status === 'done') count.done += sign;
  else if (task.nothingWritten) count.silent += sign;
}

function roomRows(facts: RoomFacts, state: ScreenState): Row[] {
  const groups = groupTasks(facts.tasks, state);
  const rows = [...runningRows(facts, state), ...needsRows(facts, state)];
  for (const group of GROUPS)
    for (const row of groupRows(group, groups.get(group) ?? [], state)) rows.push(row);
  return rows;
}

function runningRows(facts: RoomFacts, state: ScreenState): Row[] {
  const rows = turnsOf(facts.running, facts, state).map((turn) => runningRow(turn, facts));
  return rows.length === 0 ? [] : [heading('Running', rows.length), ...rows];
}

function runningRow(turn: TurnJson, facts: RoomFacts): Row {
  const task = taskOf(facts, taskOfThread(turn.thread));
  const said = facts.said.get(turn.id) ?? null;
  if (task === null) return { kind: 'turn', key: `turn:${turn.id}`, turn, task, said };
  return { kind: 'task', key: `task:${task.path}`, task, turn, said };
}

function needsRows(facts: RoomFacts, state: ScreenState): Row[] {
  const items = inboxOf(facts, state);
  if (items.length === 0) return [];
  const more = items.length - INBOX_SHOWN;
  const rows = items.slice(0, INBOX_SHOWN).map((item) => inboxRow(item, facts));
  if (more > 0) rows.push({ kind: 'note', key: 'note:inbox', text: `… and ${more} more: press 2` });
  return [heading('Needs you', items.length), ...rows];
}

function groupRows(group: Group, tasks: readonly TaskRow[], { allDone }: ScreenState): Row[] {
  if (tasks.length === 0) return [];
  const isOver = isFinished(tasks[0]!.task.status);
  const most = allDone ? tasks.length : group === 'Done' ? DONE_SHOWN : 0;
  const shown = isOver ? newestOf(tasks, most) : tasks;
  const more = tasks.length - shown.length;
  const rest: Row[] =
    more > 0 && shown.length > 0
      ? [{ kind: 'note', key: `note:${group}`, text: `… and ${more} more: press d` }]
      : [];
  return [heading(group, tasks.length), ...shown, ...rest];
}

/** Newest first. Of thousands a few are shown: those are not worth putting all in order, ten times a second. */
function newestOf(rows: readonly TaskRow[], most: number): TaskRow[] {
  const newer = (a: TaskRow, b: TaskRow) => (b.task.finishedAt ?? 0) - (a.task.finishedAt ?? 0);
  if (most >= rows.length) return rows.toSorted(newer);
  const newest: TaskRow[] = [];
  if (most === 0) return newest;
  for (const row of rows) {
    if (newest.length === most && newer(row, newest.at(-1)!) >= 0) continue;
    newest.push(row);
    newest.sort(newer);
    if (newest.length > most) newest.pop();
  }
  return newest;
}

const heading = (title: string, count: number): Row => ({
  kind: 'heading',
  key: `heading:${title}`,
  title,
  count,
  isFirst: false,
});

function inboxRow(item: InboxItem, facts: RoomFacts): Row {
  return { kind: 'inbox', key: `inbox:${item.key}`, item, task: taskOf(facts, item.task) };
}

function inboxOf(facts: RoomFacts, state: ScreenState): InboxItem[] {
  const said = textFilter(state);
  const fits = taskFilter({ ...state, search: '' });
  const narrowed = state.scope !== null || state.filter !== '';
  return facts.inbox.filter((item) => {
    const task = taskOf(facts, item.task);
    return (task === null ? !narrowed : fits(task)) && said(`${item.name ?? ''} ${item.text}`);
  });
}

/** Those that the search and the filter let through. */
function turnsOf(turns: readonly TurnJson[], facts: RoomFacts, state: ScreenState): TurnJson[] {
  const said = textFilter(state);
  const fits = taskFilter({ ...state, search: '', cleared: new Set() });
  const narrowed = state.scope !== null || state.filter !== '';
  return turns.filter((turn) => {
    const task = taskOf(facts, taskOfThread(turn.thread));
    return (task === null ? !narrowed : fits(task)) && said(`${turn.description} ${turn.agent} ${turn.id}`);
  });
}

function turnRows(facts: RoomFacts, state: ScreenState): Row[] {
  const ended = turnsOf(facts.ended, facts, state).map((turn): Row => {
    const task = taskOf(facts, taskOfThread(turn.thread));
    return { kind: 'turn', key: `turn:${turn.id}`, turn, task, said: null };
  });
  const running = turnsOf(facts.running, facts, state).map((turn): Row => {
    const task = taskOf(facts, taskOfThread(turn.thread));
    return { kind: 'turn', key: `turn:${turn.id}`, turn, task, said: facts.said.get(turn.id) ?? null };
  });
  return [
    ...(running.length === 0 ? [] : [heading('Running', running.length), ...running]),
    ...(ended.length === 0 ? [] : [heading('Ended', ended.length), ...ended]),
  ];
}

function choreRows(facts: RoomFacts, state: ScreenState): Row[] {
  const said = textFilter(state);
  const broken = facts.brokenChores.map(
    (text): Row => ({ kind: 'note', key: `note:${text}`, text: `✗ ${text}` }),
  );
  const chores = facts.chores
    .filter(({ name, source }) => said(`${name} ${source ?? ''}`))
    .map(
      (chore): Row => ({
        kind: 'chore',
        key: `chore:${chore.name}`,
        chore,
        mirrors: facts.mirrors.get(chore.name) ?? null,
      }),
    );
  return [...chores, ...broken];
}

// Places of ids in the list: most lists differ from the one before in few tasks, and in no place.
let places = new Map<TaskId, number>();
let placedIn: readonly TaskView[] | null = null;

/** The task of that id. */
export function taskOf({ tasks }: Pick<RoomFacts, 'tasks'>, id: TaskId | null): TaskView | null {
  if (id === null) return null;
  const known = tasks[places.get(id) ?? -1];
  if (known?.id === id) return known;
  if (placedIn === tasks) return null;
  places = new Map(tasks.flatMap((task, at) => (task.id === null ? [] : [[task.id, at] as const])));
  placedIn = tasks;
  return tasks[places.get(id) ?? -1] ?? null;
}
