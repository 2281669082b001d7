// An agent's request that is carried out again, since its answer was lost on the way.
import { beforeEach, describe, expect, test } from 'vitest';
import type { AgentActor } from '../../../src/tasks/task-room.ts';
import { rig as room, withAgents } from '../each-room.ts';
import { codeOf, failureOf } from '../test-room.ts';

const ASSISTANT: AgentActor = { kind: 'assistant', client: 'claude-code' };

withAgents({ runner: {} });
beforeEach(async () => {
  room.save('One.md', '---\nid: abc12345\nstatus: todo\n---\nDo it.\n');
  await room.call('release', {});
});

describe('what an agent makes starts with the call that asked for it', () => {
  const call = (request: string) => ({ ...ASSISTANT, request });
  const callOfFirstTurn = (task: string) => room.runTurn(`b${task}`, task).toolCall;

  test('a task, a subtask, several at once, those of a plan', async () => {
    const { id } = await room.call('create', { name: 'Made' }, call('c1'));
    const child = await room.call('createSubtask', { ref: 'One', name: 'Part' }, call('c2'));
    const [first] = (await room.call('bulk', { changes: [{ do: 'create', name: 'Many' }] }, call('c3')))
      .tasks;
    const steps = [{ title: 'Planned' }];
    const plan = await room.call('createPlan', { name: 'Plan', stage: 'final', steps }, call('c4'));
    const ids = [id, child.id, first!.id, plan.made[0]!.id];
    expect(ids.map(callOfFirstTurn)).toEqual(['c1', 'c2', 'c3', 'c4']);
  });

  test('not a draft, nor one that a person makes, nor one that could not be made', async () => {
    const draft = await room.call('create', { name: 'Draft', status: 'draft' }, call('c1'));
    const own = await room.call('create', { name: 'Own' });
    expect([draft.id, own.id].map(callOfFirstTurn)).toEqual([null, null]);
    expect(await codeOf(room.call('create', { name: 'X', owner: 'x' }, call('c2')))).toBe('bad_input');
    const rows = room.deps.ledger.database.rows('SELECT * FROM turn_calls');
    expect(rows).toEqual([]);
  });
});

test('a plan that stands in the way of an agent is not taken for its own when it asks again', async () => {
  await room.call('createPlan', { name: 'Plan', body: 'Of the person.' });
  const asked = { ...ASSISTANT, request: 'once1' };
  const make = () => failureOf(room.call('createPlan', { name: 'Plan' }, asked));
  expect([(await make()).code, (await make()).code]).toEqual(['conflict', 'conflict']);
});

test('a turn that an agent asked for is asked for once, also when the first one is over by then', async () => {
  const { wakes } = room.deps.ledger;
  const asked = { ...ASSISTANT, request: 'once1' };
  await room.call('run', { ref: 'One' }, asked);
  expect(wakes.of('abc12345')).toContain('run');
  wakes.deleteAll({ task: 'abc12345' });
  await room.call('run', { ref: 'One' }, asked);
  expect(wakes.of('abc12345')).not.toContain('run');
  await room.call('run', { ref: 'One' }, { ...ASSISTANT, request: 'once2' });
  expect(wakes.of('abc12345')).toContain('run');
});
