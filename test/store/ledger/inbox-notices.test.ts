// What of the inbox is told, and that each thing is told once.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createNodeEffects } from '../../../src/node.ts';
import { type Ledger, openLedger } from '../../../src/store/ledger/ledger.ts';
import type { InboxThing } from '../../../src/store/ledger/turns/notices.ts';

let dir: string;
let ledger: Ledger;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'taskroom-notices-'));
  ledger = openLedger(join(dir, 'ledger.db'), { effects: createNodeEffects() });
});
afterEach(() => {
  ledger.close();
  rmSync(dir, { recursive: true });
});

const thing = (key: string, kind = 'question'): InboxThing => {
  return { kind, key, task: null, text: `${key}?`, settle: 'answer it' };
};
const takeIn = (...things: InboxThing[]) => ledger.notices.takeIn(things, 100, (kind) => kind === 'question');
const due = () => ledger.notices.due(1_000).map(({ text }) => text);

test('each thing goes out once, also after a restart, and again only when it was gone', () => {
  expect(takeIn(thing('a'), thing('b'))).toBe(2);
  expect(due()).toEqual(['a?\nanswer it', 'b?\nanswer it']);
  for (const { seq } of ledger.notices.due(1_000))
    ledger.notices.update(seq, { sentAt: 200, lastError: null });
  ledger.close();
  ledger = openLedger(join(dir, 'ledger.db'), { effects: createNodeEffects() });
  expect(takeIn(thing('a'), thing('b'))).toBe(0);
  expect(takeIn(thing('b'))).toBe(0);
  expect(takeIn(thing('a'), thing('b'))).toBe(1);
  expect(due()).toEqual(['a?\nanswer it']);
});

test('what is not chosen, and what agents told by themselves, is not told so', () => {
  const about = { at: 1, author: 'agent:x', turn: null, task: null, key: null };
  ledger.notices.add({ ...about, text: 'Look.' });
  expect(takeIn(thing('a', 'held'), thing('notice:1', 'notice'))).toBe(0);
  expect(due()).toEqual(['Look.']);
  expect(ledger.notices.list({ limit: 9 }).map(({ text }) => text)).toEqual(['Look.']);
  // Chosen later, what was there already stays untold.
  expect(ledger.notices.takeIn([thing('a', 'held')], 100, () => true)).toBe(0);
});

test('very many at once are one line', () => {
  const many = Array.from({ length: 11 }, (_, at) => thing(`k${at}`));
  expect(takeIn(...many)).toBe(1);
  expect(due()).toEqual(['11 things need you\ntaskroom inbox']);
  // It stays until it was sent, whatever becomes of the things.
  expect(takeIn()).toBe(0);
  expect(due()).toHaveLength(1);
  ledger.notices.update(ledger.notices.due(1_000)[0]!.seq, { sentAt: 200 });
  takeIn();
  expect(takeIn(...many)).toBe(1);
});

test('housekeeping does not make it forget what it told', () => {
  takeIn(thing('a'));
  ledger.notices.update(ledger.notices.due(1_000)[0]!.seq, { sentAt: 200 });
  ledger.notices.prune(1_000_000);
  expect(takeIn(thing('a'))).toBe(0);
});
