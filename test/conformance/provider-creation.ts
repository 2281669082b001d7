// Making issues: once for each key, whatever happened to the first try's answer, and as asked for.
import { expect } from 'vitest';
import { isRoomError } from '../../src/core/errors.ts';
import type { RemoteDraft, RemoteTask } from '../../src/providers/provider.ts';
import { HOSTILE_LABELS, HOSTILE_TITLES, hostileBodies } from './hostile-texts.ts';
import { type Bench, type Cases, essence, getOne, latest, listAll, newIssue } from './provider-harness.ts';
import { forgery } from './provider-reading.ts';

let made = 0;
export const newKey = (): string => `k${String(++made).padStart(11, '0')}`;

export function draft(change: Partial<RemoteDraft> & { title: string }): RemoteDraft {
  return { body: '', status: 'todo', labels: [], priority: null, due: null, ...change };
}

export const writing = ({ provider, skip }: Bench) => provider.write ?? skip('read-only');

export async function create(bench: Bench, change: Partial<RemoteDraft> & { title: string }) {
  return await writing(bench).create(draft(change), { key: newKey(), tries: 0 }, bench.signal);
}

/** What a write answered is what a reading and a listing find: the engine sees no change. */
export async function expectEcho(bench: Bench, task: RemoteTask): Promise<void> {
  const { provider } = bench;
  const read = await getOne(bench, task.ref);
  expect(essence(provider, read, task)).toEqual(essence(provider, task, read));
  const listed = latest((await listAll(provider, null)).items).get(task.uid)!;
  expect(essence(provider, listed, task)).toEqual(essence(provider, task, listed));
}

/** The tracker holds it, or said why it can't. */
async function orSays<T>(promise: Promise<T>, what: string): Promise<T | null> {
  try {
    return await promise;
  } catch (error) {
    if (isRoomError(error) && ['bad_input', 'refused'].includes(error.code)) return null;
    throw new Error(`${what} is neither held nor refused in words`, { cause: error });
  }
}

export const CREATION: Cases = {
  'a new issue is as asked for, and its echo is no change': async (bench) => {
    const { harness, provider } = bench;
    const can = (field: (typeof harness.fields)[number]) => provider.profile.writable.includes(field);
    const task = await create(bench, {
      title: 'Made here',
      body: can('body') ? 'Words.\n\n- one\n- two\n' : '',
      labels: can('labels') ? ['bug', 'web'] : [],
      priority: can('priority') ? 'high' : null,
      due: can('due') ? '2031-05-17' : null,
    });
    expect(task).toMatchObject({ title: 'Made here', mine: true, author: harness.account });
    expect(provider.profile.classOf(task.status)).toBe(provider.profile.classOf('todo'));
    if (can('body')) {
      const { normalise } = provider.profile;
      expect(normalise(task.body)).toBe(normalise('Words.\n\n- one\n- two\n'));
    }
    if (can('labels')) expect([...task.labels].sort()).toEqual(['bug', 'web']);
    if (can('priority')) expect(task.priority).toBe('high');
    if (can('due')) expect(task.due).toBe('2031-05-17');
    await expectEcho(bench, task);
  },
  'a new issue can begin in any class': async (bench) => {
    const { classOf } = bench.provider.profile;
    for (const status of ['draft', 'doing', 'done', 'canceled'] as const) {
      const task = await create(bench, { title: `Begins ${status}`, status });
      expect(classOf(task.status), status).toBe(classOf(status));
      await expectEcho(bench, task);
    }
  },
  'a try again finds what the first one made': async (bench) => {
    const attempt = { key: newKey(), tries: 0 };
    const write = writing(bench);
    const first = await write.create(draft({ title: 'Once' }), attempt, bench.signal);
    const again = await write.create(draft({ title: 'Once' }), { ...attempt, tries: 1 }, bench.signal);
    expect(essence(bench.provider, again, first)).toEqual(essence(bench.provider, first, again));
    expect(await bench.people.titles()).toEqual(['Once']);
  },
  'an issue whose answer was lost is found by the next try, by another provider too': async (bench) => {
    const { harness, people, signal, open, skip } = bench;
    const attempt = { key: newKey(), tries: 0 };
    const write = writing(bench);
    if (!harness.loseNextAnswer) skip('answers cannot be lost here');
    harness.loseNextAnswer!();
    await write.create(draft({ title: 'Lost' }), attempt, signal).catch(() => null);
    expect(await people.titles()).toEqual(['Lost']);
    for (const tries of [1, 2]) {
      const restarted = await open();
      const task = await restarted.write!.create(draft({ title: 'Lost' }), { ...attempt, tries }, signal);
      expect(task).toMatchObject({ title: 'Lost', mine: true });
    }
    expect(await people.titles()).toEqual(['Lost']);
  },
  'a try again makes the issue when the first one never arrived': async (bench) => {
    const task = await writing(bench).create(
      draft({ title: 'Second try' }),
      { key: newKey(), tries: 3 },
      bench.signal,
    );
    expect(task.title).toBe('Second try');
    expect(await bench.people.titles()).toEqual(['Second try']);
  },
  'two keys make two issues, though all their words are the same': async (bench) => {
    const one = await create(bench, { title: 'Twin', body: 'same' });
    const two = await create(bench, { title: 'Twin', body: 'same' });
    expect(two.uid).not.toBe(one.uid);
    expect(await bench.people.titles()).toEqual(['Twin', 'Twin']);
  },
  "somebody else's marker is not believed: an issue": async (bench) => {
    const { harness, people, signal, skip } = bench;
    const write = writing(bench);
    if (!harness.forgedMarker) skip('nothing can be forged here');
    const key = newKey();
    const forged = await newIssue(bench, {
      title: 'Forged',
      body: `trust me\n\n${harness.forgedMarker!(key)}`,
    });
    const task = await write.create(draft({ title: 'Real' }), { key, tries: 1 }, signal);
    expect(task.ref).not.toBe(forged);
    expect((await people.titles()).sort()).toEqual(['Forged', 'Real']);
    expect((await getOne(bench, forged)).mine).toBe(false);
  },
  'hostile titles are held, or refused in words': async (bench) => {
    const { limits } = bench.provider.profile;
    writing(bench);
    const plain = (text: string) => text.replace(/\s+/g, ' ').trim();
    for (const [what, whole] of Object.entries(HOSTILE_TITLES)) {
      const title = whole.slice(0, limits.title);
      const task = await orSays(create(bench, { title }), what);
      if (task === null) continue;
      expect(plain(task.title), what).toBe(plain(title));
      await expectEcho(bench, task);
    }
  },
  'hostile bodies come back as they went': async (bench) => {
    const { provider, skip } = bench;
    writing(bench);
    if (!provider.profile.writable.includes('body')) skip('bodies cannot be written here');
    const { normalise, limits } = provider.profile;
    const longest = Math.min(limits.body, 65_536);
    for (const [what, body] of Object.entries(hostileBodies(forgery(bench), longest))) {
      const task = await create(bench, { title: what, body });
      expect(normalise(task.body), what).toBe(normalise(body));
      await expectEcho(bench, task);
    }
  },
  'hostile labels are held whole, or refused in words': async (bench) => {
    const { provider, skip } = bench;
    writing(bench);
    if (!provider.profile.writable.includes('labels')) skip('labels cannot be written here');
    for (const label of HOSTILE_LABELS) {
      const task = await orSays(create(bench, { title: 'Labelled', labels: [label, 'plain'] }), label);
      if (task === null) continue;
      expect([...task.labels].sort(), label).toEqual([label, 'plain'].sort());
      await expectEcho(bench, task);
    }
  },
};
