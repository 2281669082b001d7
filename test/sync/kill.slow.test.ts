// A short form of `node test/crash/sync-crash.ts`.
import { expect, test } from 'vitest';
import { runRounds } from '../crash/sync-rounds.ts';

test('a process killed between a write upstream and its record leaves exactly one of each', async () => {
  expect(await runRounds({ rounds: 5, say: () => {} })).toEqual([]);
});
