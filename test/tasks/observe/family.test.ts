// What follows from a subtask's or a parent's end, whoever wrote it and however the two were linked: a parent is woken,
// a canceled one takes its open local subtasks along.
import { describe, expect, test } from 'vitest';
import { RoomError } from '../../../src/core/errors.ts';
import type { TaskId } from '../../../src/core/ids.ts';
import { rig } from '../each-room.ts';

const status = (name: string) => /^status: (\w+)/m.exec(rig.read(`tasks/${name}.md`))?.[1];
const wakesOf = (id: string) => rig.deps.ledger.wakes.of(id as TaskId);
/** Takes in what happened to the files. */
const look = () => rig.call('release', {});

/** Top, a child by `parent:`, one by a step, a grandchild by each. */
function saveFamily(): void {
  rig.save('Top.md', '---\nid: topp1111\nstatus: doing\n---\n\n## Steps\n- [ ] a (task:step1111)\n');
  rig.save('Named.md', '---\nid: name1111\nstatus: todo\nparent: Top\n---\n');
  rig.save('Stepped.md', '---\nid: step1111\nstatus: draft\n---\n\n## Steps\n- [ ] b (task:deep1111)\n');
  rig.save('Deep.md', '---\nid: deep1111\nstatus: doing\npaused: true\n---\n');
  rig.save('Deeper.md', '---\nid: dper1111\nstatus: todo\nparent: name1111\n---\n');
  rig.save('Over.md', '---\nid: over1111\nstatus: done\nparent: Top\n---\n');
  rig.save('Beside.md', '---\nid: side1111\nstatus: todo\n---\n');
}

function mirror(task: string): void {
  const none = { url: null, path: null, message: null, cause: null, localHash: null, remoteHash: null };
  const times = { remoteUpdatedAt: 0, syncedAt: 0, dueAt: null, tries: 0 };
  const { mirrors } = rig.deps.ledger;
  const issue = { provider: 'github', uid: 'u1', ref: 'acme/web#1', chore: 'web', state: 'ok', base: null };
  mirrors.insert({ task: task as TaskId, ...issue, ...none, ...times });
}

const FAMILY = ['Named', 'Stepped', 'Deep', 'Deeper'];

describe('a canceled parent', () => {
  test('cancels its open subtasks through all levels, by hand or by a parent alike', async () => {
    saveFamily();
    await rig.call('cancel', { ref: 'Top' });
    for (const name of FAMILY) expect(status(name), name).toBe('canceled');
    expect(rig.read('tasks/Deeper.md')).toContain('Canceled with Named, its parent.');
    expect([status('Over'), status('Beside')]).toEqual(['done', 'todo']);
    const lines = (await rig.call('history', {})).history;
    expect(lines.map(({ name }) => name).sort()).toEqual([...FAMILY, 'Top'].sort());
  });

  test('does so when a hand edit says it, once', async () => {
    saveFamily();
    await look();
    rig.save('Top.md', rig.read('tasks/Top.md').replace('doing', 'canceled'));
    await look();
    for (const name of FAMILY) expect(status(name), name).toBe('canceled');
    rig.save('Deep.md', rig.read('tasks/Deep.md').replace('canceled', 'todo'));
    await look();
    expect(status('Deep')).toBe('todo');
  });

  test('leaves a subtask that another open task has too, until that is canceled', async () => {
    saveFamily();
    rig.save('Second.md', '---\nid: seco1111\nstatus: todo\n---\n\n## Steps\n- [ ] c (task:name1111)\n');
    await rig.call('cancel', { ref: 'Top' });
    expect([status('Named'), status('Deeper'), status('Stepped')]).toEqual(['todo', 'todo', 'canceled']);
    await rig.call('cancel', { ref: 'Second' });
    expect([status('Named'), status('Deeper')]).toEqual(['canceled', 'canceled']);
  });

  test('leaves mirrored subtasks and unreadable ones, and notes them until they are settled', async () => {
    saveFamily();
    mirror('name1111');
    await look();
    rig.save('Stepped.md', '---\nid: step1111\nstatus: [\n---\n');
    await rig.call('cancel', { ref: 'Top' });
    expect([status('Named'), status('Deeper')]).toEqual(['todo', 'todo']);
    const left = { parent: 'topp1111', at: rig.now() };
    expect(rig.deps.ledger.unresolvedChildren.list()).toEqual([
      { task: 'name1111', reason: 'mirrored', ...left },
      { task: 'step1111', reason: 'invalid', ...left },
    ]);
    await rig.call('cancel', { ref: 'Named' });
    expect(rig.deps.ledger.unresolvedChildren.list().map(({ task }) => task)).toEqual(['step1111']);
    rig.deps.ledger.unresolvedChildren.delete('step1111');
    expect(rig.deps.ledger.unresolvedChildren.list()).toEqual([]);
  });

  test('opened again before the disk let anybody write leaves them', async () => {
    saveFamily();
    await look();
    const { writer } = rig.deps;
    const edit = () => Promise.reject(new RoomError('io', 'no space left'));
    Object.assign(rig.deps, { writer: { ...writer, edit } });
    rig.save('Top.md', rig.read('tasks/Top.md').replace('doing', 'canceled'));
    await look();
    expect(rig.events).toContainEqual(expect.objectContaining({ type: 'room.trouble' }));
    Object.assign(rig.deps, { writer });
    rig.save('Top.md', rig.read('tasks/Top.md').replace('canceled', 'doing'));
    await look();
    expect(FAMILY.map(status)).toEqual(['todo', 'draft', 'doing', 'todo']);
  });
});

test.each(['Named', 'Stepped'])('a finished subtask wakes its parent: %s', async (name) => {
  saveFamily();
  await look();
  rig.save(`${name}.md`, rig.read(`tasks/${name}.md`).replace(/status: \w+/, 'status: done'));
  await look();
  expect(wakesOf('topp1111')).toEqual(['subtask_finished']);
  expect(wakesOf('side1111')).toEqual([]);
});
