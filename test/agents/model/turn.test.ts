import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createOutputReader } from '../../../src/agents/command/output-reader.ts';
import { createModelRunner } from '../../../src/agents/model/model.ts';
import { MODEL_FORMAT } from '../../../src/agents/model/output-reader.ts';
import type { BudgetLeft } from '../../../src/agents/runner.ts';
import { forAllTests } from '../../support/for-each-test.ts';
import { ENDED_WELL } from '../../support/ledger-queue.ts';
import { drive, type PreparedTurn, prepareTurn, type TurnOptions } from '../prepared-turn.ts';
import { agentOf, answersIn, call, inOrder, KEY, startToldModel } from './told-model.ts';

const server = forAllTests(() => startToldModel());
let rigs: PreparedTurn[] = [];

beforeEach(() => {
  server.mood = 'works';
  server.think = () => ({ content: 'Done.' });
  server.thought.length = 0;
});
afterEach(() => {
  rigs = [];
});

function prepare(options: TurnOptions = {}): PreparedTurn {
  const agent = { ...agentOf(server.url), cwd: 'work', ...options.agent };
  const rig = prepareTurn({ ...options, agent, env: { ...KEY, ...options.env } });
  mkdirSync(join(rig.room, 'work'));
  rigs.push(rig);
  return rig;
}

function said(rig: PreparedTurn): object[] {
  const reader = createOutputReader(MODEL_FORMAT, () => ({ now: 0, zone: 'UTC' }));
  return [...reader.read(readFileSync(join(rig.dir, 'output.log'), 'utf8')), ...reader.end()];
}

/** What its tools answered to these calls, one after the other. */
async function answersTo(options: TurnOptions, ...calls: [string, object][]): Promise<string[]> {
  const rig = prepare(options);
  server.think = inOrder(...calls.map(([name, input]) => call(name, input)), { content: 'Done.' });
  expect((await drive(createModelRunner(), rig.input).ended).message).toBe('');
  return answersIn(server.thought.at(-1)!);
}

describe('a turn of a model', () => {
  test.each(['openai-compatible', 'openai', 'anthropic'] as const)('over the API of %s', async (api) => {
    const usage = { prompt_tokens: 900, completion_tokens: 100, input_tokens: 900, output_tokens: 100 };
    server.think = inOrder(
      { ...call('write_file', { path: 'a/b.txt', content: 'hello' }), usage },
      { content: 'It is written.', usage },
    );
    const base = agentOf(server.url, api);
    const baseUrl = api === 'anthropic' ? `${server.url}/v1` : base.baseUrl!;
    const prices = { input: 10, output: 20, cached: 1 };
    const rig = prepare({ agent: { ...base, baseUrl, prices } });
    const { events, ended } = drive(createModelRunner(), rig.input);
    expect(await ended).toEqual({ ...ENDED_WELL, exitCode: null });
    expect(readFileSync(join(rig.room, 'work/a/b.txt'), 'utf8')).toBe('hello');
    expect(events[0]).toEqual({ type: 'started', pid: null });
    expect(events).toContainEqual({ type: 'session', id: rig.input.turn.id });
    const last = events.findLast(({ type }) => type === 'usage');
    expect(last).toEqual({
      type: 'usage',
      usage: { inputTokens: 1800, outputTokens: 200, costUsd: expect.closeTo(0.022) },
    });
    const words = said(rig);
    expect(words).toContainEqual({ type: 'tool', name: 'write_file', input: 'a/b.txt' });
    expect(words).toContainEqual({ type: 'result', text: 'wrote a/b.txt, 5 bytes', failed: false });
    expect(words.at(-1)).toEqual({ type: 'end', failed: false });
  });

  test('uses the tools of the room, and reads their refusals', async () => {
    const asked: unknown[] = [];
    const rig = prepare();
    const schema = { type: 'object', properties: { id: { type: 'string' } }, additionalProperties: false };
    const tools = async () => [
      {
        name: 'get_task',
        description: 'Shows a task.',
        inputSchema: schema,
        run: async (input: unknown) => {
          asked.push(input);
          return { text: 'no such task', isError: true };
        },
      },
    ];
    server.think = inOrder(call('get_task', { id: 'x' }), call('no_such_tool', {}), { content: 'Done.' });
    expect((await drive(createModelRunner(), { ...rig.input, tools }).ended).reason).toBe('ok');
    expect(asked).toEqual([{ id: 'x' }]);
    const [first] = answersIn(server.thought.at(-1)!);
    expect(first).toContain('no such task');
    expect(server.thought[0]!.tools!.map((each) => each.function.name)).toEqual([
      ...['get_task', 'read_file', 'list_files', 'search_files', 'write_file', 'edit_file', 'delete_file'],
    ]);
  });

  test('goes on with the conversation of the turn before', async () => {
    const rig = prepare();
    server.think = () => ({ content: 'I will remember 42.' });
    await drive(createModelRunner(), rig.input).ended;
    server.think = () => ({ content: 'Done.' });
    const dir = join(rig.dir, '..', 'tnextturn');
    mkdirSync(dir);
    writeFileSync(join(dir, 'context.json'), '{}');
    const next = { ...rig.input, dir, session: rig.input.turn.id, prompt: 'And now?' };
    expect((await drive(createModelRunner(), next).ended).reason).toBe('ok');
    const words = JSON.stringify(server.thought.at(-1)!.messages);
    expect(words).toMatch(/Do the thing.*I will remember 42.*And now\?/);
    rmSync(join(rig.dir, 'conversation.json'));
    rmSync(join(dir, 'output.log'));
    expect((await drive(createModelRunner(), next).ended).reason).toBe('ok');
    expect(JSON.stringify(server.thought.at(-1)!.messages)).not.toContain('42');
    expect(readFileSync(join(dir, 'output.log'), 'utf8')).toContain('is gone: a new one begins');
  });

  test('that makes calls without end is stopped by its step limit', async () => {
    server.think = () => call('list_files', {});
    const rig = prepare({ agent: { maxSteps: 3 } });
    const outcome = await drive(createModelRunner(), rig.input).ended;
    expect(outcome).toMatchObject({ state: 'failed', reason: 'exit' });
    expect(outcome.message).toMatch(/^it was not through after 3 answers \("max_steps" in agents\/tester/);
    expect(server.thought).toHaveLength(3);
  });

  test('asks for no answer that its budget may not cover', async () => {
    const usage = { prompt_tokens: 3000, completion_tokens: 1000 };
    server.think = () => ({ ...call('list_files', {}), usage });
    let left = 7000;
    const of =
      (what: 'task' | 'day'): (() => BudgetLeft) =>
      () => {
        const amount = left;
        left -= 4000;
        return {
          tokens: { amount: Math.max(0, amount), of: what, until: what === 'day' ? 99 : null },
          costUsd: null,
        };
      };
    const task = await drive(createModelRunner(), { ...prepare().input, budgetLeft: of('task') }).ended;
    expect(task).toMatchObject({ state: 'failed', reason: 'refused' });
    expect(task.message).toMatch(
      /^what is left of the task's budget \(\d+ tokens\) is too little .*grants as much again/,
    );
    expect(server.thought.length).toBeLessThanOrEqual(2);
    left = 0;
    const before = server.thought.length;
    const day = await drive(createModelRunner(), { ...prepare().input, budgetLeft: of('day') }).ended;
    expect(day).toMatchObject({ state: 'failed', reason: 'budget', until: 99 });
    expect(server.thought).toHaveLength(before);
  });
});

describe('its files', () => {
  test('are those of its folder alone', async () => {
    const rig = prepare();
    writeFileSync(join(rig.room, 'room.yaml'), '');
    symlinkSync('/etc', join(rig.room, 'work/out'));
    symlinkSync('/tmp/nothing-here-yet', join(rig.room, 'work/dangling'));
    server.think = inOrder(
      call('read_file', { path: '/etc/passwd' }),
      call('read_file', { path: 'out/passwd' }),
      call('write_file', { path: 'dangling', content: 'x' }),
      call('write_file', { path: '../room.yaml', content: 'x' }),
      call('delete_file', { path: '.' }),
      call('list_files', {}),
      { content: 'Done.' },
    );
    expect((await drive(createModelRunner(), rig.input).ended).reason).toBe('ok');
    const answers = answersIn(server.thought.at(-1)!);
    for (const answer of answers.slice(0, 4))
      expect(answer).toMatch(/does not lie in .*work, or leads out of it/);
    expect(answers[4]).toContain('this is the folder itself');
    expect(answers[5]).toBe('no files');
    expect(existsSync('/tmp/nothing-here-yet')).toBe(false);
  });

  test('of a room that is its folder are the work, not the room', async () => {
    const answers = await answersTo(
      { agent: { cwd: null } },
      ['write_file', { path: 'agents/tester/agent.json', content: '{}' }],
      ['write_file', { path: 'room.yaml', content: '' }],
      ['read_file', { path: '.taskroom/token' }],
      ['write_file', { path: 'artifacts/plan.md', content: 'A plan' }],
    );
    expect(answers[0]).toContain('belongs to the room: use its tools to change tasks');
    expect(answers[1]).toContain('belongs to the room');
    expect(answers[2]).toContain("is the runtime's own");
    expect(answers[3]).toBe('wrote artifacts/plan.md, 6 bytes');
  });

  test('are read, found and changed piece by piece', async () => {
    const answers = await answersTo(
      {},
      ['write_file', { path: 'a.txt', content: 'one\ntwo $& two\nthree\n' }],
      ['edit_file', { path: 'a.txt', old: 'two', new: 'x' }],
      ['edit_file', { path: 'a.txt', old: 'one', new: '$& 1' }],
      ['search_files', { text: 'THREE' }],
      ['read_file', { path: 'a.txt', from: 2, lines: 1 }],
      ['read_file', { path: 'a.txt', lines: 'many' }],
      ['delete_file', { path: 'a.txt' }],
      ['read_file', { path: 'a.txt' }],
    );
    expect(answers).toEqual([
      ...['wrote a.txt, 21 bytes', 'edit_file: the old text stands there 2 times: give more of it'],
      ...['changed a.txt', 'a.txt:3: three', 'two $& two\n(lines 2 to 2 of 4)'],
      ...['read_file: lines is a number', 'deleted a.txt'],
      expect.stringContaining('ENOENT'),
    ]);
  });
});

describe('its commands', () => {
  test('see neither the key of its model nor what is withheld, and end at their time', async () => {
    const rig = prepare({ agent: { permissions: 'run' }, env: { HIDDEN: 's3cret' } });
    server.think = inOrder(
      call('run_command', { command: 'echo "[$MODEL_KEY$HIDDEN]"; pwd; exit 3' }),
      call('run_command', { command: 'sleep 60', seconds: 1 }),
      { content: 'Done.' },
    );
    rig.input.effects.withheld.add('HIDDEN');
    expect((await drive(createModelRunner(), rig.input).ended).reason).toBe('ok');
    expect(answersIn(server.thought.at(-1)!)).toEqual([
      `exit code 3\n[]\n${join(rig.room, 'work')}`,
      'stopped: it took too long\nIt printed nothing.',
    ]);
  });

  test('are none of those that may only edit', async () => {
    const [answer] = await answersTo({}, ['run_command', { command: 'touch ran' }]);
    expect(answer).toMatch(/unavailable tool|not available|no such tool/i);
    expect(existsSync(join(rigs[0]!.room, 'work/ran'))).toBe(false);
  });
});

test.each([
  ['wrong key', 'refused', /^the model told can not sign in: .*; set MODEL_KEY where the runtime starts/],
  ['unknown model', 'refused', /^the model told can not use its model: .*change "model" in agents\/tester/],
  ['context full', 'exit', /^the model told has no room left in its context/],
] as const)('its server refuses: %s', async (mood, reason, message) => {
  server.mood = mood;
  const { events, ended } = drive(createModelRunner(), prepare().input);
  const outcome = await ended;
  expect(outcome).toMatchObject({ state: 'failed', reason });
  expect(outcome.message).toMatch(message);
  if (mood === 'context full') expect(events).toContainEqual({ type: 'session', id: null });
});

test('what is missing is a problem of the file, with how to mend it', async () => {
  const rig = prepare({ agent: { api: 'anthropic', apiKey: null }, env: { ANTHROPIC_API_KEY: '' } });
  expect(await createModelRunner().check(rig.input.agent, rig.input.effects, null)).toMatchObject([
    {
      path: 'agents/tester/agent.json',
      message: 'the environment variable ANTHROPIC_API_KEY is not set, which holds the key of its model',
      hint: 'set it where the runtime starts, or name another one in "api_key"',
    },
  ]);
});
