// The tasks of the room's view in their groups, kept from one frame to the next: of ten thousand tasks the few that changed
// since are taken from their old group and put into the new one.
import type { TaskView } from '../../../tasks/contract/operations.ts';
import type { TurnJson } from '../../../tasks/shapes/turn.ts';
import type { ScreenState } from './screen-state.ts';
import { taskFilter } from './task-filter.ts';

/** Without those that run: the runtime tells those, turn by turn. */
export const GROUPS = [
  'Ended, and wrote nothing',
  'Next',
  'Doing',
  'Todo',
  'Waiting',
  'Draft',
  'Done',
  'Canceled',
] as const;

export type Group = (typeof GROUPS)[number] | 'Running';

export interface TaskRow {
  kind: 'task';
  key: string;
  task: TaskView;
  turn: TurnJson | null;
  said: string | null;
}

/** The rows of a group in the order of the list, and the place of each in it. */
interface Members {
  places: number[];
  rows: TaskRow[];
}

type Tasks = readonly TaskView[];
type Fits = (task: TaskView) => boolean;

interface Grouped {
  tasks: Tasks;
  /** What says which of them are shown. */
  by: readonly unknown[];
  members: Map<Group, Members>;
}

// Beyond that many changes, all is put together anew.
const FEW = 500;

let last: Grouped | null = null;

/** @returns the shown tasks of each group; the arrays are others' until the next call */
export function groupTasks(
  tasks: Tasks,
  state: ScreenState,
): { get(group: Group): readonly TaskRow[] | undefined } {
  const by = [state.search, state.filter, state.scope, state.cleared];
  const fits = taskFilter(state);
  const isKept = last?.by.every((each, at) => each === by[at]);
  const changed = isKept ? placesThatDiffer(last!.tasks, tasks) : null;
  if (changed === null) last = { tasks, by, members: sortOut(tasks, fits) };
  else {
    for (const at of changed) move(last!, tasks, at, fits);
    last!.tasks = tasks;
  }
  const { members } = last!;
  return { get: (group) => members.get(group)?.rows };
}

/** Where two lists of one length have another task; null where they are too different to go by that. */
export function placesThatDiffer(before: Tasks, now: Tasks): number[] | null {
  const places: number[] = [];
  if (before === now) return places;
  if (before.length !== now.length || now.length === 0) return null;
  for (let at = 0; at < now.length; at += 1) {
    if (before[at] === now[at]) continue;
    places.push(at);
    if (places.length > FEW) return null;
  }
  return places;
}

function sortOut(tasks: Tasks, fits: Fits): Map<Group, Members> {
  const members = new Map<Group, Members>();
  for (const [at, task] of tasks.entries()) {
    if (!fits(task)) continue;
    const { places, rows } = membersOf(members, groupOf(task));
    places.push(at);
    rows.push(rowOf(task));
  }
  return members;
}

function move({ tasks: before, members }: Grouped, now: Tasks, at: number, fits: Fits): void {
  const [old, task] = [before[at]!, now[at]!];
  if (fits(old)) {
    const { places, rows } = membersOf(members, groupOf(old));
    const place = placeOf(places, at);
    places.splice(place, 1);
    rows.splice(place, 1);
  }
  if (fits(task)) {
    const { places, rows } = membersOf(members, groupOf(task));
    const place = placeOf(places, at);
    places.splice(place, 0, at);
    rows.splice(place, 0, rowOf(task));
  }
}

function membersOf(members: Map<Group, Members>, group: Group): Members {
  let found = members.get(group);
  if (found === undefined) {
    found = { places: [], rows: [] };
    members.set(group, found);
  }
  return found;
}

/** Where `at` is, or belongs, among ascending places. */
function placeOf(places: readonly number[], at: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (places[middle]! < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

const rowOf = (task: TaskView): TaskRow => ({
  kind: 'task',
  key: `task:${task.path}`,
  task,
  turn: null,
  said: null,
});

function groupOf(task: TaskView): Group {
  if (task.running !== null) return 'Running';
  if (task.status === 'done') return 'Done';
  if (task.status === 'canceled') return 'Canceled';
  if (task.status === 'draft') return 'Draft';
  if (task.paused || task.blocked || task.waiting || task.held) return 'Waiting';
  if (task.pending || task.retryAt !== null) return 'Next';
  if (task.nothingWritten) return 'Ended, and wrote nothing';
  return task.status === 'doing' ? 'Doing' : 'Todo';
}
