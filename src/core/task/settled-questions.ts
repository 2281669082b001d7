// Which questions of a long section may leave the file: those whose answers a turn has dealt with, with all that was said on
// them. One that is open, or whose answer nobody has acted on yet, never does.
import { isOpen, type Question, readQuestions } from './body/questions.ts';
import { hashOfAnswers } from './read-task.ts';

interface Span {
  start: number;
  end: number;
}

/** Keys of questions, each with the hash of the answers that a turn has dealt with. */
export type SettledAnswers = ReadonlyMap<string, string>;

export function isSettled(question: Question, settled: SettledAnswers): boolean {
  return !isOpen(question) && settled.get(question.key) === hashOfAnswers(question);
}

/** What may go, in groups that go together: question, answers and what was typed below them; the one last spoken of last. */
export function settledGroups(body: string, settled: SettledAnswers): Span[][] {
  if (settled.size === 0) return [];
  return readQuestions(body)
    .filter((question) => isSettled(question, settled))
    .map(({ spans }) => spans)
    .toSorted((a, b) => a.at(-1)!.start - b.at(-1)!.start);
}
