// A tracker whose listing brings only the comments that are new since: what is missing is found by their number.
import { expect, test } from 'vitest';
import { type MemoryMirror, openMemoryMirror } from './memory-mirror.ts';

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
