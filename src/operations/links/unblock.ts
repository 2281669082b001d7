import * as z from 'zod';
import { ref } from '../../core/shapes.ts';
import { changedAnswer } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const unblock = operation({
  name: 'unblock',
  summary: 'let it wait for that one no more',
  about: 'Nothing is changed when it did not.',
  needs: 'write',
  http: { method: 'post', path: '/api/tasks/{ref}/unblock' },
  input: () =>
    z.strictObject({
      ref: ref(),
      by: ref().meta({ description: 'what it waited for' }),
    }),
  output: changedAnswer,
  run: async (on, { ref: task, by }, actor) =>
    (await import('../../tasks/change/set-keys.ts')).unblockTask(on, task, by, actor),
});
