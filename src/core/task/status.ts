// The one set of statuses, the other words accepted on input, and who may move between them.
// The priorities of tasks.
export const PRIORITIES = ['high', 'medium', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

export const STATUSES = ['draft', 'todo', 'doing', 'done', 'canceled'] as const;
export type Status = (typeof STATUSES)[number];

const ALIASES: Readonly<Record<string, Status>> = {
  pending: 'todo',
  open: 'todo',
  backlog: 'todo',
  'to do': 'todo',
  'to-do': 'todo',
  to_do: 'todo',
  active: 'doing',
  in_progress: 'doing',
  'in-progress': 'doing',
  'in progress': 'doing',
  running: 'doing',
  started: 'doing',
  completed: 'done',
  complete: 'done',
  closed: 'done',
  cancelled: 'canceled',
  abandoned: 'canceled',
  killed: 'canceled',
};

/** Words that mean one of them. */
export const STATUS_WORDS: readonly string[] = [...STATUSES, ...Object.keys(ALIASES)];

/** The status a word means, or null for an unknown one. Case and surrounding space do not count. */
export function parseStatus(word: string): Status | null {
  const clean = word.trim().toLowerCase().replace(/\s+/g, ' ');
  if ((STATUSES as readonly string[]).includes(clean)) return clean as Status;
  return Object.hasOwn(ALIASES, clean) ? ALIASES[clean]! : null;
}

/** Hides a task (G5): no status that a task can have, but a word in its place. */
export const DELETED = 'deleted';

export function saysDeleted(word: string): boolean {
  return word.trim().toLowerCase() === DELETED;
}

/** True for done and canceled: the task is over until someone reopens it. */
export function isFinished(status: Status): boolean {
  return status === 'done' || status === 'canceled';
}

/** True when the move leaves done or canceled for an open status: people and trackers may, agents may not (S4). */
export function isReopen(from: Status, to: Status): boolean {
  return isFinished(from) && !isFinished(to);
}

/** Whether an open task has a question without an answer. A finished task waits for nothing. */
export function isWaitingForAnswer({ status, questions = [] }: AskingTask): boolean {
  return !isFinished(status) && questions.some(({ answer }) => answer === null);
}

interface AskingTask {
  status: Status;
  questions?: readonly { answer: string | null }[];
}
