import * as z from 'zod';
import { byStatus, instant, text } from '../../core/shapes.ts';
import { operation } from '../operation.ts';

export const listScopes = operation({
  name: 'listScopes',
  summary: 'the sets that tasks belong to',
  about: 'Those that were made in the order of their making, then those that only files name.',
  needs: 'read',
  http: { method: 'get', path: '/api/scopes' },
  cli: { command: 'scope list', words: [] },
  output: () =>
    z.strictObject({
      scopes: z.array(
        z
          .strictObject({
            name: text(),
            created_by: text()
              .nullable()
              .meta({ description: '`owner` or `agent:<id>`; null for one that only files name' }),
            chore: text().nullable().meta({ description: 'whose turn made it for itself' }),
            created_at: instant().nullable(),
            counts: byStatus().meta({ description: 'of the files in tasks/' }),
          })
          .meta({ id: 'Scope' }),
      ),
    }),
  run: async (on) => ({ scopes: await (await import('../../tasks/scopes/scopes.ts')).listScopes(on) }),
});
