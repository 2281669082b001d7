import { operation, problem, text, z } from '../operation.ts';

export const roomFacts = operation({
  summary: 'show who runs the room, and what is wrong with its settings and outside',
  needs: 'read',
  outsideTurns: true,
  http: { method: 'get', path: '/api/facts' },
  output: () => ({
    dir: text(),
    holder: z.strictObject({ pid: z.int(), host: text(), command: text(), since: z.number() }).nullable(),
    problems: z.array(problem()),
    trouble: z.array(z.strictObject({ message: text(), hint: text().nullable() })),
  }),
  async run(on) {
    const { problems, ...standing } = on.ports.standing!();
    return { dir: on.room.dir, ...standing, problems: [...problems] };
  },
});
