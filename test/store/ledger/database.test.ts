import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Effects } from '../../../src/effects.ts';
import { createNodeEffects } from '../../../src/node.ts';
import { openLedger } from '../../../src/store/ledger/ledger.ts';
import { forEachTest } from '../../support/for-each-test.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const open = () => openLedger(join(dir.path, 'ledger.db'), { busyMs: 20, effects: createNodeEffects() });
const dir = forEachTest(() => ({ path: tempFolder('taskroom-shared') }));
const ledger = forEachTest(open);
const other = forEachTest(open);

const put = (key: string) => () => {
  ledger.meta.set(key, 'there');
  return key;
};
/** What another process sees: only what is committed. */
const seen = (...keys: string[]) => keys.filter((key) => other.meta.get(key) === 'there');

test('what is asked for together is committed at once, and seen when it resolves', async () => {
  const both = [ledger.together(put('a')), ledger.together(put('b'))];
  expect(seen('a', 'b')).toEqual([]);
  expect(await both[0]).toBe('a');
  expect(seen('a', 'b')).toEqual(['a', 'b']);
  expect(await both[1]).toBe('b');
});

test('one that throws takes back its own changes alone', async () => {
  const first = ledger.together(put('a'));
  const failing = ledger.together(() => {
    put('b')();
    ledger.transaction(put('c'));
    throw new Error('planned');
  });
  const last = ledger.together(put('d'));
  await expect(failing).rejects.toThrow('planned');
  expect(await Promise.all([first, last])).toEqual(['a', 'd']);
  expect(seen('a', 'b', 'c', 'd')).toEqual(['a', 'd']);
});

test('where the ledger stays busy all of it is refused, and can be asked for again', async () => {
  other.database.run('BEGIN IMMEDIATE');
  const refused = await Promise.allSettled([ledger.together(put('a')), ledger.together(put('b'))]);
  other.database.run('ROLLBACK');
  expect(refused.map((each) => each.status === 'rejected' && each.reason.code)).toEqual(['locked', 'locked']);
  expect(seen('a', 'b')).toEqual([]);
  expect(await ledger.together(put('a'))).toBe('a');
  expect(seen('a')).toEqual(['a']);
});

test('while another process has the ledger, it pauses between two tries', async () => {
  const node = createNodeEffects();
  const pausesMs: number[] = [];
  const setTimer: Effects['setTimer'] = (delayMs, run) => {
    pausesMs.push(delayMs);
    if (pausesMs.length === 3) other.database.run('ROLLBACK');
    return node.setTimer(delayMs, run);
  };
  const patient = openLedger(join(dir.path, 'ledger.db'), { effects: { ...node, setTimer } });
  other.database.run('BEGIN IMMEDIATE');
  await patient.together(() => patient.meta.set('a', 'there'));
  expect(pausesMs).toHaveLength(3);
  expect(Math.min(...pausesMs)).toBeGreaterThan(0);
  expect(seen('a')).toEqual(['a']);
  patient.close();
});

test('a transaction that SQLite gives up fails for all, with its cause', async () => {
  const first = ledger.together(put('a'));
  const failing = ledger.together(() => {
    // What a full disk does: the whole transaction is gone.
    ledger.database.run('ROLLBACK');
    throw new Error('disk is full');
  });
  const last = ledger.together(put('c'));
  const ends = await Promise.allSettled([first, failing, last]);
  expect(ends.map((each) => each.status === 'rejected' && each.reason.message)).toEqual(
    Array(3).fill('disk is full'),
  );
  expect(seen('a', 'c')).toEqual([]);
});

test('closing commits what waits', async () => {
  const waiting = ledger.together(put('a'));
  ledger.close();
  expect(await waiting).toBe('a');
  expect(seen('a')).toEqual(['a']);
});
