// Changing issues: only the fields named, only what is still as expected, and never a state of the wanted class.
import { expect } from 'vitest';
import type { RemoteChange, RemoteTask } from '../../src/providers/provider.ts';
import { create, expectEcho, newKey, writing } from './provider-creation.ts';
import {
  type Bench,
  type Cases,
  essence,
  getOne,
  listAll,
  newIssue,
  type PersonEdit,
  settle,
} from './provider-harness.ts';

async function update(bench: Bench, task: RemoteTask, change: RemoteChange): Promise<RemoteTask> {
  return await writing(bench).update(task.ref, change, task, bench.signal);
}

async function issueOf(bench: Bench, draft: PersonEdit & { title: string }): Promise<RemoteTask> {
  writing(bench);
  return await getOne(bench, await newIssue(bench, draft));
}

const sorted = (items: readonly string[]) => [...items].sort();

export const UPDATES: Cases = {
  "title and body of a person's issue, nothing else touched": async (bench) => {
    const { provider } = bench;
    const { normalise, writable } = provider.profile;
    let task = await issueOf(bench, { title: 'Old', body: 'old words' });
    const before = task;
    task = await update(bench, task, { title: 'New title' });
    expect(task.title).toBe('New title');
    expect(normalise(task.body)).toBe(normalise(before.body));
    if (writable.includes('body')) {
      task = await update(bench, task, { body: '## Outcome\n\n1. new\n2. words' });
      expect(normalise(task.body)).toBe(normalise('## Outcome\n\n1. new\n2. words'));
    }
    expect(task).toMatchObject({ title: 'New title', state: before.state, uid: before.uid, mine: false });
    await expectEcho(bench, task);
  },
  'an issue of ours keeps its key through a new body, and an empty one': async (bench) => {
    if (!bench.provider.profile.writable.includes('body')) bench.skip('bodies cannot be written here');
    let task = await create(bench, { title: 'Ours', body: 'first' });
    for (const body of ['second', '', 'third']) {
      const { key } = task;
      task = await update(bench, task, { body });
      expect(bench.provider.profile.normalise(task.body)).toBe(body);
      expect(task.key).toBe(key);
      await expectEcho(bench, task);
    }
  },
  'every status is reached from every other, and its echo is no change': async (bench) => {
    const { classOf } = bench.provider.profile;
    if (!bench.provider.profile.writable.includes('status')) bench.skip('states cannot be written here');
    let task = await issueOf(bench, { title: 'Moves' });
    const way = [
      ...['doing', 'done', 'todo', 'canceled', 'done', 'canceled', 'doing', 'draft', 'todo'],
    ] as const;
    for (const status of way) {
      task = await update(bench, task, { status });
      expect(classOf(task.status), status).toBe(classOf(status));
      await expectEcho(bench, task);
    }
  },
  'a state that has the wanted class already is left alone': async (bench) => {
    const { people, harness, provider } = bench;
    if (!provider.profile.writable.includes('status')) bench.skip('states cannot be written here');
    const { ref } = await issueOf(bench, { title: 'Stays' });
    for (const { name, status } of harness.states) {
      await people.editIssue(ref, { state: name });
      const task = await update(bench, await getOne(bench, ref), { status });
      expect(task.state).toBe(name);
    }
  },
  'labels are added and removed, those of others stay': async (bench) => {
    if (!bench.provider.profile.writable.includes('labels')) bench.skip('labels cannot be written here');
    let task = await issueOf(bench, { title: 'Labels', labels: ['keep', 'drop'] });
    task = await update(bench, task, { labels: { add: ['fresh', 'keep'], remove: ['drop', 'never-there'] } });
    expect(sorted(task.labels)).toEqual(['fresh', 'keep']);
    await expectEcho(bench, task);
    task = await update(bench, task, { labels: { add: [], remove: ['fresh', 'keep'] } });
    expect(task.labels).toEqual([]);
  },
  'assignees are added and removed': async (bench) => {
    const { harness, provider, skip } = bench;
    if (!provider.profile.writable.includes('assignees')) skip('assignees cannot be written here');
    let task = await issueOf(bench, { title: 'Assigned' });
    task = await update(bench, task, { assignees: { add: [harness.account], remove: [] } });
    expect(task.assignees).toEqual([harness.account]);
    await expectEcho(bench, task);
    task = await update(bench, task, { assignees: { add: [], remove: [harness.account] } });
    expect(task.assignees).toEqual([]);
  },
  'priority and due date are set and cleared': async (bench) => {
    const { writable } = bench.provider.profile;
    if (!writable.includes('priority') && !writable.includes('due'))
      bench.skip('neither can be written here');
    let task = await issueOf(bench, { title: 'Planned' });
    const values = { priority: ['high', 'low', null], due: ['2031-05-17', '2031-06-01', null] } as const;
    for (const field of ['priority', 'due'] as const) {
      if (!writable.includes(field)) continue;
      for (const value of values[field]) {
        task = await update(bench, task, { [field]: value });
        expect(task[field]).toBe(value);
        await expectEcho(bench, task);
      }
    }
  },
  'relations are made and undone': async (bench) => {
    const { people, provider, skip } = bench;
    const { writable } = provider.profile;
    if (!writable.includes('parent') && !writable.includes('blocked_by'))
      skip('relations cannot be written here');
    const refs = await people.createIssues([{ title: 'One' }, { title: 'Two' }]);
    const [one, two] = refs as [string, string];
    let task = await issueOf(bench, { title: 'Related' });
    if (writable.includes('parent')) {
      for (const parent of [one, two, null]) {
        task = await update(bench, task, { parent });
        expect(task.parent).toBe(parent);
        await expectEcho(bench, task);
      }
    }
    if (writable.includes('blocked_by')) {
      task = await update(bench, task, { blockedBy: { add: [one, two], remove: [] } });
      expect(sorted(task.blockedBy.map(({ ref }) => ref))).toEqual(sorted([one, two]));
      await expectEcho(bench, task);
      task = await update(bench, task, { blockedBy: { add: [], remove: [one] } });
      expect(task.blockedBy.map(({ ref }) => ref)).toEqual([two]);
    }
  },
  'several fields at once': async (bench) => {
    const { writable, classOf } = bench.provider.profile;
    let task = await issueOf(bench, { title: 'Many' });
    const change: RemoteChange = { title: 'All at once' };
    if (writable.includes('body')) change.body = 'body';
    if (writable.includes('status')) change.status = 'done';
    if (writable.includes('labels')) change.labels = { add: ['x'], remove: [] };
    task = await update(bench, task, change);
    expect(task.title).toBe('All at once');
    if (change.status) expect(classOf(task.status)).toBe(classOf('done'));
    if (change.labels) expect(task.labels).toEqual(['x']);
    await expectEcho(bench, task);
  },
  'a field that changed upstream meanwhile is a conflict, and stays as the person left it': async (bench) => {
    const { people, harness, provider } = bench;
    const { writable } = provider.profile;
    const expected = await issueOf(bench, { title: 'Mine', body: 'mine' });
    await people.editIssue(expected.ref, { title: 'Theirs' });
    await expect(update(bench, expected, { title: 'Ours' })).rejects.toMatchObject({ code: 'conflict' });
    expect((await people.look(expected.ref))!.title).toBe('Theirs');
    if (writable.includes('body')) {
      await people.editIssue(expected.ref, { body: 'theirs' });
      await expect(update(bench, expected, { body: 'ours' })).rejects.toMatchObject({ code: 'conflict' });
      expect((await people.look(expected.ref))!.body).toContain('theirs');
    }
    if (writable.includes('status')) {
      const canceled = harness.states.find(({ status }) => status === 'canceled');
      const state = (canceled ?? harness.states.find(({ status }) => status === 'done')!).name;
      await people.editIssue(expected.ref, { state });
      const status = canceled ? 'done' : 'todo';
      if (canceled) {
        const clash = update(bench, expected, { status });
        await expect(clash).rejects.toMatchObject({ code: 'conflict' });
      }
      expect((await getOne(bench, expected.ref)).state).toBe(state);
    }
  },
  'a change of another field meanwhile is no conflict, and stays': async (bench) => {
    const { people, provider } = bench;
    const expected = await issueOf(bench, { title: 'Mine', body: 'mine' });
    const other = bench.harness.fields.includes('body') ? { body: 'theirs' } : { labels: ['theirs'] };
    await people.editIssue(expected.ref, other);
    const task = await update(bench, expected, { title: 'Ours' });
    expect(task.title).toBe('Ours');
    if ('body' in other) expect(provider.profile.normalise(task.body)).toBe('theirs');
    else expect(task.labels).toEqual(['theirs']);
  },
  'writing what is there already changes nothing, and is no conflict when somebody else was first': async (
    bench,
  ) => {
    const { people } = bench;
    const expected = await issueOf(bench, { title: 'Before' });
    await people.editIssue(expected.ref, { title: 'After' });
    const task = await update(bench, expected, { title: 'After' });
    expect(task.title).toBe('After');
    expect(essenceless(await update(bench, task, { title: 'After' }))).toEqual(essenceless(task));
  },
  'all that the provider wrote is in the next listing as it was answered, and in no listing after that as another':
    async (bench) => {
      const { provider, harness, signal } = bench;
      const theirs = await issueOf(bench, { title: 'Theirs' });
      const cursor = await settle(provider);
      await harness.tick?.();
      const ours = await create(bench, { title: 'Ours', body: 'words' });
      const changed = await update(bench, theirs, { title: 'Theirs, edited' });
      if (provider.comment) await provider.comment.add(ours.ref, 'said', { key: newKey(), tries: 0 }, signal);
      const second = await listAll(provider, cursor);
      const third = await listAll(provider, second.next);
      for (const written of [ours, changed]) {
        const listed = [...second.items, ...third.items].filter(({ uid }) => uid === written.uid);
        expect(listed.length).toBeGreaterThan(0);
        for (const item of listed)
          expect(essence(provider, item, written)).toEqual(essence(provider, written, item));
      }
    },
  'an issue that was deleted is gone': async (bench) => {
    const { people, skip } = bench;
    if (!people.deleteIssue) skip('nothing can be deleted here');
    const task = await issueOf(bench, { title: 'Goes' });
    await people.deleteIssue!(task.ref);
    await expect(update(bench, task, { title: 'Too late' })).rejects.toMatchObject({ code: 'gone' });
  },
};

const essenceless = ({ title, body, state, labels, updatedAt }: RemoteTask) => ({
  title,
  body,
  state,
  labels,
  updatedAt,
});
