// A sync of issues that were named, as webhooks do: these are asked for and no others, and what is written is what the
// tracker says then.
import { expect, test } from 'vitest';
import type { MemoryCall } from '../support/memory-provider/tracker.ts';
import { openMemoryMirror } from './memory-mirror.ts';

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
