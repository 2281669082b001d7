// Two-way sync on real files: what comes in, what goes out, and that a quiet sync does nothing.
import { expect, test } from 'vitest';
import { takeSourceLock } from '../../src/store/lock/locks.ts';
import { mirrorChore } from '../support/mirror-config.ts';
import { codeOf, failureOf } from '../tasks/test-room.ts';
import { ALL_PUSHED, open, rig } from './memory-mirror.ts';

test('progress waits for a minute, and the waiting is told', async () => {
  const { tracker } = open();
  const ref = tracker.createIssue({ title: 'One' });
  await rig.run();
  await rig.room.call('progress', { ref: rig.taskOf(ref), text: 'First.' });
  await rig.run();
  await rig.room.call('progress', { ref: rig.taskOf(ref), text: 'Second.' });
  const report = await rig.run();
  expect(report.commentsOut).toBe(0);
  expect(rig.sync.dirtySources()).toEqual([{ chore: 'web', dueAt: rig.room.now() + 60_000 }]);
  const due_at = new Date(rig.room.now() + 60_000).toISOString();
  expect(rig.sync.mirrors()[0]).toMatchObject({ state: 'pending', due_at });
  rig.room.later(60_000);
  expect((await rig.run()).commentsOut).toBe(1);
  expect(tracker.find(ref)!.comments).toHaveLength(1);
  expect(tracker.find(ref)!.comments[0]!.body).toContain('Second.');
  expect(rig.sync.dirtySources()).toEqual([]);
});

test('what our tools said is posted once; what is typed by hand is not', async () => {
  const { tracker } = open();
  const ref = tracker.createIssue({ title: 'One' });
  await rig.run();
  await rig.room.call('comment', { ref: rig.taskOf(ref), text: 'Hello there.' });
  rig.edit(ref, '## Progress', '**@me** · 2040-01-02 03:04 <!-- c:handmade01 -->\n> By hand.\n\n## Progress');
  await rig.run();
  rig.room.later(90 * 60_000);
  await rig.run();
  expect(tracker.find(ref)!.comments.map(({ body }) => body.split('\n')[0])).toEqual(['Hello there.']);
});

test('both sides change one text: remote wins, the other is kept, and no turn starts from the note', async () => {
  const { tracker } = open({ mirror: { push: ALL_PUSHED } });
  const ref = tracker.createIssue({ title: 'One', body: 'old' });
  await rig.run();
  tracker.advance(1000);
  tracker.editIssue(ref, { body: 'theirs' });
  rig.edit(ref, '\nold\n', '\nmine\n');
  const report = await rig.run();
  expect(report).toMatchObject({ conflicts: 1, pushed: 0, error: null });
  expect(rig.read(ref)).toContain('\ntheirs\n');
  const kept = rig.room.names('.taskroom/attic');
  expect(kept).toHaveLength(1);
  expect(rig.room.read(`.taskroom/attic/${kept[0]}`)).toBe('mine');
  expect(rig.read(ref)).toContain(kept[0]!);
  expect(tracker.find(ref)!.body).toBe('theirs');
  expect(rig.sync.mirrors()[0]!.state).toBe('conflict');
  expect(await rig.run()).toMatchObject({ conflicts: 0, updated: 0, pushed: 0 });
});

test('a conflict note alone makes no revision that is new', async () => {
  const { tracker } = open({ mirror: { push: ALL_PUSHED, prefer: 'local' } });
  const ref = tracker.createIssue({ title: 'One', body: 'old' });
  await rig.run();
  tracker.advance(1000);
  tracker.editIssue(ref, { body: 'theirs' });
  rig.edit(ref, '\nold\n', '\nmine\n');
  await rig.room.call('list', { all: true });
  const id = rig.taskOf(ref);
  const { refresh } = await import('../../src/tasks/observe/refresh.ts');
  await refresh(rig.room.handle);
  const { tasks } = rig.room.deps.ledger;
  tasks.update(id, { consumed: tasks.get(id)!.revision });
  expect(await rig.run()).toMatchObject({ conflicts: 1, pushed: 1 });
  expect(rig.read(ref)).toContain('Both sides changed the body');
  expect(tasks.get(id)!.revision).toBe(tasks.get(id)!.consumed);
});

test('two issues with one title get two files; what the filter leaves out stays out, what is mirrored is followed', async () => {
  const { tracker } = open({ mirror: { filter: { labels: ['agent'], assignee: null, state: 'open' } } });
  const refs = [1, 2].map(() => tracker.createIssue({ title: 'Same', labels: ['agent'] }));
  tracker.createIssue({ title: 'Other' });
  await rig.run();
  expect(rig.room.names('tasks')).toEqual(['Same (web#1).md', 'Same (web#2).md']);
  tracker.advance(1000);
  tracker.editIssue(refs[0]!, { labels: [], state: 'closed' });
  await rig.run();
  expect(rig.read(refs[0]!)).toContain('status: done');
});

test('what `push:` names from now on goes up though neither side changed since', async () => {
  open({ mirror: { push: ['status'] } });
  const ref = await rig.mirrored({ title: 'One', body: 'before' });
  rig.edit(ref, 'before', 'after');
  await rig.run();
  expect(rig.tracker.find(ref)?.body).toBe('before');
  rig.chores = [mirrorChore('web', { push: ['status', 'body'] })];
  await rig.run();
  expect(rig.tracker.find(ref)?.body).toBe('after');
});

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
