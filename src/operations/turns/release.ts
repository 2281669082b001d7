import * as z from 'zod';
import { count } from '../../core/shapes.ts';
import { operation } from '../operation.ts';

// On the command line `run --all`.
export const release = operation({
  name: 'release',
  summary: 'release every held task',
  needs: 'person',
  level: 'full',
  http: { method: 'post', path: '/api/tasks/release' },
  cli: null,
  tool: null,
  input: () => z.strictObject({}),
  output: () => z.strictObject({ released: count(), daemon: z.boolean() }),
  run: async (on) => (await import('../../tasks/change/ask-for-turns.ts')).releaseTasks(on),
});
