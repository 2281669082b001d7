import * as z from 'zod';
import { ref } from '../../core/shapes.ts';
import { changedAnswer } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const block = operation({
  name: 'block',
  summary: 'make a task wait for another',
  about: 'It has no turn until that is done. What would go round in a circle is refused.',
  needs: 'write',
  http: { method: 'post', path: '/api/tasks/{ref}/block' },
  input: () =>
    z.strictObject({
      ref: ref(),
      by: ref().meta({ description: 'what it waits for' }),
    }),
  output: changedAnswer,
  run: async (on, { ref: task, by }, actor) =>
    (await import('../../tasks/change/set-keys.ts')).blockTask(on, task, by, actor),
});
