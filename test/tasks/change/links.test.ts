// How tasks hang together: subtasks with their steps, what waits for what from either end, resources, and who may.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TurnId } from '../../../src/core/ids.ts';
import type { Actor } from '../../../src/tasks/task-room.ts';
import { failureOf, openTestRoom, PERSON, type TestRoom } from '../test-room.ts';

const STEPS = '\n\n## Steps\n- [ ] One\n- [ ] Two\n  why\n';
const turnOf = (agent: string): Actor => ({ kind: 'agent', agent, turn: 'b11111111' as TurnId });

let rig: TestRoom;
beforeEach(() => {
  rig = openTestRoom({ other: {} });
  rig.save('Big.md', `---\nid: big12345\nowner: runbook # mine\n---\nAll of it.${STEPS}`);
  rig.save('Else.md', '---\nid: else1234\nowner: other\n---\nSomething else.\n');
});
afterEach(() => rig.close());

describe('a subtask', () => {
  test('names its parent, and a step names it; nothing else of the parent changes', async () => {
    rig.runTurn('b11111111', 'big12345');
    const made = await rig.tasks.call(
      'createSubtask',
      { ref: 'Big', name: 'Part', owner: 'other', index: 1 },
      turnOf('runbook'),
    );
    expect(made).toMatchObject({ name: 'Part', step: 1, changed: true });
    const before = `---\nid: big12345\nowner: runbook # mine\n---\nAll of it.${STEPS}`;
    expect(rig.read('tasks/Big.md')).toBe(before.replace('Two', `Two (task:${made.id})`));
    expect(rig.read('tasks/Part.md')).toMatch(/owner: other\n(?:.*\n)*parent: big12345\n/);
    const { subtasks } = await rig.tasks.call('show', { ref: 'Big' }, PERSON);
    expect(subtasks).toEqual([{ id: made.id, name: 'Part', status: 'todo', owner: 'other' }]);
  });

  test('gets a step of its own when none is named', async () => {
    const made = await rig.tasks.call('createSubtask', { ref: 'Big', name: 'Part: the rest?' }, PERSON);
    expect(made.step).toBe(2);
    expect(rig.read('tasks/Big.md')).toContain(`- [ ] Part: the rest? (task:${made.id})`);
  });

  test('is not made when its step has one, and no file is left behind', async () => {
    await rig.tasks.call('createSubtask', { ref: 'Big', name: 'Part', index: 0 }, PERSON);
    expect(
      (await failureOf(rig.tasks.call('createSubtask', { ref: 'Big', name: 'Twin', index: 0 }, PERSON))).code,
    ).toBe('refused');
    expect(rig.names('tasks')).toEqual(['Big.md', 'Else.md', 'Part.md']);
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
    const failure = await failureOf(
      rig.tasks.call('createSubtask', { ref: 'Big', name: 'Part', index: 0 }, PERSON),
    );
    expect(failure.message).toContain('has its subtask already: else1234');
    expect(rig.names('tasks')).toEqual(['Big.md', 'Else.md']);
    expect(rig.read('tasks/Big.md')).toContain('One (task:else1234)\n');
  });

  test('is made once, however often the request is repeated', async () => {
    rig.runTurn('b11111111', 'big12345');
    const actor: Actor = { kind: 'agent', agent: 'runbook', turn: 'b11111111' as TurnId, request: 'r1' };
    const first = await rig.tasks.call('createSubtask', { ref: 'Big', name: 'Part', index: 0 }, actor);
    expect(await rig.tasks.call('createSubtask', { ref: 'Big', name: 'Part', index: 0 }, actor)).toEqual(
      first,
    );
    expect(rig.names('tasks')).toHaveLength(3);
  });

  test('is for the owner of its parent to make, in a turn of the parent or of a task above it (S11)', async () => {
    rig.save('Sub.md', `---\nid: sub12345\nparent: big12345\nowner: other\n---\n${STEPS}`);
    rig.runTurn('b11111111', 'big12345');
    const failure = await failureOf(
      rig.tasks.call('createSubtask', { ref: 'Sub', name: 'Part', index: 0 }, turnOf('runbook')),
    );
    expect(failure.code).toBe('not_allowed');
    expect(failure.message).toContain('owned by other');
    expect(
      (await failureOf(rig.tasks.call('createSubtask', { ref: 'Else', name: 'Part' }, turnOf('runbook'))))
        .code,
    ).toBe('not_allowed');
    expect(rig.names('tasks')).toEqual(['Big.md', 'Else.md', 'Sub.md']);
  });
});

describe('the parent of a task', () => {
  const assistant: Actor = { kind: 'assistant', client: 'claude-code' };

  test.each([
    ['an agent in its turn', () => turnOf('runbook')],
    ['an assistant', () => assistant],
  ])('owned by another is given by no way to %s', async (_, actorOf) => {
    rig.save('Else.md', `---\nid: else1234\nowner: other\n---\n${STEPS}`);
    rig.runTurn('b11111111', 'big12345');
    const actor = actorOf();
    const { id } = await rig.tasks.call('create', { name: 'Mine' }, actor);
    await rig.tasks.call('create', { name: 'Below mine', parent: id }, actor);
    const ways = [
      () => rig.tasks.call('createSubtask', { ref: 'Else', name: 'Part', index: 0 }, actor),
      () => rig.tasks.call('create', { name: 'Part', parent: 'Else' }, actor),
      () => rig.tasks.call('set', { ref: id, keys: { parent: 'else1234' } }, actor),
      () => rig.tasks.call('bulk', { changes: [{ do: 'create', name: 'Part', parent: 'Else' }] }, actor),
      () => rig.tasks.call('bulk', { changes: [{ do: 'update', ref: id, keys: { parent: 'Else' } }] }, actor),
    ];
    for (const way of ways) {
      const { code, message } = await failureOf(way());
      expect({ code, message }).toEqual({ code: 'not_allowed', message: expect.any(String) });
    }
    expect(rig.names('tasks')).toEqual(['Below mine.md', 'Big.md', 'Else.md', 'Mine.md']);
  });
});

describe('blocking', () => {
  test('adds one link and takes it away, whatever word it stands under; its inverse is shown', async () => {
    rig.save('Wait.md', '---\nid: wait1234\nblocked_by:\n  - Else # first\n---\n');
    expect((await rig.tasks.call('block', { ref: 'Wait', by: 'else1234' }, PERSON)).changed).toBe(false);
    expect((await rig.tasks.call('block', { ref: 'Wait', by: 'Big' }, PERSON)).changed).toBe(true);
    expect(rig.read('tasks/Wait.md')).toContain('blocked_by:\n  - Else # first\n  - big12345\n');
    expect((await rig.tasks.call('show', { ref: 'Big' }, PERSON)).blocks).toEqual([
      { id: 'wait1234', name: 'Wait', status: 'todo' },
    ]);
    expect((await rig.tasks.call('show', { ref: 'Wait' }, PERSON)).blocked).toBe(true);
    await rig.tasks.call('unblock', { ref: 'Wait', by: 'else1234' }, PERSON);
    expect(rig.read('tasks/Wait.md')).toContain('blocked_by:\n  - big12345\n');
    await rig.tasks.call('unblock', { ref: 'Wait', by: 'task:local:big12345' }, PERSON);
    expect(rig.read('tasks/Wait.md')).toBe('---\nid: wait1234\n---\n');
  });

  test('names the circle it would close, from either end', async () => {
    rig.save('Middle.md', '---\nid: midd1234\nblocked_by: Big\n---\n');
    rig.save('Last.md', '---\nid: last1234\nblocked_by: [midd1234]\n---\n');
    const failure = await failureOf(rig.tasks.call('block', { ref: 'Big', by: 'Last' }, PERSON));
    expect(failure.code).toBe('bad_input');
    expect(failure.message).toContain('Big → Last → Middle → Big');
    expect((await failureOf(rig.tasks.call('block', { ref: 'Big', by: 'Big' }, PERSON))).message).toContain(
      'Big → Big',
    );
  });

  test('by a task that is gone can be taken away', async () => {
    rig.save('Wait.md', '---\nid: wait1234\nblocked_by: [nowhere, Big]\n---\n');
    await rig.tasks.call('unblock', { ref: 'Wait', by: 'nowhere' }, PERSON);
    expect(rig.read('tasks/Wait.md')).toContain('blocked_by: [Big]');
  });
});

test('resources are added and taken away by themselves', async () => {
  rig.save(
    'Docs.md',
    '---\nid: docs1234\nresources:\n  - https://a.example # why\n  - { file: "b.md", label: B }\n---\n',
  );
  await rig.tasks.call(
    'addResource',
    { ...{ kind: 'url', value: 'https://c.example/x,y', label: 'C' }, ref: 'Docs' },
    PERSON,
  );
  await rig.tasks.call(
    'addResource',
    { ...{ kind: 'file', value: 'https://odd', label: null }, ref: 'Docs' },
    PERSON,
  );
  await rig.tasks.call('removeResource', { ref: 'Docs', index: 1 }, PERSON);
  expect(rig.read('tasks/Docs.md')).toBe(
    '---\nid: docs1234\nresources:\n  - https://a.example # why\n  - {url: "https://c.example/x,y", label: C}\n  - {file: "https://odd"}\n---\n',
  );
  expect((await rig.tasks.call('show', { ref: 'Docs' }, PERSON)).resources).toEqual([
    { kind: 'url', value: 'https://a.example', label: null },
    { kind: 'url', value: 'https://c.example/x,y', label: 'C' },
    { kind: 'file', value: 'https://odd', label: null },
  ]);
  expect((await failureOf(rig.tasks.call('removeResource', { ref: 'Docs', index: 3 }, PERSON))).code).toBe(
    'not_found',
  );
});
