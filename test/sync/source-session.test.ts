import { expect, test } from 'vitest';
import { takeSourceLock } from '../../src/store/lock/locks.ts';
import { mirrorChore } from '../support/mirror-config.ts';
import { codeOf, failureOf } from '../tasks/test-room.ts';
import { ALL_PUSHED, open, rig } from './memory-mirror.ts';

const never = () => new AbortController().signal;

test('one sync of a source at a time', async () => {
  open();
  const { room, effects } = rig.room.deps;
  const signal = never();
  const lock = await takeSourceLock(room, 'web', { effects, signal, waitMs: 0 });
  const refused = await failureOf(rig.run());
  expect(refused).toMatchObject({ code: 'locked', message: expect.stringContaining(`pid ${process.pid}`) });
  const waited = rig.run({
    wait: true,
    onProgress: ({ phase, who }) => {
      if (phase !== 'waiting') return;
      expect(who).toContain(`pid ${process.pid}`);
      lock.release();
    },
  });
  expect(await waited).toMatchObject({ error: null });
  expect(await codeOf(rig.run({}, 'nope'))).toBe('not_found');
});

test('two chores on one source make one task of an issue, and the first governs it', async () => {
  open();
  rig.chores.push(mirrorChore('all'));
  const ref = rig.tracker.createIssue({ title: 'One' });
  await Promise.all([rig.run(), rig.run({}, 'all')]);
  expect(rig.room.names('tasks')).toEqual(['One (web#1).md']);
  const governing = rig.sync.mirrors()[0]!.chore;
  rig.chores = rig.chores.filter(({ name }) => name !== governing);
  rig.tracker.advance(1000);
  rig.tracker.editIssue(ref, { title: 'Uno' });
  expect(await rig.run({}, rig.chores[0]!.name)).toMatchObject({ updated: 1, error: null });
});

test('an issue that can not be told from one of another server is left out, and said', async () => {
  open();
  const ref = await rig.mirrored({ title: 'One' });
  rig.room.deps.ledger.mirrors.update(rig.taskOf(ref), { url: 'https://other.invalid/1' });
  rig.chores.push(mirrorChore('all'));
  const report = await rig.run({}, 'all');
  expect(report).toMatchObject({ created: 0, error: null });
  expect(report.skipped).toMatchObject([{ ref, why: expect.stringContaining('other.invalid') }]);
  expect(await rig.run()).toMatchObject({ skipped: [], error: null });
});

test('a chore that is renamed takes its mirrors along', async () => {
  open({ mirror: { push: ALL_PUSHED } });
  const ref = await rig.mirrored({ title: 'One', body: 'old' });
  rig.chores = [mirrorChore('site', { push: ALL_PUSHED })];
  rig.edit(ref, '\nold\n', '\nnew\n');
  expect(await rig.run({}, 'site')).toMatchObject({ created: 0, pushed: 1, error: null });
  expect(rig.sync.mirrors()[0]).toMatchObject({ chore: 'site', state: 'in_sync' });
});

test('an issue whose file would be too large is passed over, and says so', async () => {
  open({ provider: { limits: { body: 2_000_000 } } });
  rig.tracker.createIssue({ title: 'Huge', body: 'x'.repeat(1_100_000) });
  rig.tracker.createIssue({ title: 'Small' });
  const report = await rig.run();
  expect(report).toMatchObject({ created: 1, error: null });
  expect(report.skipped).toMatchObject([{ ref: 'acme/web#1', why: expect.stringContaining('1 MiB') }]);
});

test('very many comments all arrive, the oldest of them beside the file', async () => {
  open();
  const ref = rig.tracker.createIssue({ title: 'Long' });
  for (let n = 0; n < 10; n += 1) rig.tracker.addComment(ref, `${n} ${'talk '.repeat(7_000)}`);
  expect(await rig.run()).toMatchObject({ created: 1, commentsIn: 10, error: null });
  const all = rig.read(ref) + rig.room.read(`.taskroom/spill/${rig.taskOf(ref)}.md`);
  expect([...all.matchAll(/^> (\d) talk/gm)].map(([, n]) => Number(n)).sort()).toEqual([
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
  ]);
  expect(await rig.run()).toMatchObject({ updated: 0, commentsIn: 0 });
});
