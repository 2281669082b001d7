import { count, flag, operation } from '../operation.ts';

// On the command line `run --all`.
export const release = operation({
  summary: 'release every held task',
  needs: 'person',
  http: { method: 'post', path: '/api/tasks/release' },
  output: () => ({ released: count(), daemon: flag() }),
  run: async (on) => (await import('../../tasks/change/ask-for-turns.ts')).releaseTasks(on),
});
