// A mirror's life: named, renamed, deleted on either side, archived and reopened, linked and published, found again
// after its ledger was lost.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ALL_PUSHED, open, rig } from './memory-mirror.ts';

const mirrorsFile = () => JSON.parse(rig.room.read('task_mirrors.json')) as Record<string, unknown>[];
const DAY = 86_400_000;

test('task_mirrors.json has an entry each, and is written only when one changed', async () => {
  open();
  const ref = await rig.mirrored({ title: 'One' });
  const written = rig.room.read('task_mirrors.json');
  expect(mirrorsFile()).toEqual([
    {
      provider: 'memory',
      remote_ref: ref,
      local_task_id: rig.taskOf(ref),
      path: 'tasks/One (web#1).md',
      remote_updated_at: new Date(rig.tracker.now()).toISOString(),
      last_synced_at: new Date(rig.room.now()).toISOString(),
      url: 'https://memory.invalid/acme/web/issues/1',
    },
  ]);
  rig.room.later(1000);
  await rig.run();
  expect(rig.room.read('task_mirrors.json')).toBe(written);
  writeFileSync(join(rig.room.dir, 'task_mirrors.json'), '[{ broken');
  rig.tracker.advance(1000);
  rig.tracker.editIssue(ref, { title: 'Uno' });
  const report = await rig.run();
  expect(report.skipped).toMatchObject([{ what: 'task_mirrors.json' }]);
  expect(mirrorsFile()).toMatchObject([{ path: 'tasks/Uno (web#1).md' }]);
  expect(rig.room.read(`.taskroom/attic/${rig.room.names('.taskroom/attic')[0]}`)).toBe('[{ broken');
});

test('a file follows its title until a person renames it', async () => {
  open();
  const ref = await rig.mirrored({ title: 'One' });
  writeFileSync(join(rig.room.dir, 'tasks/Two (web#1).md'), '---\nstatus: todo\n---\nin the way\n');
  rig.tracker.advance(1000);
  rig.tracker.editIssue(ref, { title: 'Two' });
  await rig.run();
  expect(rig.pathOf(ref)).toBe('tasks/Two (web#1) 2.md');
  renameSync(join(rig.room.dir, 'tasks/Two (web#1) 2.md'), join(rig.room.dir, 'tasks/mine.md'));
  rig.tracker.advance(1000);
  rig.tracker.editIssue(ref, { title: 'Three' });
  await rig.run();
  expect(rig.pathOf(ref)).toBe('tasks/mine.md');
  expect(rig.read(ref)).toContain('title: Three');
  expect(rig.room.names('tasks')).toEqual(['Two (web#1).md', 'mine.md']);
});

test('an issue that is deleted upstream leaves its file, and comes back with it', async () => {
  open();
  const ref = rig.tracker.createIssue({ title: 'One' });
  rig.tracker.createIssue({ title: 'Two' });
  await rig.run();
  const text = rig.read(ref);
  rig.tracker.deleteIssue(ref);
  expect(await rig.run()).toMatchObject({ detached: 0 });
  rig.room.later(DAY);
  expect(await rig.run()).toMatchObject({ detached: 1, error: null });
  expect(rig.read(ref)).toBe(text);
  expect(mirrorsFile()).toMatchObject([{ remote_ref: ref, state: 'detached' }, {}]);
  await rig.room.call('complete', { ref: rig.taskOf(ref) });
  expect(await rig.run({ full: true })).toMatchObject({ pushed: 0, skipped: [], error: null });
});

test('an issue that is moved keeps its task', async () => {
  open();
  const ref = await rig.mirrored({ title: 'One' });
  const moved = rig.tracker.transferIssue(ref, 'acme/api');
  rig.room.later(DAY);
  expect(await rig.run()).toMatchObject({ detached: 0, error: null });
  expect(rig.read(moved)).toContain(`remote: task:memory:${moved}`);
});

test('a deleted file is not made again, and nothing is deleted upstream', async () => {
  open();
  const ref = await rig.mirrored({ title: 'One' });
  const text = rig.read(ref);
  rig.remove(rig.pathOf(ref));
  expect(await rig.run()).toMatchObject({ detached: 1, pushed: 0, error: null });
  rig.tracker.advance(1000);
  rig.tracker.editIssue(ref, { title: 'Uno' });
  expect(await rig.run({ full: true })).toMatchObject({ created: 0, error: null });
  expect(rig.tracker.find(ref)!.state).toBe('open');
  rig.room.save('One (web#1).md', text);
  expect(await rig.run()).toMatchObject({ error: null, updated: 1 });
  expect(rig.read(ref)).toContain('title: Uno');
});

test('where deleting cancels, the issue is canceled before it is let go', async () => {
  open();
  rig.room.settings.onDelete = 'cancel';
  const ref = await rig.mirrored({ title: 'One' });
  rig.remove(rig.pathOf(ref));
  expect(await rig.run({ push: false })).toMatchObject({ detached: 0, pushed: 0 });
  expect(await rig.run()).toMatchObject({ detached: 1, pushed: 1, error: null });
  expect(rig.tracker.find(ref)!.state).toBe('closed/not_planned');
});

test('an archived task is left alone, and a reopening brings it back', async () => {
  open();
  const ref = await rig.mirrored({ title: 'One' });
  const id = rig.taskOf(ref);
  await rig.room.call('complete', { ref: id });
  await rig.room.call('archive', { ref: id });
  expect(await rig.run()).toMatchObject({ pushed: 1, error: null });
  expect(rig.tracker.find(ref)!.state).toBe('closed');
  const text = rig.read(ref);
  rig.tracker.advance(1000);
  rig.tracker.addComment(ref, 'Thanks!');
  expect(await rig.run()).toMatchObject({ updated: 0, error: null });
  expect(rig.read(ref)).toBe(text);
  rig.tracker.advance(1000);
  rig.tracker.editIssue(ref, { state: 'open' });
  expect(await rig.run()).toMatchObject({ error: null });
  expect(rig.pathOf(ref)).toBe('tasks/One (web#1).md');
  expect(rig.read(ref)).toContain('status: todo');
  expect(rig.read(ref)).toContain('> Thanks!');
});

test('a lost ledger is rebuilt from the files; a copy steals nothing', async () => {
  open({ mirror: { push: ALL_PUSHED } });
  const refs = ['One', 'Two', 'Done'].map((title) => rig.tracker.createIssue({ title, body: 'old' }));
  rig.tracker.addComment(refs[0]!, 'Seen.');
  await rig.run();
  const ids = refs.map((ref) => rig.taskOf(ref));
  rig.tracker.advance(1000);
  rig.tracker.editIssue(refs[2]!, { state: 'closed' });
  await rig.run();
  rig.edit(refs[1]!, '\nold\n', '\nmine\n');
  const copy = rig.read(refs[0]!).replace(/^id: .*$/m, 'id: copy1234');
  rig.room.save('A copy.md', copy);
  await rig.sync.close();
  await rig.room.reopen();
  for (const suffix of ['', '-wal', '-shm'])
    rmSync(`${rig.room.deps.room.ledgerPath}${suffix}`, { force: true });
  await rig.restart();
  const report = await rig.run();
  expect(report).toMatchObject({ created: 0, conflicts: 1, error: null });
  expect(report.skipped).toMatchObject([{ what: 'file', why: expect.stringContaining('A copy.md') }]);
  expect(refs.map((ref) => rig.taskOf(ref))).toEqual(ids);
  expect(rig.room.names('.taskroom/attic')).toHaveLength(1);
  expect(await rig.run()).toMatchObject({
    updated: 0,
    pushed: 0,
    commentsIn: 0,
    commentsOut: 0,
    error: null,
  });
});
