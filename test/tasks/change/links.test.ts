// How tasks hang together: subtasks with their steps, what waits for what from either end, resources, and who may.
import { beforeEach, describe, expect, test } from 'vitest';
import type { TurnId } from '../../../src/core/ids.ts';
import type { Actor } from '../../../src/tasks/task-room.ts';
import { rig, withAgents } from '../each-room.ts';
import { failureOf } from '../test-room.ts';

const STEPS = '\n\n## Steps\n- [ ] One\n- [ ] Two\n  why\n';
const turnOf = (agent: string): Actor => ({ kind: 'agent', agent, turn: 'b11111111' as TurnId });

withAgents({ other: {} });
beforeEach(() => {
  rig.save('Big.md', `---\nid: big12345\nowner: runbook # mine\n---\nAll of it.${STEPS}`);
  rig.save('Else.md', '---\nid: else1234\nowner: other\n---\nSomething else.\n');
});

describe('a subtask', () => {
  test('names its parent, and a step names it; nothing else of the parent changes', async () => {
    rig.runTurn('b11111111', 'big12345');
    const made = await rig.call(
      'createSubtask',
      { ref: 'Big', name: 'Part', owner: 'other', index: 1 },
      turnOf('runbook'),
    );
    expect(made).toMatchObject({ name: 'Part', step: 1, changed: true });
    const before = `---\nid: big12345\nowner: runbook # mine\n---\nAll of it.${STEPS}`;
    expect(rig.read('tasks/Big.md')).toBe(before.replace('Two', `Two (task:${made.id})`));
    expect(rig.read('tasks/Part.md')).toMatch(/owner: other\n(?:.*\n)*parent: big12345\n/);
    const { subtasks } = await rig.call('show', { ref: 'Big' });
    expect(subtasks).toEqual([{ id: made.id, name: 'Part', status: 'todo', owner: 'other' }]);
  });

  test('whose step is taken by hand meanwhile is taken back', async () => {
    const { writer } = rig.deps;
    const saving = {
      ...writer,
      async create(...given: Parameters<typeof writer.create>) {
        await writer.create(...given);
        rig.save(
          'Big.md',
          `---\nid: big12345\n---\nAll of it.${STEPS.replace('One', 'One (task:else1234)')}`,
        );
      },
    };
    Object.assign(rig.deps, { writer: saving });
    const failure = await failureOf(rig.call('createSubtask', { ref: 'Big', name: 'Part', index: 0 }));
    expect(failure.message).toContain('has its subtask already: else1234');
    expect(rig.names('tasks')).toEqual(['Big.md', 'Else.md']);
    expect(rig.read('tasks/Big.md')).toContain('One (task:else1234)\n');
  });

  test('is made once, however often the request is repeated', async () => {
    rig.runTurn('b11111111', 'big12345');
    const actor: Actor = { kind: 'agent', agent: 'runbook', turn: 'b11111111' as TurnId, request: 'r1' };
    const first = await rig.call('createSubtask', { ref: 'Big', name: 'Part', index: 0 }, actor);
    expect(await rig.call('createSubtask', { ref: 'Big', name: 'Part', index: 0 }, actor)).toEqual(first);
    expect(rig.names('tasks')).toHaveLength(3);
  });
});

const assistant: Actor = { kind: 'assistant', client: 'claude-code' };

test.each([
  ['an agent in its turn', () => turnOf('runbook')],
  ['an assistant', () => assistant],
])('a parent owned by another is given to a task by no way to %s', async (_, actorOf) => {
  rig.save('Else.md', `---\nid: else1234\nowner: other\n---\n${STEPS}`);
  rig.runTurn('b11111111', 'big12345');
  const actor = actorOf();
  const { id } = await rig.call('create', { name: 'Mine' }, actor);
  await rig.call('create', { name: 'Below mine', parent: id }, actor);
  const ways = [
    () => rig.call('createSubtask', { ref: 'Else', name: 'Part', index: 0 }, actor),
    () => rig.call('create', { name: 'Part', parent: 'Else' }, actor),
    () => rig.call('set', { ref: id, keys: { parent: 'else1234' } }, actor),
    () => rig.call('bulk', { changes: [{ do: 'create', name: 'Part', parent: 'Else' }] }, actor),
    () => rig.call('bulk', { changes: [{ do: 'update', ref: id, keys: { parent: 'Else' } }] }, actor),
  ];
  for (const way of ways) {
    const { code, message } = await failureOf(way());
    expect({ code, message }).toEqual({ code: 'not_allowed', message: expect.any(String) });
  }
  expect(rig.names('tasks')).toEqual(['Below mine.md', 'Big.md', 'Else.md', 'Mine.md']);
});

test('blocking adds one link and takes it away, whatever word it stands under; its inverse is shown', async () => {
  rig.save('Wait.md', '---\nid: wait1234\nblocked_by:\n  - Else # first\n---\n');
  expect((await rig.call('block', { ref: 'Wait', by: 'else1234' })).changed).toBe(false);
  expect((await rig.call('block', { ref: 'Wait', by: 'Big' })).changed).toBe(true);
  expect(rig.read('tasks/Wait.md')).toContain('blocked_by:\n  - Else # first\n  - big12345\n');
  expect((await rig.call('show', { ref: 'Big' })).blocks).toEqual([
    { id: 'wait1234', name: 'Wait', status: 'todo' },
  ]);
  expect((await rig.call('show', { ref: 'Wait' })).blocked).toBe(true);
  await rig.call('unblock', { ref: 'Wait', by: 'else1234' });
  expect(rig.read('tasks/Wait.md')).toContain('blocked_by:\n  - big12345\n');
  await rig.call('unblock', { ref: 'Wait', by: 'task:local:big12345' });
  expect(rig.read('tasks/Wait.md')).toBe('---\nid: wait1234\n---\n');
});
