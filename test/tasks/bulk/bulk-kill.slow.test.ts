// A short form of what `npm run test:crash` does with changes of several tasks.
import { expect, test } from 'vitest';
import { runBulkRounds } from '../../crash/bulk-rounds.ts';

test('a process killed in the middle of changing several tasks leaves all of it or nothing', async () => {
  expect(await runBulkRounds({ rounds: 6, seed: 7, say: () => {} })).toEqual([]);
}, 180_000);
