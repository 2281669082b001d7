// What a list shows and in which order, read from the query of the address.
import { isFinished, PRIORITIES } from '../../../core/task/status.ts';
import type { TaskRow } from '../../api/shapes.ts';

export type Wanted = (task: TaskRow) => boolean;

/** Keys of the query that filter. */
export const FILTER_KEYS = [
  ...(['text', 'status', 'owner', 'label', 'sprint', 'scope', 'artifact', 'priority', 'sign'] as const),
];

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
  if (words.length > 0) checks.push((task) => hasWords(task, words));
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

/** Whether name, title, labels, owner, sprint or id hold all of these words. @param words in small letters */
export function hasWords(task: TaskRow, words: readonly string[]): boolean {
  return words.every((word) => textOf(task).includes(word));
}

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
/** Behind all texts. */
const LAST = '\uffff';

type Compare = (one: TaskRow, other: TaskRow) => number;

/** By the names of columns. */
const ORDERS: Readonly<Record<string, Compare>> = {
  title: byText((task) => task.title ?? task.name),
  status: (one, other) => STATUS_ORDER[one.status]! - STATUS_ORDER[other.status]!,
  priority: (one, other) => placeOf(one) - placeOf(other),
  due: byText(({ due }) => due ?? LAST),
  owner: byText(({ owner }) => owner ?? LAST),
  steps: (one, other) => shareOf(other) - shareOf(one),
  labels: byText(({ labels }) => labels.join() || LAST),
  finished: byText(({ finished_at: at }) => at ?? LAST),
};

const shareOf = ({ steps: { done, total } }: TaskRow) => (total === 0 ? -1 : done / total);

/** Open tasks first, in the room's own order, where the address names none. */
export function readOrder(query: URLSearchParams): Compare {
  const sign = query.get('down') === null ? 1 : -1;
  const compare = ORDERS[query.get('sort') ?? ''];
  if (compare === undefined)
    return (one, other) => Number(isFinished(one.status)) - Number(isFinished(other.status));
  return (one, other) => sign * compare(one, other);
}

function byText(of: (task: TaskRow) => string): Compare {
  return (one, other) => {
    const [a, b] = [of(one), of(other)];
    return a < b ? -1 : Number(a > b);
  };
}
