import * as z from 'zod';
import { count, text } from '../../core/shapes.ts';
import { operation } from '../operation.ts';

export const markTold = operation({
  summary: 'the person saw how these turns ended',
  needs: 'person',
  http: { method: 'post', path: '/api/turns/told' },
  input: () => ({ turns: z.array(text()) }),
  output: () => ({ told: count() }),
  async run({ deps }, { turns }) {
    deps.ledger.turns.markTold(turns as never[]);
    return { told: turns.length };
  },
});
