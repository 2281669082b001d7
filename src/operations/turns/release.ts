import * as z from 'zod';
import { count } from '../../core/shapes.ts';
import { operation } from '../operation.ts';

// On the command line `run --all`.
export const release = operation({
  name: 'release',
  summary: 'release every held task',
  needs: 'person',
  http: { method: 'post', path: '/api/tasks/release' },
  output: () => z.strictObject({ released: count(), daemon: z.boolean() }),
  run: async (on) => (await import('../../tasks/change/ask-for-turns.ts')).releaseTasks(on),
});
