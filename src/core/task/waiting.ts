// Whether a task waits for its person to answer: what its file says alone, without the parsers.
import { isFinished } from './status.ts';
import type { Task } from './task.ts';

/** An open task with a question that nobody answered. One that is over waits for nothing. */
export function isWaitingForAnswer({ status, questions = [] }: Pick<Task, 'status' | 'questions'>): boolean {
  return !isFinished(status) && questions.some(({ answer }) => answer === null);
}
