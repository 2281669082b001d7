// The guard as a table.
import { expect, test } from 'vitest';
import { guardOf } from '../../../src/sync/sync-source.ts';

const quiet = { known: 100, remoteChanged: 0, remoteGone: 0, localChanged: 0, localGone: 0 };

test.each([
  ['nothing', {}, null],
  ['half of them upstream', { remoteChanged: 50 }, null],
  ['more than half upstream', { remoteChanged: 51 }, /51 of 100 mirrored issues/],
  ['more than half, changed and gone together', { remoteChanged: 30, remoteGone: 21 }, /51 of 100/],
  ['more than half here', { localChanged: 40, localGone: 11 }, /51 of 100 mirrored tasks/],
  ['all of a few', { known: 20, remoteChanged: 20, localChanged: 20 }, null],
  ['one more than a few', { known: 21, remoteChanged: 21 }, /21 of 21/],
  ['two that vanish', { known: 2, remoteGone: 2 }, null],
  ['an empty tracker', { known: 3, remoteGone: 3 }, /shows none of 3/],
  ['files that are all gone', { known: 3, localGone: 3 }, /files of all 3/],
  ['no mirrors at all', { known: 0 }, null],
])('%s', (_what, facts, expected) => {
  const why = guardOf({ ...quiet, ...facts });
  if (expected === null) expect(why).toBeNull();
  else expect(why).toMatch(expected);
});
