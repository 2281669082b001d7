// What a list shows and in which order, read from the query of the address.
import { PRIORITIES } from '../../../core/task/status.ts';
import type { TaskRow } from '../../api/shapes.ts';

export type Wanted = (task: TaskRow) => boolean;

/** Keys of the query that filter. */
export const FILTER_KEYS = [
  ...(['text', 'status', 'owner', 'label', 'sprint', 'scope', 'artifact', 'priority', 'sign'] as const),
];
/** Orders, with what they go by. */
export const SORT_NAMES = {
  room: 'the room’s order',
  name: 'name',
  status: 'status',
  priority: 'priority',
  due: 'due date',
  finished: 'when finished',
} as const;
type SortKey = keyof typeof SORT_NAMES;

/** Kinds of tasks one looks for beside what their files say. */
export const SIGNS: Readonly<Record<string, Wanted>> = {
  running: (task) => task.running !== null,
  waiting: (task) => task.waiting,
  paused: (task) => task.paused,
  blocked: (task) => task.blocked,
  silent: (task) => task.nothing_written,
  queued: (task) => task.pending,
};

/** Whether a task is shown; words count in any order, in name, title, labels, owner, sprint and id. */
export function readFilter(query: URLSearchParams): Wanted {
  const said = Object.fromEntries(FILTER_KEYS.map((key) => [key, query.get(key)]));
  const checks: Wanted[] = [];
  const words = (said.text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length > 0) checks.push((task) => words.every((word) => textOf(task).includes(word)));
  const statuses = said.status?.split(',');
  if (statuses !== undefined) checks.push(({ status }) => statuses.includes(status));
  if (said.owner) checks.push(({ owner }) => owner === said.owner);
  if (said.label) checks.push(({ labels }) => labels.includes(said.label!));
  if (said.sprint) checks.push(({ sprint }) => sprint === said.sprint);
  if (said.scope) checks.push(({ scope }) => scope === said.scope);
  if (said.artifact) checks.push(({ artifact }) => nameOf(artifact) === nameOf(said.artifact!));
  if (said.priority) checks.push(({ priority }) => (priority ?? 'medium') === said.priority);
  const sign = SIGNS[said.sign ?? ''];
  if (sign !== undefined) checks.push(sign);
  return (task) => checks.every((check) => check(task));
}

/** A document may be named with its folder and ending. */
function nameOf(artifact: string | null): string | null {
  return artifact === null ? null : artifact.replace(/^artifacts\/|\.md$/g, '');
}

const texts = new WeakMap<TaskRow, string>();

function textOf(task: TaskRow): string {
  const known = texts.get(task);
  if (known !== undefined) return known;
  const { name, title, labels, owner, sprint, id, requester } = task;
  const text = [name, title, ...labels, owner, sprint, id, requester].join('\n').toLowerCase();
  texts.set(task, text);
  return text;
}

const placeOf = ({ priority }: TaskRow) => PRIORITIES.indexOf(priority ?? 'medium');
const STATUS_ORDER: Readonly<Record<string, number>> = { doing: 0, todo: 1, draft: 2, done: 3, canceled: 4 };

/** Null leaves the room's own order. */
export function readOrder(query: URLSearchParams): ((one: TaskRow, other: TaskRow) => number) | null {
  const sign = query.get('down') === null ? 1 : -1;
  const compare = orderBy((query.get('sort') ?? 'room') as SortKey);
  return compare === null ? null : (one, other) => sign * compare(one, other);
}

function orderBy(key: SortKey): ((one: TaskRow, other: TaskRow) => number) | null {
  switch (key) {
    case 'name':
      return byText((task) => task.title ?? task.name);
    case 'status':
      return (one, other) => STATUS_ORDER[one.status]! - STATUS_ORDER[other.status]!;
    case 'priority':
      return (one, other) => placeOf(one) - placeOf(other);
    case 'due':
      return byText((task) => task.due ?? '\uffff');
    case 'finished':
      return byText((task) => task.finished_at ?? '\uffff');
    default:
      return null;
  }
}

function byText(of: (task: TaskRow) => string) {
  return (one: TaskRow, other: TaskRow): number => {
    const [a, b] = [of(one), of(other)];
    return a < b ? -1 : Number(a > b);
  };
}
