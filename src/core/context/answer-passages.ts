// Answers that are news to a task as passages of prompt and brief: each question, then what was answered, with who stands
// behind it.
import type { TurnContext } from './context-shape.ts';
import type { Fenced, Trust } from './fence.ts';

type AnsweredQuestion = NonNullable<TurnContext['answers']>[number];

/** @param trustOf who stands behind an answer, by its place among those of its question */
export function answerPassages(
  answers: readonly AnsweredQuestion[],
  trustOf: (question: AnsweredQuestion, index: number) => Trust,
): Fenced[] {
  return answers.flatMap((answered) => {
    const { author, at, text } = answered.question;
    const what = answered.withdrawn ? `question, ${WITHDRAWN}` : 'question';
    const given = answered.answers.map((answer, index) => ({
      what: 'answer',
      author: answer.author ?? 'the file',
      role: answer.role,
      ...(answer.at === null ? {} : { at: answer.at }),
      trust: trustOf(answered, index),
      text: answer.text,
    }));
    return [{ what, author, at, trust: 'agent' as const, text }, ...given];
  });
}

const WITHDRAWN = 'taken out of the file without an answer: decide yourself where that is safe, or ask anew';
