import { count, operation, z } from '../operation.ts';

export const markNoticesTold = operation({
  summary: 'mark notices as seen by the person',
  needs: 'person',
  http: { method: 'post', path: '/api/notices/told' },
  input: () => ({ seqs: z.array(count()) }),
  output: () => ({ told: count() }),
  async run(on, { seqs }) {
    on.ledger.notices.updateAll(seqs, { told: true });
    return { told: seqs.length };
  },
});
