import { count, operation, text, z } from '../operation.ts';

export const markTold = operation({
  summary: 'mark turns as seen by the person',
  needs: 'person',
  http: { method: 'post', path: '/api/turns/told' },
  input: () => ({ turns: z.array(text()) }),
  output: () => ({ told: count() }),
  async run(on, { turns }) {
    on.ledger.turns.updateAll(turns as never[], { told: true });
    return { told: turns.length };
  },
});
