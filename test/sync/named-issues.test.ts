// A sync of issues that were named, as webhooks do: these are asked for and no others, and what is written is what the
// tracker says then.
import { expect, test } from 'vitest';
import type { MemoryCall } from '../support/memory-provider/tracker.ts';
import { type MemoryMirror, openMemoryMirror } from './memory-mirror.ts';

async function mirrorOfThree() {
  const rig = openMemoryMirror({ mirror: { filter: { labels: ['ours'], assignee: null, state: 'open' } } });
  const { tracker } = rig;
  const refs = ['One', 'Two', 'Three'].map((title) =>
    tracker.createIssue({ title, body: 'Words.', labels: ['ours'] }),
  ) as [string, string, string];
  await rig.run();
  const calls: MemoryCall[] = [];
  tracker.onCall = (call) => {
    calls.push(call);
    return null;
  };
  tracker.advance(60_000);
  const named = (...some: string[]) =>
    rig.run({ issues: some.map((ref) => ({ ref, uid: tracker.find(ref)?.uid ?? null })) });
  return { rig, tracker, refs, calls, named };
}

test('a name that lies costs one look and writes nothing', async () => {
  const { rig, refs, calls } = await mirrorOfThree();
  const before = rig.read(refs[0]);
  const issues = [
    { ref: 'acme/web#4096', uid: null },
    { ref: 'other/place#1', uid: null },
    { ref: null, uid: 'nobody-has-this' },
  ];
  expect(await rig.run({ issues })).toMatchObject({ error: null, created: 0, updated: 0, detached: 0 });
  expect(calls).toHaveLength(1);
  expect(rig.read(refs[0])).toBe(before);
});

test('many that vanish at once are held back as from a listing', async () => {
  const rig = openMemoryMirror();
  const refs = Array.from({ length: 30 }, (_, at) => rig.tracker.createIssue({ title: `Issue ${at}` }));
  await rig.run();
  const issues = refs.map((ref) => ({ ref, uid: rig.tracker.find(ref)!.uid }));
  for (const ref of refs) rig.tracker.deleteIssue(ref);
  const report = await rig.run({ issues });
  expect(report.error).toMatchObject({ code: 'refused' });
  expect(report.detached).toBe(0);
});

test('a fetch that fails says nothing of the source; the next whole sync runs, and finds it', async () => {
  const { rig, tracker, refs, named } = await mirrorOfThree();
  tracker.editIssue(refs[0], { body: 'Newer words.' });
  tracker.onCall = () => ({ kind: 'before', error: new Error('a bug of the provider') });
  await expect(named(refs[0])).rejects.toThrow('a bug of the provider');
  tracker.onCall = null;
  expect(await rig.run()).toMatchObject({ error: null, updated: 1 });
});

// A tracker whose listing brings only the comments that are new since: what is missing is found by their number.
let rig: MemoryMirror;

function open(): MemoryMirror {
  rig = openMemoryMirror({
    provider: { partialComments: true },
    mirror: { filter: { labels: ['agent'], assignee: null, state: 'open' } },
  });
  return rig;
}

test('an issue that is let in later comes with all its comments', async () => {
  open();
  rig.tracker.createIssue({ title: 'First', labels: ['agent'] });
  const ref = rig.tracker.createIssue({ title: 'Later' });
  rig.tracker.addComment(ref, 'said long ago');
  await rig.run();
  rig.tracker.advance(3_600_000);
  rig.tracker.addComment(ref, 'said now');
  rig.tracker.editIssue(ref, { labels: ['agent'] });
  await rig.run();
  expect(rig.read(ref)).toContain('> said long ago');
  expect(rig.read(ref)).toContain('> said now');
});

test('a deleted comment shows although the listing only brings new ones', async () => {
  open();
  const ref = rig.tracker.createIssue({ title: 'First', labels: ['agent'] });
  const id = rig.tracker.addComment(ref, 'a mistake');
  await rig.run();
  expect(rig.read(ref)).toContain('> a mistake');
  rig.tracker.advance(3_600_000);
  rig.tracker.deleteComment(ref, id);
  await rig.run();
  expect(rig.read(ref)).not.toContain('> a mistake');
  expect(rig.read(ref)).toContain('(deleted upstream)');
  const before = rig.read(ref);
  rig.tracker.advance(3_600_000);
  await rig.run();
  expect(rig.read(ref)).toBe(before);
});
