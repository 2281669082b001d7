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

test('every call is told, with what it is about', async () => {
  const { tracker, provider } = await create();
  const ref = tracker.createIssue({ title: 'A' });
  const calls: string[] = [];
  tracker.onCall = ({ operation, ref: about, tries }) => {
    calls.push(`${operation} ${about} ${tries}`);
    return null;
  };
  const [task] = (await listAll(provider, null)).items;
  await provider.get([ref], signal);
  await provider.write!.create(draft({ title: 'B' }), { ...KEY, tries: 2 }, signal);
  await provider.write!.update(ref, { title: 'C' }, task!, signal);
  const { id } = await provider.comment!.add(ref, 'x', { ...KEY, tries: 1 }, signal);
  await provider.comment!.edit(ref, id, 'y', signal);
  const expected = `list null 0, get ${ref} 0, create null 2, update ${ref} 0, add ${ref} 1, edit ${ref} 0`;
  expect(calls.join(', ')).toBe(expected);
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

test('a transferred issue is found by its old ref, under its new one', async () => {
  const { tracker, provider } = await create();
  const ref = tracker.createIssue({ title: 'A' });
  const moved = tracker.transferIssue(ref, 'acme/other');
  expect((await provider.get([ref], signal)).get(ref)).toMatchObject({ ref: moved, uid: 'issue-1' });
  expect(tracker.createIssue({ title: 'B' })).toBe('acme/web#2');
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

test('read-only, without comments, without some fields', async () => {
  const { provider } = await create({}, { readOnly: true });
  expect([provider.write, provider.comment, provider.profile.writable]).toEqual([undefined, undefined, []]);
  const tracker = createMemoryTracker();
  tracker.createIssue({ title: 'A', labels: ['x'], due: '2031-01-01' });
  const factory = createMemoryFactory(tracker, { lacking: ['comments'] });
  const trimmed = await factory.open({ ...CONFIG, fields: ['title', 'due'] }, createManualClock());
  const [task] = (await listAll(trimmed, null)).items;
  expect(task).toMatchObject({ labels: [], due: '2031-01-01', commentCount: null });
  expect(task!.silent).toEqual(expect.arrayContaining(['labels', 'body', 'comments']));
  expect(trimmed.comment).toBeUndefined();
  expect([...trimmed.profile.writable].sort()).toEqual(['due', 'title']);
});

test('texts above the limits are refused, and nothing is written', async () => {
  const { tracker, provider } = await create({}, { limits: { title: 100, body: 200, comment: 300 } });
  const ref = tracker.createIssue({ title: 'A' });
  const [task] = (await listAll(provider, null)).items;
  const before = tracker.serial;
  const tooLong = { code: 'bad_input' };
  const { create: make, update } = provider.write!;
  await expect(make(draft({ title: 'x'.repeat(101) }), KEY, signal)).rejects.toMatchObject(tooLong);
  await expect(update(ref, { body: 'x'.repeat(201) }, task!, signal)).rejects.toMatchObject(tooLong);
  await expect(provider.comment!.add(ref, 'x'.repeat(301), KEY, signal)).rejects.toMatchObject(tooLong);
  expect(tracker.serial).toBe(before);
});

test("the server's clock does not go back", () => {
  const tracker = createMemoryTracker();
  expect(() => tracker.advance(-1)).toThrow(RangeError);
  expect(() => tracker.advance(Number.NaN)).toThrow(RangeError);
});

test('thousands of rounds stay within the time of a test', async () => {
  const { tracker, provider } = await create();
  const refs = Array.from({ length: 20 }, (_, at) => tracker.createIssue({ title: `Issue ${at}` }));
  let { next } = await listAll(provider, null);
  for (let round = 0; round < 5_000; round += 1) {
    tracker.advance(1);
    tracker.editIssue(refs[round % 20]!, { title: `Round ${round}` });
    const listing = await listAll(provider, next);
    expect(listing.items.at(-1)!.title).toBe(`Round ${round}`);
    next = listing.next;
  }
});
