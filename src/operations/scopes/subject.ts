import type { Subject } from '../operation.ts';

export const subject: Subject = {
  command: 'scope',
  summary: 'sets of tasks that belong together',
  about:
    'Scopes: sets of tasks that belong together, by the scope: in their front matter. Deleting one moves its tasks to the attic.',
  examples: [
    ['taskroom scope', 'all scopes with their tasks'],
    ['taskroom scope new spike', 'make one, for taskroom new --scope spike'],
    ['taskroom scope delete spike', 'take all its tasks away'],
  ],
};
