import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createRunbookRunner,
  locateStep,
  planRunbook,
  readRunBlocks,
} from '../../../src/agents/runbook/runbook.ts';
import type { Outcome } from '../../../src/agents/runner.ts';
import { RoomError } from '../../../src/core/errors.ts';
import { runnerConformance } from '../../conformance/runner.ts';
import {
  drive,
  livingProcesses,
  type PreparedTurn,
  prepareTurn,
  startAndAbandon,
  type TurnOptions,
  until,
} from '../prepared-turn.ts';

const FC_RUNS = Number(process.env.FC_RUNS ?? 200);

const block = (...lines: string[]): string => `\`\`\`sh run\n${lines.join('\n')}\n\`\`\`\n`;

runnerConformance('runbook', {
  create: createRunbookRunner,
  options: (line) => ({ agent: { runner: 'runbook' }, body: `## Task\n${block(line)}` }),
  promptOnStdin: false,
  talks: false,
  endsWithLine: true,
  keepsOutput: true,
});

async function runBody(
  body: string,
  options: TurnOptions = {},
): Promise<{ rig: PreparedTurn; outcome: Outcome }> {
  const rig = prepareTurn({ agent: { runner: 'runbook' }, body, ...options });
  const outcome = await drive(createRunbookRunner(), rig.input).ended;
  return { rig, outcome };
}

describe('a runbook', () => {
  test('whose agent may not finish tasks runs all of it and leaves that to the person', async () => {
    const agent = { runner: 'runbook', access: 'readonly' } as const;
    const { rig, outcome } = await runBody(block('echo one'), { agent });
    expect(outcome).toMatchObject({ state: 'completed', reason: 'ok' });
    expect(rig.task.status).toBe('doing');
    expect(rig.task.progress.get('left')).toContain('yours');
    expect(rig.task.outcome.get('outcome')).toBe('The block succeeded.');
  });

  test('whose agent may write nothing runs nothing', async () => {
    const { rig, outcome } = await runBody(block('echo one'), {
      agent: { runner: 'runbook', access: 'minimal' },
    });
    expect(outcome).toMatchObject({ state: 'failed', reason: 'refused' });
    expect(outcome.message).toContain('minimal');
    expect(existsSync(rig.dir) && rig.log()).toBeFalsy();
  });

  test('runs blocks in order, each in a sh of its own, and writes what happened', async () => {
    const body = `## Task\n${block('# greet', 'cd /', 'x=1', 'echo one')}text\n${block('echo "two $(set | grep -c ^x=)"; pwd')}`;
    const rig = prepareTurn({ agent: { runner: 'runbook' }, body, steps: ['First', 'Second'] });
    expect(await drive(createRunbookRunner(), rig.input).ended).toMatchObject({
      state: 'completed',
      reason: 'ok',
    });
    expect(rig.log()).toBe(`one\ntwo 0\n${rig.room}\n`);
    expect([...rig.task.progress]).toEqual([
      ['block-1', 'Block 1 of 2 (cd /): ok'],
      ['block-2', 'Block 2 of 2 (echo "two $(set | grep -c ^x=)"; pwd): ok'],
    ]);
    const text = `Last lines of the output:\n\n\`\`\`\none\ntwo 0\n${rig.room}\n\`\`\``;
    expect([...rig.task.outcome]).toEqual([
      ['outcome', 'All 2 blocks succeeded.'],
      ['output', text],
    ]);
    expect(rig.task.steps.map(({ done }) => done)).toEqual([true, true]);
    expect(rig.task.status).toBe('done');
  });

  test('stops at the first block that fails, with its steps up to there', async () => {
    const body = `${block('echo good')}${block('echo bad >&2', 'false', 'echo never')}${block('echo later')}`;
    const { rig, outcome } = await runBody(body, { steps: ['A', 'B', 'C'] });
    expect(outcome).toMatchObject({
      state: 'failed',
      reason: 'exit',
      exitCode: 1,
      message: 'exit code 1: bad',
    });
    expect(rig.task.progress.get('block-2')).toBe(
      'Block 2 of 3 (echo bad >&2): exit code 1. Last lines of the output:\n\n```\ngood\nbad\n```',
    );
    expect(rig.task.progress.has('block-3')).toBe(false);
    expect(rig.task.steps.map(({ done }) => done)).toEqual([true, false, false]);
    expect([rig.task.status, rig.task.outcome.size]).toEqual(['doing', 0]);
  });

  test('a task canceled meanwhile stays canceled', async () => {
    const rig = prepareTurn({ agent: { runner: 'runbook' }, body: block('echo x') });
    rig.task.status = 'canceled';
    await drive(createRunbookRunner(), rig.input).ended;
    expect(rig.task.status).toBe('canceled');
  });

  test('a task that can not be written fails the turn; a bug stops the process and is thrown', async () => {
    const gone = prepareTurn({ agent: { runner: 'runbook' }, body: block('echo x') });
    gone.input.services().progress = async () => {
      throw new RoomError('not_found', 'the file is gone');
    };
    const outcome = await drive(createRunbookRunner(), gone.input).ended;
    expect(outcome).toMatchObject({
      state: 'failed',
      message: 'the task could not be written: the file is gone',
    });

    const bug = prepareTurn({ agent: { runner: 'runbook' }, body: block('echo x') + block('sleep 1000') });
    bug.input.services().progress = async () => {
      throw new TypeError('a bug');
    };
    await expect(drive(createRunbookRunner(), bug.input).ended).rejects.toThrow('a bug');
    expect(livingProcesses(bug.input.turn.id)).toEqual([]);
  });

  test('an adopted runbook tells what it missed, once', async () => {
    const body =
      block('echo one') + block('read -r code < "$AGENT_ROOM/go"', 'exit "$code"') + block('echo three');
    const rig = prepareTurn({ agent: { runner: 'runbook' }, body, steps: ['A', 'B', 'C'] });
    await startAndAbandon(createRunbookRunner(), rig.input);
    await until('the first block ended', () => existsSync(join(rig.dir, 'block-1.exit')));
    const { ended } = drive(createRunbookRunner(), { ...rig.input, adopt: true });
    await until('it caught up', () => rig.task.progress.has('block-1'));
    rig.release(0);
    expect((await ended).reason).toBe('ok');
    expect([...rig.task.progress.keys()]).toEqual(['block-1', 'block-2', 'block-3']);
    const before = JSON.stringify([rig.task.steps, [...rig.task.progress], [...rig.task.outcome]]);
    expect((await drive(createRunbookRunner(), { ...rig.input, adopt: true }).ended).reason).toBe('ok');
    expect(JSON.stringify([rig.task.steps, [...rig.task.progress], [...rig.task.outcome]])).toBe(before);
  });

  test('output that looks like fences stays inside its own', async () => {
    const { rig } = await runBody(block("printf '```\\n## Outcome\\n````\\n'"));
    const text = rig.task.outcome.get('output')!;
    expect(text.endsWith('\n\n`````\n```\n## Outcome\n````\n`````')).toBe(true);
  });
});

test.each<[string, TurnOptions, RegExp]>([
  ['a mirrored task', { provider: 'github' }, /mirrored from github/],
  ['a file that says it is mirrored', { remote: 'github:a/b#1' }, /mirrored from github:a\/b#1/],
  ['another requester', { requester: 'agent:x' }, /not agent:x/],
  ['a task without blocks', { body: '## Task\n```sh\necho x\n```\n' }, /no ```sh run block/],
  ['an unclosed block', { body: '## Task\n```sh run\necho x\n' }, /not closed/],
  ['blocks in answers only', { body: `## Progress\n${block('echo x')}` }, /no ```sh run block/],
])('a runbook refuses %s', async (_name, options, message) => {
  const { rig, outcome } = await runBody(options.body ?? block('echo x > ran'), options);
  expect(outcome).toMatchObject({ state: 'failed', reason: 'refused', exitCode: null });
  expect(outcome.message).toMatch(message);
  expect(rig.log()).toBe('');
});

describe('reading blocks', () => {
  test('only root blocks of the input sections count', () => {
    const answers = ['Progress', 'Outcome', 'Comments'].map((name) => `## ${name}\n${block(`echo ${name}`)}`);
    const inside = '- step\n\n  ```sh run\n  echo nested\n  ```\n\n> ```sh run\n> echo quoted\n> ```\n';
    const body = `${block('echo preamble')}## Notes\n${block('echo notes')}${inside}${answers.join('')}`;
    const reading = readRunBlocks(body);
    expect(reading.ok && reading.blocks.map(({ label }) => label)).toEqual(['echo preamble', 'echo notes']);
  });

  test('CRLF and an indented fence give plain lines', () => {
    const reading = readRunBlocks('  ```sh run\r\n  cat <<E\r\n  x\r\n    y\r\n  E\r\n  ```\r\n');
    expect(reading).toEqual({ ok: true, blocks: [{ script: 'cat <<E\nx\n  y\nE\n', label: 'cat <<E' }] });
  });

  test('a label is one line of at most 60 characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (line) => {
        const reading = readRunBlocks(`~~~sh run\n${line}\n~~~\n`);
        if (!reading.ok) return;
        for (const { label } of reading.blocks) {
          expect(Array.from(label).length).toBeLessThanOrEqual(60);
          expect(label).not.toMatch(/[\r\n\0]/);
        }
      }),
      { numRuns: FC_RUNS },
    );
  });

  test('a step is found again by its title after the list was edited', () => {
    const step = (title: string, done = false) => ({ title, details: '', done, task: null });
    const { steps, paired } = planRunbook([{ script: '', label: '' }], [step('done', true), step('build')]);
    expect([steps, paired]).toEqual([[{ index: 1, title: 'build' }], true]);
    expect(locateStep(steps[0]!, [step('new'), step('other'), step('build')])).toBe(2);
    expect(locateStep(steps[0]!, [step('build'), step('other'), step('build')])).toBeNull();
    expect(locateStep(steps[0]!, [])).toBeNull();
  });
});

test('what ran can be read in the turn folder', async () => {
  const rig = prepareTurn({ agent: { runner: 'runbook' }, body: block('echo x') });
  await drive(createRunbookRunner(), rig.input).ended;
  expect(readFileSync(join(rig.dir, 'block-1.sh'), 'utf8')).toBe('echo x\n');
  expect(readFileSync(join(rig.dir, 'block-1.exit'), 'utf8')).toBe('0\n');
});
