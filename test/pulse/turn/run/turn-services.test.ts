// What a runner in this process may do to its turn's task: what the agent's access allows over every other way.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TurnServices } from '../../../../src/agents/runner.ts';
import type { Access } from '../../../../src/core/config/agent-config.ts';
import { isRoomError } from '../../../../src/core/errors.ts';
import type { TaskId, TurnId } from '../../../../src/core/ids.ts';
import { createTurnServices } from '../../../../src/pulse/turn/run/run-turn.ts';
import { openTestRoom, type TestRoom } from '../../../tasks/test-room.ts';

const TASK = 'abc12345' as TaskId;
const TURN = 'b11111111' as TurnId;

let rig: TestRoom;
beforeEach(async () => {
  rig = openTestRoom();
  rig.save('One.md', `---\nid: ${TASK}\nstatus: doing\n---\n## Task\nDo it.\n\n## Steps\n- [ ] First\n`);
  await rig.tasks.call('release', {}, { kind: 'person' });
  rig.runTurn(TURN, TASK);
});
afterEach(() => rig.close());

const servicesFor = (access: Access): TurnServices =>
  createTurnServices(rig.deps, rig.tasks, { id: TURN, task: TASK, agent: 'runbook', access });
const text = (): string => rig.read('tasks/One.md');

const CALLS: Record<string, (services: TurnServices) => Promise<unknown>> = {
  read: (on) => on.read(),
  note: (on) => on.note('A note.', 'n'),
  printed: (on) => on.printed('Some output.', 'o'),
  progress: (on) => on.progress('Half.', 'p'),
  comment: (on) => on.comment('A word.', 'c'),
  addStep: (on) => on.addStep('Second'),
  setStep: (on) => on.setStep(0, true),
  ask: (on) => on.ask('Which?', 'q'),
  outcome: (on) => on.outcome('All of it.', 'r'),
  doing: (on) => on.setStatus('doing'),
  canceled: (on) => on.setStatus('canceled'),
  done: (on) => on.setStatus('done'),
};

async function allowed(access: Access): Promise<string[]> {
  const services = servicesFor(access);
  const passed: string[] = [];
  for (const [name, call] of Object.entries(CALLS)) {
    const before = text();
    try {
      await call(services);
      passed.push(name);
    } catch (error) {
      if (!isRoomError(error, 'not_allowed')) throw error;
      expect(text(), name).toBe(before);
    }
  }
  return passed;
}

describe('an agent of access', () => {
  const all = Object.keys(CALLS);
  test.each<[Access, string[]]>([
    ['minimal', ['read', 'note', 'printed']],
    ['readonly', all.filter((name) => name !== 'done' && name !== 'canceled')],
    ['readonly-shell', all.filter((name) => name !== 'done' && name !== 'canceled')],
  ])('%s may do these', async (access, expected) => {
    expect(await allowed(access)).toEqual(expected);
  });

  test('full may do all', async () => {
    // Its "done" comes last and is put off: the task reads otherwise than when the turn began.
    expect(await allowed('full')).toEqual(all);
    expect(text()).toContain('status: canceled');
  });
});

test('what a turn says twice by one key stands once, and another turn has keys of its own', async () => {
  const services = servicesFor('full');
  for (const words of ['Half.', 'Half of it.']) await services.progress(words, 'p');
  const first = await services.ask('Which?', 'q');
  expect(await services.ask('Which, please?', 'q')).toBe(first);
  const other = createTurnServices(rig.deps, rig.tasks, {
    ...{ id: 'b22222222' as TurnId, task: TASK, agent: 'runbook', access: 'full' as const },
  });
  await other.progress('The other.', 'p');
  expect(text().match(/Half\b/g)).toHaveLength(1);
  expect(text()).toContain('The other.');
});

test('one asking that is carried out again, since nobody knew whether it was, changes nothing more', async () => {
  const turn = { id: TURN, task: TASK, agent: 'runbook', access: 'full' as const };
  const servicesOf = (request: string) => createTurnServices(rig.deps, rig.tasks, turn, request);
  const askAll = async () => {
    await servicesOf('worker:0:1').addStep('Second');
    await servicesOf('worker:0:2').progress('Half.');
    await servicesOf('worker:0:3').comment('A word.');
    await servicesOf('worker:0:4').note('A note.');
    return servicesOf('worker:0:5').ask('Which?');
  };
  const question = await askAll();
  const once = text();
  expect(once).toMatch(/- \[ \] First\n- \[ \] Second\n/);
  expect(await askAll()).toBe(question);
  expect(text()).toBe(once);
  await servicesOf('worker:1:1').addStep('Second');
  expect(text().match(/- \[ \] Second/g)).toHaveLength(2);
});
