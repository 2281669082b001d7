import { operation, text, z } from '../operation.ts';

export const examine = operation({
  summary: 'look for what is wrong with the room',
  about: "Runs programs of its agents, and writes a probe. Of the caller's own machine it tells nothing.",
  needs: 'person',
  http: { method: 'post', path: '/api/doctor' },
  output: () => ({
    checks: z.array(
      z
        .strictObject({
          name: text('what was looked at'),
          state: z.enum(['ok', 'warn', 'fail']),
          text: text(),
          hint: text().nullable(),
        })
        .meta({ id: 'Finding' }),
    ),
  }),
  run: async ({ ports }) => ({ checks: await ports.examine!() }),
});
