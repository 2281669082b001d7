import { count, flag, instant, operation, text, z } from '../operation.ts';

export const checkHooks = operation({
  summary: 'show which webhooks arrive, and what is missing',
  about: "Says which webhooks of trackers arrive, and what is missing for the room's mirrors to hear theirs.",
  needs: 'read',
  outsideTurns: true,
  http: { method: 'get', path: '/api/hooks' },
  cli: {
    command: 'hooks check',
    examples: [
      ['taskroom hooks check', 'what arrived, and what to set up at the tracker'],
      ["taskroom hooks check --json | jq '.deliveries'", 'counts by event and by why they were refused'],
    ],
    notes: `Asks nobody over the network. Exit code 0 when nothing fails, else 6.
With --json: {"healthy","address","checks":[{"about","state","text","hint"}],
"deliveries":[{"provider","chore","what","count","at"}]}; chore is null for those that concern none.`,
    exit: ['healthy', 6],
  },
  output: () => ({
    healthy: flag(),
    address: text().nullable().meta({ description: 'where they are heard now' }),
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
