// Conflicts are kept with both texts until the person settles them, in every field, once, and on what they looked at.
import { expect, test } from 'vitest';
import type { ConflictJson, SettleWish } from '../../src/core/chore-shapes.ts';
import { ALL_PUSHED, dieAt, type MemoryMirror, openMemoryMirror } from './memory-mirror.ts';

let rig: MemoryMirror;
let ref: string;

const conflicts = (): ConflictJson[] => rig.sync.mirrors()[0]!.conflicts;
const only = (): ConflictJson => {
  expect(conflicts()).toHaveLength(1);
  return conflicts()[0]!;
};
const settle = ({ id, version }: ConflictJson, take: SettleWish['take'], text?: string) =>
  rig.sync.settle({
    ...{ task: rig.taskOf(ref), conflict: id, take, version },
    ...(text === undefined ? {} : { text }),
  });

/** Both sides change what `here` and `there` name. */
async function clash(
  here: () => unknown,
  there: Parameters<MemoryMirror['tracker']['editIssue']>[1],
  prefer: 'remote' | 'local' = 'remote',
): Promise<void> {
  rig = openMemoryMirror({ mirror: { push: ALL_PUSHED, prefer } });
  ref = rig.tracker.createIssue({ title: 'Old', body: 'old words' });
  await rig.run();
  rig.tracker.advance(1000);
  rig.tracker.editIssue(ref, there);
  await here();
  await rig.run();
}

const setHere = (changes: Record<string, string>) => () =>
  rig.room.call('set', { ref: rig.taskOf(ref), keys: changes });

const FIELDS: [
  field: string,
  here: () => unknown,
  there: Parameters<MemoryMirror['tracker']['editIssue']>[1],
  texts: [mine: string, theirs: string, own: string],
][] = [
  ['title', setHere({ title: 'Mine' }), { title: 'Theirs' }, ['Mine', 'Theirs', 'Of both']],
  [
    'body',
    () => rig.edit(ref, '\nold words\n', '\nmy words\n'),
    { body: 'their words' },
    ['my words', 'their words', 'words\nof both'],
  ],
  [
    'status',
    () => rig.edit(ref, 'status: todo', 'status: done'),
    { state: 'closed/not_planned' },
    ['done', 'canceled', 'todo'],
  ],
  ['priority', setHere({ priority: 'high' }), { priority: 'low' }, ['high', 'low', 'none']],
  ['due', setHere({ due: '2040-05-01' }), { due: '2040-06-01' }, ['2040-05-01', '2040-06-01', '2040-07-01']],
];

for (const [field, here, there, [mine, theirs, own]] of FIELDS)
  test(`${field}: both texts are shown; keeping, taking and writing settle it on both sides`, async () => {
    await clash(here, there);
    const shown = only();
    expect(shown).toMatchObject({ field, lost_side: 'local', standing: theirs, lost: mine });
    expect(rig.room.read(shown.kept!)).toBe(mine);
    expect(rig.sync.mirrors()[0]!.state).toBe('conflict');

    expect(await settle(shown, 'lost')).toMatchObject({ take: 'lost', changed: true, standing: mine });
    expect(conflicts()).toEqual([]);
    await rig.run();
    expect(rig.sync.mirrors()[0]!.state).toBe('in_sync');
    const { title, body, priority, due } = rig.tracker.find(ref)!;
    if (field !== 'status') expect({ title, body, priority, due }[field as 'title']).toBe(mine);
    expect(await rig.run()).toMatchObject({ conflicts: 0, updated: 0, pushed: 0 });

    await clash(here, there, 'local');
    expect(only()).toMatchObject({ field, lost_side: 'remote', standing: mine, lost: theirs });
    expect(await settle(only(), 'standing')).toMatchObject({ changed: false, standing: mine });
    expect(rig.sync.mirrors()[0]!).toMatchObject({ state: 'in_sync', conflicts: [] });

    await clash(here, there);
    expect(await settle(only(), 'own', own)).toMatchObject({ changed: true, standing: own });
    await rig.run();
    expect(rig.sync.mirrors()[0]!).toMatchObject({ state: 'in_sync', conflicts: [] });
  });

const TITLES = [setHere({ title: 'Mine' }), { title: 'Theirs' }] as const;

test('only the field is written: every other byte stays', async () => {
  await clash(...TITLES);
  const before = rig.read(ref);
  await settle(only(), 'lost');
  expect(rig.read(ref)).toBe(before.replace('title: Theirs', 'title: Mine'));
});

test('a death between the write of the file and the record loses no conflict', async () => {
  rig = openMemoryMirror({ mirror: { push: ALL_PUSHED } });
  ref = rig.tracker.createIssue({ title: 'Old', body: '' });
  await rig.run();
  rig.tracker.advance(1000);
  rig.tracker.editIssue(ref, { title: 'Theirs' });
  await rig.room.call('set', { ref: rig.taskOf(ref), keys: { title: 'Mine' } });
  dieAt(rig, 'written');
  await rig.run().catch(() => undefined);
  expect(rig.read(ref)).toContain('title: Theirs');
  await rig.restart();
  await rig.run();
  expect(only()).toMatchObject({ field: 'title', standing: 'Theirs', lost: 'Mine' });
});

test('a death between the write that settles it and its record: asked again, it is settled', async () => {
  await clash(...TITLES);
  const seen = only();
  rig.edit(ref, 'title: Theirs', 'title: Mine');
  expect(await settle(seen, 'lost')).toMatchObject({ changed: false, standing: 'Mine' });
  expect(conflicts()).toEqual([]);
});

test('words of a comment become a comment of the person, never another one of somebody else', async () => {
  rig = openMemoryMirror({ mirror: { push: ALL_PUSHED } });
  ref = rig.tracker.createIssue({ title: 'Old', body: '' });
  const id = rig.tracker.addComment(ref, 'Hello');
  await rig.run();
  rig.tracker.advance(1000);
  rig.tracker.editComment(ref, id, 'Hello from there');
  rig.edit(ref, '> Hello', '> Hello from here');
  await rig.run();
  expect(only()).toMatchObject({ field: 'comments', standing: 'Hello from there', lost: 'Hello from here' });
  await settle(only(), 'lost');
  await rig.run();
  const said = rig.tracker.find(ref)!.comments.map(({ body }) => body.split('\n')[0]);
  expect(said).toEqual(['Hello from there', 'Hello from here']);
});
