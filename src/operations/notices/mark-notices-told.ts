import * as z from 'zod';
import { count } from '../../core/shapes.ts';
import { operation } from '../operation.ts';

export const markNoticesTold = operation({
  name: 'markNoticesTold',
  summary: 'the person saw these notices',
  needs: 'person',
  http: { method: 'post', path: '/api/notices/told' },
  input: () => z.strictObject({ seqs: z.array(count()) }),
  output: () => z.strictObject({ told: count() }),
  async run({ deps }, { seqs }) {
    deps.ledger.notices.markTold(seqs);
    return { told: seqs.length };
  },
});
