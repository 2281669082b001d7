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

/** The statuses of a room's own, in its order, each with the one that it counts as. */
export type OwnStatuses = Readonly<Record<string, Status>>;

/** What a status word says. `ownStatus` is the word of the room's own; everything is decided by `status`. */
export interface SaidStatus {
  status: Status;
  ownStatus?: string;
}

/** As status words are compared: case and blanks around them do not count. */
export const cleanStatus = (word: string): string => word.trim().toLowerCase().replace(/\s+/g, ' ');

export const isStatus = (word: string): word is Status => (STATUSES as readonly string[]).includes(word);

/** What a word means; null for an unknown one. */
export function readStatus(word: string, ownStatuses: () => OwnStatuses): SaidStatus | null {
  const clean = cleanStatus(word);
  if (isStatus(clean)) return { status: clean };
  if (Object.hasOwn(ALIASES, clean)) return { status: ALIASES[clean]! };
  const own = ownStatuses();
  return Object.hasOwn(own, clean) ? { status: own[clean]!, ownStatus: clean } : null;
}

export const parseStatus = (word: string): Status | null => readStatus(word, () => ({}))?.status ?? null;

/** What stands in the file, or is to: the word of the room's own where there is one. */
export const statusWord = ({ status, ownStatus, own_status = ownStatus }: Shown): string =>
  own_status ?? status;

interface Shown {
  status: Status;
  ownStatus?: string | undefined;
  /** As JSON has it. */
  own_status?: string | undefined;
}

/** Hides a task (G5): no status that a task can have, but a word in its place. */
export const DELETED = 'deleted';

export const saysDeleted = (word: string): boolean => word.trim().toLowerCase() === DELETED;

/** True for done and canceled: the task is over until someone reopens it. */
export const isFinished = (status: Status): boolean => status === 'done' || status === 'canceled';

/** Whether a word says that a task is over. */
export function saysFinished(word: string, own: OwnStatuses): boolean {
  const said = readStatus(word, () => own);
  return said !== null && isFinished(said.status);
}

/** True when the move leaves done or canceled for an open status: people and trackers may, agents may not (S4). */
export const isReopen = (from: Status, to: Status): boolean => isFinished(from) && !isFinished(to);

/** Whether an open task has a question without an answer. A finished task waits for nothing. */
export const isWaitingForAnswer = ({ status, questions = [] }: AskingTask): boolean =>
  !isFinished(status) && questions.some(({ answer }) => answer === null);

interface AskingTask {
  status: Status;
  questions?: readonly { answer: string | null }[];
}

// How a task stands, in the words of every header that counts tasks: each task counts once.

/** In the order in which headers say them. */
export const STANDINGS = [
  ...(['running', 'waiting', 'paused', 'doing', 'todo', 'draft', 'done', 'canceled'] as const),
] as const;
export type Standing = (typeof STANDINGS)[number];
export type StandingCounts = Readonly<Record<Standing, number>>;

export interface StandingTask {
  status: Status;
  /** The turn that runs on it. */
  running: string | null;
  /** A question of it has no answer. */
  waiting: boolean;
  paused: boolean;
}

export function standingOf({ status, running, waiting, paused }: StandingTask): Standing {
  if (isFinished(status)) return status;
  if (running !== null) return 'running';
  if (waiting) return 'waiting';
  return paused ? 'paused' : status;
}

export function countStandings(tasks: Iterable<StandingTask>): Record<Standing, number> {
  const counts = Object.fromEntries(STANDINGS.map((standing) => [standing, 0])) as Record<Standing, number>;
  for (const task of tasks) counts[standingOf(task)] += 1;
  return counts;
}

/** Those that there are, but for canceled ones: `['todo', '2 to do']`. */
export function standingTexts(counts: StandingCounts): [Standing, text: string][] {
  const words = { waiting: counts.waiting === 1 ? 'waits for you' : 'wait for you', todo: 'to do' };
  return STANDINGS.filter((each) => counts[each] > 0 && each !== 'canceled').map((each) => {
    return [each, `${counts[each]} ${words[each as keyof typeof words] ?? each}`];
  });
}
