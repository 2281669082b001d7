import * as z from 'zod';
import { ref, text } from '../../core/shapes.ts';
import { askedAnswer } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const answer = operation({
  name: 'answer',
  summary: 'answer what an agent asked',
  about:
    'Answers the question that a task waits with: its agent goes on with the answer, in the same session. With no open question it is another answer to the newest one.',
  needs: 'person',
  http: { method: 'post', path: '/api/tasks/{ref}/answer' },
  input: () =>
    z.strictObject({
      ref: ref(),
      text: text(),
      question: text()
        .exactOptional()
        .meta({ description: 'its key, or how that begins, where several are open' }),
    }),
  output: askedAnswer,
  run: async (on, { ref: task, text: words, question }, actor) =>
    (await import('../../tasks/change/questions.ts')).answer(on, task, words, actor, question),
});
