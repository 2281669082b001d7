import { renameSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { asOwnLimit, createCommandRunner } from '../../../src/agents/command/command.ts';
import type { Outcome } from '../../../src/agents/runner.ts';
import { runnerConformance } from '../../conformance/runner.ts';
import {
  AGENTS,
  drive,
  livingProcesses,
  prepareTurn,
  startAndAbandon,
  stop,
  until,
} from '../prepared-turn.ts';

runnerConformance('command', {
  create: createCommandRunner,
  options: (line) => ({ agent: { command: ['sh', '-c', line] } }),
  promptOnStdin: true,
  talks: false,
  endsWithLine: true,
  keepsOutput: true,
});

test('a missing program is an outcome, a problem of check, and never started', async () => {
  const rig = prepareTurn({ agent: { command: ['no-such-agent', 'x'] } });
  const runner = createCommandRunner();
  const { events, ended } = drive(runner, rig.input);
  const outcome = await ended;
  expect(outcome).toMatchObject({ state: 'failed', reason: 'not_started', exitCode: null });
  expect(outcome.message).toMatch(
    /"no-such-agent" was not found \(looked in the folder .*, with the PATH .*\); .*"command" in agents\/tester\/agent\.json/,
  );
  expect(events).toEqual([]);
  const problems = await runner.check(rig.input.agent, rig.input.effects, null);
  expect(problems).toMatchObject([{ path: 'agents/tester/agent.json', line: 1, col: 1 }]);
  expect(await runner.check({ ...rig.input.agent, command: ['sh'] }, rig.input.effects, null)).toEqual([]);
});

test('words that are shell builtins are looked up as programs', async () => {
  const rig = prepareTurn({ agent: { command: ['exit', '0'] } });
  expect((await drive(createCommandRunner(), rig.input).ended).message).toMatch(/"exit" was not found/);
});

test('arguments reach the program untouched', async () => {
  const args = ['a b', "'", '"$HOME"', '', '*', 'line\nbreak', '-n', 'é'];
  const rig = prepareTurn({ agent: { command: ['printf', '[%s]', ...args] } });
  expect((await drive(createCommandRunner(), rig.input).ended).reason).toBe('ok');
  expect(Buffer.from(rig.log(), 'latin1').toString('utf8')).toBe(args.map((arg) => `[${arg}]`).join(''));
});

test('a hostile last line is one short line without control characters', async () => {
  const script = `printf 'one\\n\\033[31m%s\\007\\r\\n\\n' "$(head -c 500 /dev/zero | tr '\\0' x)"; exit 1`;
  const rig = prepareTurn({ agent: { command: ['sh', '-c', script] } });
  const { message } = await drive(createCommandRunner(), rig.input).ended;
  expect(message).toBe(`exit code 1: ${'x'.repeat(199)}…`);
});

test('the message of a JSON event explains a failure', async () => {
  const event = JSON.stringify({
    type: 'result',
    is_error: true,
    pad: 'x'.repeat(500),
    result: 'Log in\nfirst',
  });
  const rig = prepareTurn({ agent: { command: ['sh', '-c', `printf '%s\\n' "$1"; exit 1`, 'sh', event] } });
  expect((await drive(createCommandRunner(), rig.input).ended).message).toBe('exit code 1: Log in first');
});

test('a turn folder that is gone is an interruption, one that can not be written a failure', async () => {
  const rig = prepareTurn({ agent: { command: ['true'] } });
  const dir = `${rig.dir}-gone`;
  const adopted = await drive(createCommandRunner(), { ...rig.input, dir, adopt: true }).ended;
  expect(adopted).toMatchObject({ state: 'failed', reason: 'interrupted' });
  const started = await drive(createCommandRunner(), { ...rig.input, dir }).ended;
  expect(started).toMatchObject({ state: 'failed', reason: 'exit' });
  expect(started.message).toMatch(/^could not start: ENOENT/);
});

test('in a moved room a live turn is still its own: it can be stopped', async () => {
  const rig = prepareTurn({ agent: { command: [`${AGENTS}/wait.sh`] } });
  await startAndAbandon(createCommandRunner(), rig.input);
  await until('it runs', () => rig.log().includes('ready'));
  const dir = `${rig.dir}-moved`;
  renameSync(rig.dir, dir);
  const { events, ended } = drive(createCommandRunner(), { ...rig.input, dir, adopt: true });
  await until('it is followed', () => events.length > 0);
  stop(rig);
  expect((await ended).reason).toBe('person');
  expect(livingProcesses(rig.input.turn.id)).toEqual([]);
});

describe('exit code 75', () => {
  const ended: Outcome = {
    state: 'failed',
    reason: 'exit',
    exitCode: 75,
    signal: null,
    message: 'exit code 75',
  };
  const UNTIL = 'taskroom: rate limited until 2026-11-22T15:00:00Z';

  test.each<[string, output: string, until: number | null]>([
    ['with a time', `${UNTIL}\n`, Date.parse('2026-11-22T15:00:00Z')],
    ['without a line end', `so far\n${UNTIL}`, Date.parse('2026-11-22T15:00:00Z')],
    ['without a time', 'taskroom: rate limited\n', null],
    ['with a time that is none', 'taskroom: rate limited until tomorrow\n', null],
    ['the last line counts', `taskroom: rate limited\n${UNTIL}\r\n`, Date.parse('2026-11-22T15:00:00Z')],
  ])('%s', (_, output, until) => {
    expect(asOwnLimit(ended, output)).toMatchObject({ state: 'failed', reason: 'rate_limited', until });
  });

  test.each<[string, Outcome, output: string]>([
    ['without the line', ended, 'try again later\n'],
    ['the line within another', ended, `he said ${UNTIL}\n`],
    ['another exit code', { ...ended, exitCode: 1 }, UNTIL],
    ['a success', { ...ended, state: 'completed', reason: 'ok', exitCode: 0 }, UNTIL],
    ['stopped meanwhile', { ...ended, state: 'killed', reason: 'person' }, UNTIL],
  ])('%s is what it was', (_, outcome, output) => expect(asOwnLimit(outcome, output)).toBe(outcome));
});
