import { byStatus, instant, operation, orNull, text, z } from '../operation.ts';

export const listScopes = operation({
  summary: 'list the sets that tasks belong to',
  about: 'Those that were made in the order of their making, then those that only files name.',
  needs: 'read',
  http: { method: 'get', path: '/api/scopes' },
  cli: {
    command: 'scope list',
    about: [
      'sets of tasks that belong together',
      'Scopes: sets of tasks that belong together, by the scope: in their front matter. Deleting one moves its tasks to the attic.',
    ],
    examples: {
      'taskroom scope': 'all scopes with their tasks',
      'taskroom scope new spike': 'make one, for taskroom new --scope spike',
      'taskroom scope delete spike': 'take all its tasks away',
    },
  },
  output: () => ({
    scopes: z.array(
      z
        .strictObject({
          name: text(),
          created_by: orNull(text(), '`owner` or `agent:<id>`; null for one that only files name'),
          chore: orNull(text(), 'whose turn made it for itself'),
          created_at: instant().nullable(),
          counts: byStatus().meta({ description: 'of the files in tasks/' }),
        })
        .meta({ id: 'Scope' }),
    ),
  }),
  run: async (on) => ({ scopes: await (await import('../../tasks/change/scopes.ts')).listScopes(on) }),
});
