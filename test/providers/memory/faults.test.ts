// What a test can do to a memory tracker: failures before and after the act, late and empty answers, and the facts that
// a sync has to live with.
import { expect, test } from 'vitest';
import { draft } from '../../conformance/provider-creation.ts';
import { listAll } from '../../conformance/provider-harness.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { createMemoryFactory, type MemoryFactoryOptions } from '../../support/memory-provider/memory.ts';
import {
  createMemoryTracker,
  type MemoryFault,
  type MemoryTrackerOptions,
} from '../../support/memory-provider/tracker.ts';

const CONFIG = {
  source: 'acme/web',
  filter: { labels: [], assignee: null, state: 'all' },
  url: null,
  fields: null,
  options: {},
} as const;
const { signal } = new AbortController();
const KEY = { key: 'abcdefgh12', tries: 0 };

async function create(trackerOptions: MemoryTrackerOptions = {}, options: MemoryFactoryOptions = {}) {
  const tracker = createMemoryTracker(trackerOptions);
  const provider = await createMemoryFactory(tracker, options).open(CONFIG, createManualClock());
  const next = (fault: MemoryFault) => {
    tracker.onCall = () => {
      tracker.onCall = null;
      return fault;
    };
  };
  return { tracker, provider, next };
}

test('a failure before the act leaves nothing, one after it leaves everything', async () => {
  const { tracker, provider, next } = await create();
  const error = new Error('cut');
  next({ kind: 'before', error });
  await expect(provider.write!.create(draft({ title: 'A' }), KEY, signal)).rejects.toBe(error);
  expect(tracker.issues()).toEqual([]);
  next({ kind: 'after', error });
  await expect(provider.write!.create(draft({ title: 'A' }), KEY, signal)).rejects.toBe(error);
  expect(tracker.issues().map(({ title }) => title)).toEqual(['A']);
  next({ kind: 'after', error });
  await expect(provider.comment!.add('acme/web#1', 'hello', KEY, signal)).rejects.toBe(error);
  expect(tracker.find('acme/web#1')!.comments).toHaveLength(1);
});

test('a late answer is as things were, and loses nothing for the next listing', async () => {
  const { tracker, provider, next } = await create();
  const a = tracker.createIssue({ title: 'A' });
  const first = await listAll(provider, null);
  tracker.advance(1_000);
  tracker.editIssue(a, { title: 'A2' });
  tracker.createIssue({ title: 'B' });
  next({ kind: 'lag', changes: 2 });
  const late = await listAll(provider, first.next);
  expect(late.items).toEqual([]);
  next({ kind: 'lag', changes: 1 });
  expect((await provider.get([a, 'acme/web#2'], signal)).size).toBe(1);
  const { items } = await listAll(provider, late.next);
  expect(items.map(({ title }) => title).sort()).toEqual(['A2', 'B']);
});

test('an empty answer hides everything, once', async () => {
  const { tracker, provider, next } = await create();
  const ref = tracker.createIssue({ title: 'A' });
  next({ kind: 'empty' });
  const empty = await listAll(provider, null);
  expect(empty.items).toEqual([]);
  next({ kind: 'empty' });
  expect((await provider.get([ref], signal)).size).toBe(0);
  expect((await listAll(provider, empty.next)).items).toHaveLength(1);
});

test('a deletion that touches nothing shows in the count alone', async () => {
  const { tracker, provider } = await create({ deletionTouches: false }, { partialComments: true });
  const ref = tracker.createIssue({ title: 'A' });
  const id = tracker.addComment(ref, 'goes');
  const first = await listAll(provider, null);
  expect(first.items[0]!.comments.complete).toBe(true);
  tracker.advance(1_000);
  tracker.deleteComment(ref, id);
  expect((await listAll(provider, first.next)).items).toMatchObject([{ commentCount: 0 }]);
});
