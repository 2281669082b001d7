import { count, flag, instant, operation, orNull, text, z } from '../operation.ts';

export const checkHooks = operation({
  summary: 'show which webhooks arrive, and what is missing',
  about: "Says which webhooks of trackers arrive, and what is missing for the room's mirrors to hear theirs.",
  needs: 'read',
  outsideTurns: true,
  http: { method: 'get', path: '/api/hooks' },
  cli: {
    command: 'doctor',
    flag: ['hooks', 'only which webhooks arrive, and what is missing'],
    aliases: ['hooks check', 'hooks'],
    exit: ['healthy', 6],
  },
  output: () => ({
    healthy: flag(),
    address: orNull(text(), 'where they are heard now'),
    checks: z.array(
      z.strictObject({
        ...{ about: text(), state: z.enum(['ok', 'warn', 'fail']), text: text(), hint: text().nullable() },
      }),
    ),
    deliveries: z.array(
      z.strictObject({
        ...{ provider: text(), chore: text().nullable(), what: text(), count: count() },
        at: instant().meta({ description: 'of the last one' }),
      }),
    ),
  }),
  run: async ({ ports }) => ports.examineWebhooks!(),
});
