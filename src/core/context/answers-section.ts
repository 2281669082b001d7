// What a prompt says of answers that are news to a task: each with its question and with who gave it. All of it is data:
// it stands between this turn's markers.
import type { TurnContext } from './context-shape.ts';
import { fence, type Trust } from './prompt.ts';

type AnsweredQuestion = NonNullable<TurnContext['answers']>[number];

/** @param trustOf who stands behind an answer, in the order of the context's */
export function answersSection(
  answers: readonly AnsweredQuestion[],
  trustOf: (question: AnsweredQuestion, index: number) => Trust,
  tag: string,
): string {
  const parts = answers.map((question) => {
    const { author, at, text } = question.question;
    const asked = fence({ what: 'question', author, at, trust: 'agent', text }, tag);
    if (question.withdrawn) return `${asked}\n${WITHDRAWN}`;
    const given = question.answers.map((answer, index) =>
      fence(
        {
          what: 'answer',
          author: answer.author ?? 'the file',
          role: answer.role,
          ...(answer.at === null ? {} : { at: answer.at }),
          trust: trustOf(question, index),
          text: answer.text,
        },
        tag,
      ),
    );
    return [asked, ...given].join('\n');
  });
  return ['## Answers to what was asked', ...parts].join('\n');
}

const WITHDRAWN =
  'It was taken out of the file without an answer: decide yourself where that is safe, or ask anew.';
