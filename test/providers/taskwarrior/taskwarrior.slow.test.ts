// The Taskwarrior provider beside a person who uses the real program: what each sees of the other's work, and that
// neither loses any.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Effects } from '../../../src/effects.ts';
import { listAll } from '../../conformance/provider-harness.ts';
import { add, newAttempt, one, open, signal, update } from './opened-provider.ts';
import { hasTaskwarrior } from './person-database.ts';

describe.skipIf(!hasTaskwarrior)('Taskwarrior, the real program', { timeout: 20_000 }, () => {
  it('a task as a person makes it has all its facts', async () => {
    const { rig, provider } = await open();
    const blocker = add(rig, 'Buy paint');
    const words = [
      'project:Home.garden',
      '+agent',
      '+next',
      'priority:H',
      'due:2026-12-01',
      `depends:${blocker}`,
    ];
    const ref = add(rig, 'Paint the fence', ...words);
    rig.task(ref, 'annotate', 'two coats');
    const task = await one(provider, ref);
    expect(task).toMatchObject({
      ...{ ref, uid: ref, title: 'Paint the fence', body: '', state: 'pending', status: 'todo' },
      labels: ['project:Home.garden', 'agent', 'next'],
      priority: 'high',
      due: '2026-12-01',
      blockedBy: [{ ref: blocker, finished: false }],
      author: 'taskwarrior',
      mine: false,
      silent: ['body', 'assignees', 'parent'],
      comments: { complete: true, items: [{ body: 'two coats', mine: false, key: null }] },
    });
    rig.task(blocker, 'done');
    expect((await one(provider, ref)).blockedBy).toEqual([{ ref: blocker, finished: true }]);
    expect((await listAll(provider, null)).items).toContainEqual(await one(provider, ref));
  });

  it('start, stop, wait, done and delete of a person are doing, todo, draft, done and canceled', async () => {
    const { rig, provider } = await open();
    const ref = add(rig, 'Walk through');
    const steps: [string[], string, string][] = [
      [['start'], 'active', 'doing'],
      [['stop'], 'pending', 'todo'],
      [['modify', 'wait:2037-01-01'], 'waiting', 'draft'],
      [['modify', 'wait:'], 'pending', 'todo'],
      [['done'], 'completed', 'done'],
    ];
    for (const [words, state, status] of steps) {
      rig.task(ref, ...words);
      expect(await one(provider, ref)).toMatchObject({ state, status });
    }
    const other = add(rig, 'Thrown away');
    rig.task(other, 'delete');
    expect(await one(provider, other)).toMatchObject({ state: 'deleted', status: 'canceled' });
  });

  it('what we write is what the person sees', async () => {
    const { rig, provider } = await open();
    const ref = add(rig, 'Before');
    await update(provider, ref, {
      title: 'After',
      status: 'doing',
      labels: { add: ['project:Home', 'agent'], remove: [] },
      priority: 'low',
      due: '2026-12-24',
    });
    await provider.comment!.add(ref, 'half way', newAttempt(), signal);
    expect(
      rig
        .task('rc.verbose=nothing', '+ACTIVE', 'project:Home', '+agent', 'pri:L', 'due:2026-12-24', '_uuids')
        .trim(),
    ).toBe(ref);
    expect(rig.task(ref, 'info')).toMatch(/After[\s\S]*half way/);
    await update(provider, ref, { status: 'done' });
    const [record] = rig.records(ref);
    expect(record).toMatchObject({ status: 'completed', end: expect.stringMatching(/Z$/) });
    expect(record).not.toHaveProperty('start');
    await update(provider, ref, { status: 'draft' });
    expect(rig.task('rc.verbose=nothing', '+WAITING', '_uuids').trim()).toBe(ref);
    await update(provider, ref, { status: 'todo' });
    expect(rig.task('rc.verbose=nothing', '+READY', '_uuids').trim()).toBe(ref);
  });

  it('a write changes what it is asked to and nothing else', async () => {
    const rc =
      'uda.estimate.type=numeric\nuda.reviewed.type=date\nuda.size.type=string\nuda.size.default=XL\n';
    const { rig, provider } = await open(rc);
    const due = 'due:2026-12-01T17:30';
    const ref = add(
      rig,
      'Keep [all] of "me"',
      due,
      'estimate:1.5',
      'reviewed:2026-11-01',
      'scheduled:2026-11-02',
      '+a',
      'project:P',
    );
    rig.task(ref, 'annotate', 'a note: [x] "y"');
    const [before] = rig.records(ref);
    rig.put([{ ...before, orphan: 'of [another] program' }]);
    const [whole] = rig.records(ref);
    await update(provider, ref, { priority: 'high', labels: { add: ['b'], remove: [] } });
    const [after] = rig.records(ref);
    expect({ ...after, modified: 0, tags: 0 }).toEqual({ ...whole, modified: 0, tags: 0, priority: 'H' });
    expect(after!.tags).toEqual(['a', 'b']);
    await update(provider, ref, { due: '2026-12-02' });
    expect(rig.records(ref)[0]!.due).toBe('20261202T173000Z');
  });

  it('templates of recurring tasks are not mirrored, their tasks are, and reading makes none', async () => {
    const { rig, provider } = await open();
    rig.task('add', 'Water the plants', 'due:now-15d', 'recur:weekly');
    expect((await listAll(provider, null)).items).toEqual([]);
    expect(readFileSync(join(rig.data, 'pending.data'), 'utf8')).not.toContain('parent:');
    rig.task('rc.verbose=nothing', 'status.any:', 'all');
    const { items } = await listAll(provider, null);
    expect(items.length).toBeGreaterThan(0);
    expect(new Set(items.map(({ title }) => title))).toEqual(new Set(['Water the plants']));
    const [template] = rig.records('status:recurring');
    expect((await provider.get([template!.uuid], signal)).size).toBe(0);
    const task = await one(provider, items[0]!.ref);
    const late = provider.write!.update(template!.uuid, { title: 'x' }, task, signal);
    await expect(late).rejects.toMatchObject({ code: 'gone' });
    await update(provider, task.ref, { status: 'done' });
    expect(rig.records(task.ref)[0]).toMatchObject({
      status: 'completed',
      parent: template!.uuid,
      recur: 'weekly',
    });
  });

  it('a wait that ends is a change, though Taskwarrior writes nothing', async () => {
    let ahead = 0;
    const clock = (effects: Effects): Effects => ({ ...effects, now: () => effects.now() + ahead });
    const { rig, provider } = await open('', {}, clock);
    const ref = add(rig, 'Not yet', 'wait:tomorrow');
    const first = await listAll(provider, null);
    expect(first.items).toMatchObject([{ ref, status: 'draft' }]);
    expect((await listAll(provider, first.next)).items).toEqual([]);
    ahead = 48 * 3_600_000;
    expect((await listAll(provider, first.next)).items).toMatchObject([
      { ref, status: 'todo', state: 'pending' },
    ]);
  });

  it('a task that a filter lets in by itself is listed, and so is one that another device brought late', async () => {
    const { rig, provider } = await open('', { source: '+UNBLOCKED project:Home' });
    const blocker = add(rig, 'First', 'project:Home');
    const ref = add(rig, 'Second', 'project:Home', `depends:${blocker}`);
    rig.backdate(ref, 1_700_000_000);
    const first = await listAll(provider, null);
    expect(first.items.map((each) => each.ref)).toEqual([blocker]);
    rig.task(blocker, 'done');
    const second = await listAll(provider, first.next);
    expect(second.items).toMatchObject([
      { ref, admitted: true },
      { ref: blocker, status: 'done' },
    ]);
    const old = '20200101T000000Z';
    rig.put([
      {
        ...{ uuid: '6f0e1a52-0000-4000-8000-000000000001', description: 'Late', project: 'Home' },
        ...{ status: 'pending', entry: old, modified: old },
      },
    ]);
    expect((await listAll(provider, second.next)).items).toMatchObject([{ title: 'Late', admitted: true }]);
  });

  it('comments at one moment are all there, beside those of the person', async () => {
    const { rig, provider } = await open();
    const ref = add(rig, 'Talk');
    const bodies = Array.from({ length: 12 }, (_, n) => `ours ${n}`);
    const adding = bodies.map((body) => provider.comment!.add(ref, body, newAttempt(), signal));
    const made = await Promise.all(adding);
    rig.task(ref, 'annotate', 'theirs');
    const { items } = (await one(provider, ref)).comments;
    expect(items.map(({ body }) => body).sort()).toEqual([...bodies, 'theirs'].sort());
    expect(new Set(items.map(({ id }) => id)).size).toBe(13);
    expect(items.filter(({ mine }) => mine).map(({ id }) => id)).toEqual(made.map(({ id }) => id));
    const theirs = items.find(({ mine }) => !mine)!;
    const editing = provider.comment!.edit(ref, theirs.id, 'mine now', signal);
    await expect(editing).rejects.toMatchObject({ code: 'refused' });
    rig.task(ref, 'denotate', 'ours 3');
    const late = provider.comment!.edit(ref, made[3]!.id, 'ours 3 again', signal);
    await expect(late).rejects.toMatchObject({ code: 'gone' });
    await expect(provider.comment!.add(ref, ' \n', newAttempt(), signal)).rejects.toMatchObject({
      code: 'bad_input',
    });
  });
});
