import { spent } from '../../tasks/shapes/turn.ts';
import { byStatus, count, operation } from '../operation.ts';

export const taskStats = operation({
  summary: 'count tasks of each status, what waits, and what was used today',
  needs: 'read',
  http: { method: 'get', path: '/api/tasks/stats' },
  output: () => ({
    counts: byStatus(),
    ...{ total: count(), invalid: count(), pending: count(), held: count(), retrying: count() },
    today: spent(),
  }),
  async run(on) {
    const { readStatus } = await import('../../tasks/views/room-status.ts');
    const { counts, invalid, pending, held, retries, today } = await readStatus(on);
    return {
      counts,
      total: Object.values(counts).reduce((sum, each) => sum + each, 0),
      ...{ invalid: invalid.length, pending: pending.length, held: held.length, retrying: retries.length },
      today,
    };
  },
});
