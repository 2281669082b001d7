// What runners do with a chore: no task in the environment, and nothing but the person's own text to run.
import { afterEach, expect, test } from 'vitest';
import { createCommandRunner } from '../../src/agents/command/command.ts';
import { createRunbookRunner } from '../../src/agents/runbook/runbook.ts';
import type { ChoreRunInput } from '../../src/agents/runner.ts';
import { choreContext } from '../../src/core/chore/chore-prompt.ts';
import { drive, type PreparedTurn, prepareTurn, readIfThere } from './prepared-turn.ts';

let rig: PreparedTurn;
afterEach(() => rig.close());

function choreInput(prompt: string): ChoreRunInput {
  const { task: _task, services: _services, context: _context, ...basics } = rig.input;
  const effects = { ...basics.effects, env: { ...basics.effects.env, TASKROOM_TASK: 'outer' } };
  const chore = { name: 'look', prompt };
  return { ...basics, effects, chore, context: choreContext(chore) };
}

const output = () => readIfThere(`${rig.input.dir}/output.log`);

test('a command is told of no task, not even of one whose turn started the runtime', async () => {
  rig = prepareTurn({
    agent: { runner: 'command', command: ['sh', '-c', 'echo "[$TASKROOM_TASK] $TASKROOM_TURN"'] },
  });
  expect(await drive(createCommandRunner(), choreInput('Look.')).ended).toMatchObject({ state: 'completed' });
  expect(output()).toBe(`[] ${rig.input.turn.id}\n`);
});

test('a runbook runs its blocks in order, and stops at the first that fails', async () => {
  rig = prepareTurn({ agent: { runner: 'runbook' } });
  const prompt =
    '```sh run\necho one\n```\n\n```sh\necho no\n```\n\n```sh run\nexit 3\n```\n\n```sh run\necho two\n```\n';
  const end = await drive(createRunbookRunner(), choreInput(prompt)).ended;
  expect(end).toMatchObject({ state: 'failed', reason: 'exit', exitCode: 3 });
  expect(output()).toBe('one\n');
});

test('a runbook refuses a chore of prose', async () => {
  rig = prepareTurn({ agent: { runner: 'runbook' } });
  const end = await drive(createRunbookRunner(), choreInput('Look around.')).ended;
  expect(end).toMatchObject({ state: 'failed', reason: 'refused' });
  expect(end.message).toMatch(/^this chore has no ```sh run block/);
});
