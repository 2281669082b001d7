// A sync that is cut off, lied to or refused: nothing is lost, nothing is made twice, and it says what it left out.
import { describe, expect, test } from 'vitest';
import { RoomError } from '../../src/core/errors.ts';
import type { SyncPoint } from '../../src/sync/sync.ts';
import type { MemoryCall, MemoryFault } from '../support/memory-provider/tracker.ts';
import { mirrorChore } from '../support/mirror-config.ts';
import { ALL_PUSHED, dieAt, open, rig } from './memory-mirror.ts';

function failOnce(operation: MemoryCall['operation'], fault: MemoryFault): void {
  rig.tracker.onCall = (call) => {
    if (call.operation !== operation) return null;
    rig.tracker.onCall = null;
    return fault;
  };
}

const down = () => new RoomError('unavailable', 'the tracker is down');

describe('a process that dies', () => {
  test.each<SyncPoint>(['claimed', 'filed'])('while making tasks, at %s, makes each once', async (point) => {
    open();
    const refs = [1, 2, 3].map((n) => rig.tracker.createIssue({ title: `Issue ${n}`, body: `Body ${n}` }));
    dieAt(rig, point);
    await expect(rig.run()).rejects.toThrow(`died at ${point}`);
    await rig.restart();
    expect(await rig.run()).toMatchObject({ error: null, conflicts: 0 });
    expect(rig.room.names('tasks')).toEqual(refs.map((_, at) => `Issue ${at + 1} (web#${at + 1}).md`));
    expect(rig.sync.mirrors().map(({ state }) => state)).toEqual(['in_sync', 'in_sync', 'in_sync']);
  });

  test.each<SyncPoint>(['written', 'intended', 'called', 'recorded'])(
    'while pushing, at %s, sends each once',
    async (point) => {
      open({ mirror: { push: ALL_PUSHED } });
      const ref = await rig.mirrored({ title: 'One', body: 'old' });
      await rig.room.call('comment', { ref: rig.taskOf(ref), text: 'Said here.' });
      await rig.room.call('progress', { ref: rig.taskOf(ref), text: 'Half.' });
      rig.edit(ref, '\nold\n', '\nnew\n');
      rig.tracker.advance(1000);
      rig.tracker.editIssue(ref, { labels: ['more'] });
      for (let times = 1; times < 4; times += 1) {
        dieAt(rig, point, times);
        await rig.run().catch((error: Error) => expect(error.message).toBe(`died at ${point}`));
        await rig.restart();
      }
      rig.room.later(20_000);
      expect(await rig.run()).toMatchObject({ error: null, conflicts: 0, waiting: 0 });
      const issue = rig.tracker.find(ref)!;
      expect(issue.comments.map(({ body }) => body.split('\n')[0])).toEqual(['Said here.', '**Progress**']);
      expect(issue.body).toBe('new');
      expect(rig.read(ref)).toContain('labels: [more]');
      expect(await rig.run()).toMatchObject({ pushed: 0, updated: 0, commentsOut: 0, commentsIn: 0 });
    },
  );

  test('after an update nobody recorded: a newer edit here is no conflict', async () => {
    open({ mirror: { push: ALL_PUSHED } });
    const ref = await rig.mirrored({ title: 'One', body: 'old' });
    rig.edit(ref, '\nold\n', '\nnew\n');
    dieAt(rig, 'called');
    await expect(rig.run()).rejects.toThrow('died');
    await rig.restart();
    rig.edit(ref, '\nnew\n', '\nnewer\n');
    expect(await rig.run()).toMatchObject({ conflicts: 0, error: null });
    expect(rig.tracker.find(ref)!.body).toBe('newer');
    expect(rig.read(ref)).toContain('\nnewer\n');
  });
});

describe('a tracker that fails', () => {
  test('after it acted: the comment is there once', async () => {
    open();
    const ref = await rig.mirrored({ title: 'One' });
    await rig.room.call('comment', { ref: rig.taskOf(ref), text: 'Hello.' });
    failOnce('add', { kind: 'after', error: down() });
    const report = await rig.run();
    expect(report).toMatchObject({ commentsOut: 0, waiting: 1, error: null });
    expect(report.skipped).toMatchObject([{ ref, why: 'the tracker is down' }]);
    expect(rig.sync.mirrors()[0]).toMatchObject({ state: 'pending', message: 'the tracker is down' });
    expect(rig.sync.dirtySources()).toEqual([{ chore: 'web', dueAt: rig.room.now() + 30_000 }]);
    rig.room.later(30_000);
    expect(await rig.run()).toMatchObject({ waiting: 0, error: null });
    expect(rig.tracker.find(ref)!.comments).toHaveLength(1);
    expect(rig.sync.mirrors()[0]).toMatchObject({ state: 'in_sync' });
  });

  test.each(['lost', 'never recorded'])(
    'and is behind itself: a comment whose answer was %s is there once, whoever asks for a sync',
    async (how) => {
      open();
      const ref = await rig.mirrored({ title: 'One' });
      await rig.room.call('comment', { ref: rig.taskOf(ref), text: 'Hello.' });
      if (how === 'lost') {
        failOnce('add', { kind: 'after', error: down() });
        await rig.run();
      } else {
        dieAt(rig, 'called');
        await expect(rig.run()).rejects.toThrow('died');
        await rig.restart();
      }
      const shownAt = rig.room.now() + 6_000;
      const reads = ['list', 'get', 'add'];
      rig.tracker.onCall = ({ operation }) =>
        reads.includes(operation) && rig.room.now() < shownAt ? { kind: 'lag', changes: 1 } : null;
      for (const restMs of [0, 1_000, 4_500]) {
        rig.room.later(restMs);
        const report = await rig.run({ byPerson: true });
        expect(report.waiting).toBe(1);
        expect(report.skipped).toMatchObject([{ ref, what: 'comment' }]);
        expect(report.skipped[0]!.why).toContain('tried again after 20');
      }
      rig.room.later(20_000);
      expect(await rig.run({ byPerson: true })).toMatchObject({ waiting: 0, error: null });
      expect(rig.tracker.find(ref)!.comments).toHaveLength(1);
      expect(rig.sync.mirrors()[0]).toMatchObject({ state: 'in_sync' });
    },
  );

  test('while listing: the source rests, longer each time, and a limit is honoured when a person asks', async () => {
    open();
    rig.tracker.createIssue({ title: 'One' });
    rig.tracker.onCall = () => ({
      kind: 'before',
      error: new RoomError('rate_limited', 'slow down', { retryAfterMs: 90_000 }),
    });
    expect((await rig.run()).error).toMatchObject({ code: 'rate_limited' });
    rig.tracker.onCall = null;
    expect((await rig.run({ byPerson: true })).error).toMatchObject({ code: 'rate_limited' });
    rig.room.later(90_000);
    expect(await rig.run()).toMatchObject({ created: 1, error: null });
    rig.tracker.onCall = () => ({ kind: 'before', error: down() });
    expect((await rig.run()).error?.code).toBe('unavailable');
    rig.tracker.onCall = null;
    expect((await rig.run()).error?.message).toContain('left alone until');
    expect((await rig.run({ byPerson: true })).error).toBeNull();
  });

  test('on a page in the middle goes on from there', async () => {
    open({ provider: { pageSize: 2 } });
    for (let n = 1; n <= 5; n += 1) {
      rig.tracker.createIssue({ title: `Issue ${n}` });
      rig.tracker.advance(1000);
    }
    let pages = 0;
    rig.tracker.onCall = (call) =>
      call.operation === 'list' && ++pages === 2 ? { kind: 'before', error: down() } : null;
    expect(await rig.run()).toMatchObject({ created: 2, error: { code: 'unavailable' } });
    rig.tracker.onCall = null;
    expect(await rig.run({ byPerson: true })).toMatchObject({ created: 3, error: null });
  });

  test('of another chore holds up nothing', async () => {
    open();
    rig.chores.push(mirrorChore('api', { source: 'acme/api' }));
    rig.tracker.createIssue({ title: 'One' });
    rig.tracker.createIssue({ title: 'Two' }, 'alice', 'acme/api');
    failOnce('list', { kind: 'before', error: down() });
    expect((await rig.run()).error?.code).toBe('unavailable');
    expect(await rig.run({}, 'api')).toMatchObject({ created: 1, error: null });
  });

  test('to take one thing says why, once, and tries again when something changed', async () => {
    open();
    const ref = await rig.mirrored({ title: 'One' });
    rig.tracker.editIssue(ref, { locked: true });
    await rig.room.call('comment', { ref: rig.taskOf(ref), text: 'Hello.' });
    const report = await rig.run();
    expect(report.skipped).toMatchObject([{ ref, what: 'comment' }]);
    expect(rig.sync.mirrors()[0]).toMatchObject({ state: 'error' });
    expect(rig.sync.dirtySources()).toEqual([{ chore: 'web', dueAt: rig.room.now() + 3_600_000 }]);
    expect((await rig.run()).skipped).toEqual([]);
    rig.tracker.advance(1000);
    rig.tracker.editIssue(ref, { locked: false });
    expect(await rig.run()).toMatchObject({ commentsOut: 1 });
    expect(rig.sync.mirrors()[0]).toMatchObject({ state: 'in_sync' });
  });

  test('because the issue changed under the push: planned again on what it says now', async () => {
    open({ mirror: { push: ALL_PUSHED } });
    const ref = await rig.mirrored({ title: 'One', body: 'a\nb\nc' });
    rig.edit(ref, 'a\nb', 'A\nb');
    rig.tracker.onCall = (call) => {
      if (call.operation !== 'update') return null;
      rig.tracker.onCall = null;
      rig.tracker.advance(1000);
      rig.tracker.editIssue(ref, { body: 'a\nb\nC' });
      return null;
    };
    expect(await rig.run()).toMatchObject({ conflicts: 0, error: null, pushed: 1 });
    expect(rig.tracker.find(ref)!.body).toBe('A\nb\nC');
    expect(rig.read(ref)).toContain('A\nb\nC');
  });
});

describe('a guard', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => rig.tracker.createIssue({ title: `Issue ${at}`, body: 'body' }));

  test('stops a mass change upstream until it is forced', async () => {
    open();
    const refs = many(30);
    await rig.run();
    rig.tracker.advance(1000);
    for (const ref of refs.slice(0, 25)) rig.tracker.editIssue(ref, { body: '' });
    const stopped = await rig.run();
    expect(stopped.error).toMatchObject({ code: 'refused', message: expect.stringContaining('25 of 30') });
    expect(rig.read(refs[0]!)).toContain('\nbody\n');
    expect(await rig.run({ force: true })).toMatchObject({ updated: 25, error: null });
  });

  test('stops a mass change here, and files that all went', async () => {
    open();
    const refs = many(30);
    await rig.run();
    for (const ref of refs.slice(0, 25)) rig.edit(ref, 'status: todo', 'status: done');
    expect((await rig.run()).error).toMatchObject({
      code: 'refused',
      hint: expect.stringContaining('--force'),
    });
    expect(rig.tracker.find(refs[0]!)!.state).toBe('open');
    expect(await rig.run({ force: true })).toMatchObject({ pushed: 25, error: null });
    for (const ref of refs) rig.remove(rig.pathOf(ref));
    expect((await rig.run()).error).toMatchObject({ code: 'refused' });
    expect(rig.sync.mirrors().some(({ state }) => state === 'detached')).toBe(false);
  });
});

test('what the files say at the wrong moment is looked at again', async () => {
  open();
  const ref = await rig.mirrored({ title: 'One', body: 'old' });
  const text = rig.read(ref);
  const path = rig.pathOf(ref);
  rig.edit(ref, 'status: todo', 'status: [oops');
  rig.tracker.advance(1000);
  rig.tracker.editIssue(ref, { body: 'new' });
  expect((await rig.run()).skipped).toMatchObject([{ ref, what: 'file' }]);
  rig.room.save(path.slice('tasks/'.length), text);
  rig.room.later(60_000);
  expect(await rig.run()).toMatchObject({ updated: 1, skipped: [] });
  expect(rig.read(ref)).toContain('\nnew\n');
});

test("an issue whose answer was lost is its task's when it is listed before the next try", async () => {
  open();
  const { id } = await rig.room.call('create', { name: 'Mine', description: 'words' });
  failOnce('create', { kind: 'after', error: down() });
  await expect(rig.sync.publish(id, 'web', new AbortController().signal)).rejects.toThrow('down');
  const [issue] = rig.tracker.issues();
  expect(await rig.run({ byPerson: true })).toMatchObject({ created: 0, pushed: 1, waiting: 0 });
  expect(rig.room.names('tasks')).toEqual(['Mine.md']);
  expect(rig.taskOf(issue!.ref)).toBe(id);
  rig.tracker.deleteIssue(issue!.ref);
  rig.room.later(3_600_000);
  await rig.run({ full: true, force: true });
  expect(rig.tracker.issues()).toEqual([]);
});
