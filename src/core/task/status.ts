// What statuses mean: which task is over, who may move between them, how tasks stand. The priorities of tasks.
import { type OwnStatuses, readStatus, type Status } from '../status-words.ts';

export * from '../status-words.ts';

export const PRIORITIES = ['high', 'medium', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

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

type AskingTask = { status: Status; questions?: readonly { answer: string | null }[] };

// How a task stands, in the words of every header that counts tasks: each task counts once.

/** In the order in which headers say them. */
export const STANDINGS = [
  ...(['running', 'waiting', 'paused', 'doing', 'todo', 'draft', 'done', 'canceled'] as const),
] as const;
export type Standing = (typeof STANDINGS)[number];
export type StandingCounts = Readonly<Record<Standing, number>>;

export interface StandingTask {
  status: Status;
  running: string | null; // The turn that runs on it.
  waiting: boolean; // A question of it has no answer.
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
