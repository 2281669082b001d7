import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAcpRunner } from '../../../src/agents/acp/acp.ts';
import type { ToolCall } from '../../../src/agents/acp/permission.ts';
import { markOf, questionFor, readPermissions } from '../../../src/agents/acp/permission.ts';
import { runnerConformance } from '../../conformance/runner.ts';
import type { Move } from '../../fixtures/agents/acp-agent.ts';
import { ENDED_WELL } from '../../support/ledger-queue.ts';
import { stop, until } from '../prepared-turn.ts';
import { answerBy, answered, commandOf, scriptTurn } from './scripted-turn.ts';

runnerConformance('acp', {
  create: createAcpRunner,
  options: (line) => ({ agent: { runner: 'acp', command: commandOf({ line }) } }),
  promptOnStdin: false,
  talks: true,
  endsWithLine: true,
  keepsOutput: true,
});

const CALL: Move = {
  update: {
    sessionUpdate: 'tool_call',
    toolCallId: 'c1',
    title: 'Run the tests',
    kind: 'execute',
    rawInput: { command: 'npm test' },
  },
};
const RESULT: Move = {
  update: {
    sessionUpdate: 'tool_call_update',
    toolCallId: 'c1',
    status: 'failed',
    content: [{ type: 'content', content: { type: 'text', text: '2 failed' } }],
  },
};

describe('a turn in the protocol', () => {
  test('hands over the prompt, the folder and the MCP server, and keeps what is said', async () => {
    const { rig, run, heard, said } = scriptTurn({
      moves: [
        { say: 'Looking' },
        { say: ' at it.' },
        CALL,
        RESULT,
        {
          update: {
            sessionUpdate: 'usage_update',
            used: 900,
            size: 9000,
            cost: { amount: 0.25, currency: 'USD' },
          },
        },
        {
          stop: 'end_turn',
          usage: { inputTokens: 70, outputTokens: 30, cachedReadTokens: 5, totalTokens: 105 },
        },
      ],
    });
    const mcp = { command: join(rig.input.reach.dir, 'taskroom'), args: ['mcp'], env: { A: 'b' } };
    const { events, ended } = run({ mcp });
    expect(await ended).toEqual({ ...ENDED_WELL, exitCode: null, words: 'Looking at it.' });
    expect(heard('initialize')[0]).toMatchObject({
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    });
    const server = { name: 'taskroom', ...mcp, env: [{ name: 'A', value: 'b' }] };
    expect(heard('new')).toEqual([{ cwd: rig.room, mcpServers: [server] }]);
    expect(heard('prompt')).toEqual([
      { sessionId: 'session-1', prompt: [{ type: 'text', text: 'Do the thing.\n' }] },
    ]);
    expect(events.filter(({ type }) => type === 'session')).toEqual([{ type: 'session', id: 'session-1' }]);
    expect(events.findLast(({ type }) => type === 'usage')).toEqual({
      type: 'usage',
      usage: { inputTokens: 75, outputTokens: 30, costUsd: 0.25 },
    });
    expect(said()).toEqual([
      { type: 'session', id: 'session-1' },
      { type: 'text', text: 'Looking', partial: true },
      { type: 'text', text: ' at it.', partial: true },
      { type: 'tool', name: 'Run the tests', input: 'npm test' },
      { type: 'result', text: '2 failed', failed: true },
      { type: 'usage', usage: { inputTokens: 0, outputTokens: 0, costUsd: 0.25 } },
      { type: 'usage', usage: { inputTokens: 75, outputTokens: 30, costUsd: 0.25 } },
      { type: 'end', failed: false },
    ]);
  });

  test('a plan becomes the steps of a task without any, and is followed', async () => {
    const plan = (...entries: [string, string][]): Move => ({
      update: {
        sessionUpdate: 'plan',
        entries: entries.map(([content, status]) => ({ content, status, priority: 'medium' })),
      },
    });
    const moves = [
      plan(['Read  it', 'pending'], ['Fix it', 'pending']),
      plan(['Read  it', 'completed'], ['Fix it', 'in_progress'], ['Tell', 'pending']),
    ];
    const free = scriptTurn({ moves });
    expect((await free.run().ended).reason).toBe('ok');
    const steps = () => free.rig.task.steps.map(({ title, done }) => [title, done]);
    expect(steps()).toEqual([
      ['Read it', true],
      ['Fix it', false],
      ['Tell', false],
    ]);
    const own = scriptTurn({ moves }, { steps: ['Fix it', 'Read it'] });
    expect((await own.run().ended).reason).toBe('ok');
    expect(own.rig.task.steps.map(({ title, done }) => [title, done])).toEqual([
      ['Fix it', false],
      ['Read it', true],
    ]);
  });

  test('a model is chosen among those offered, by value or by name', async () => {
    const models = ['small', 'large'];
    const large = scriptTurn({ models }, { agent: { model: 'LARGE' } });
    expect((await large.run().ended).reason).toBe('ok');
    expect(large.heard('option')).toEqual([{ sessionId: 'session-1', configId: 'model', value: 'large' }]);
    const huge = scriptTurn({ models }, { agent: { model: 'huge' } });
    expect(await huge.run().ended).toMatchObject({
      reason: 'refused',
      message: 'node: it offers no model "huge", but small, large',
    });
    expect(huge.heard('prompt')).toEqual([]);
  });
});

describe('the next turn of a thread', () => {
  test.each([
    ['load', 'take up', 'session-1', []],
    ['resume', 'take up', 'session-1', []],
    ['none', 'new', 'session-2', [/keeps no sessions: session-1 is not taken up, a new one begins/]],
    ['broken', 'new', 'session-2', [/session-1 can't be taken up \(Resource not found\): a new one begins/]],
  ] as const)('with an agent of sessions %s', async (sessions, way, session, notes) => {
    const { rig, run, heard, said } = scriptTurn({ sessions, moves: [{ say: 'new words' }] });
    expect((await run().ended).reason).toBe('ok');
    const { events, ended } = run({ session: 'session-1' });
    expect((await ended).reason).toBe('ok');
    expect(heard(way).at(-1)).toMatchObject({ cwd: rig.room });
    expect(heard('prompt').at(-1)).toMatchObject({ sessionId: session });
    expect(said()).toEqual([
      ...notes.map((text) => ({ type: 'line', text: expect.stringMatching(text) })),
      ...(way === 'new' ? [{ type: 'session', id: session }] : []),
      { type: 'text', text: 'new words', partial: true },
      { type: 'end', failed: false },
    ]);
    expect(events.flatMap((event) => (event.type === 'session' ? [event.id] : []))).toEqual(
      way === 'new' ? [session] : [],
    );
  });

  test('from the third attempt on begins a session of its own', async () => {
    const { rig, run, heard } = scriptTurn({ sessions: 'load' });
    await run().ended;
    const turn = { ...rig.input.turn, attempt: 3 };
    expect((await run({ session: 'session-1', turn }).ended).reason).toBe('ok');
    expect(heard('take up')).toEqual([]);
  });
});

describe('leave', () => {
  /** The answers to these calls, one after the other in one turn. */
  async function answersTo(calls: object[], agent: object, before: Move[] = []): Promise<string[]> {
    const asked = calls.map((call, at): Move => ({ ask: { toolCallId: `a${at}`, ...call } }));
    const { rig, run, heard } = scriptTurn({ moves: [...before, ...asked] }, { agent });
    // A name inside the folder that leads out of it.
    symlinkSync('/etc', join(rig.room, 'out'));
    expect((await run().ended).reason).toBe('ok');
    const answers = heard('leave') as { outcome: { outcome: string; optionId?: string } }[];
    return answers.map(({ outcome }) => outcome.optionId ?? outcome.outcome);
  }

  const EXECUTE = { kind: 'execute', title: 'npm test' };
  const CALLS = [
    EXECUTE,
    { kind: 'edit', title: 'Change', locations: [{ path: 'a.txt' }] },
    { kind: 'edit', title: 'Change', locations: [{ path: '../a.txt' }] },
    { kind: 'edit', title: 'Change', locations: [{ path: 'out/passwd' }] },
    { kind: 'delete', title: 'Delete', content: [{ type: 'diff', path: '/etc/passwd', newText: '' }] },
    { kind: 'read', title: 'Read', locations: [{ path: '/etc/passwd' }] },
    { kind: 'fetch', title: 'Fetch' },
    { kind: 'other', title: 'somebody__tool' },
    { kind: 'other', title: 'mcp__taskroom__get_task' },
    { kind: 'execute', title: 'mcp__taskroom__get_task; rm -rf /' },
    { title: 'a call that tells nothing' },
    // Some agents have a file's path or a pattern for the title.
    { kind: 'read', title: 'taskroom/../out/passwd', locations: [{ path: 'taskroom/../out/passwd' }] },
  ];

  test.each([
    ['edit', 'no yes no no no no no no yes no no no'],
    ['run', 'yes yes no no no no yes no yes yes no no'],
    ['all', 'yes yes yes yes yes yes yes yes yes yes yes yes'],
  ] as const)('with permissions %s', async (permissions, answers) => {
    expect((await answersTo(CALLS, { permissions })).join(' ')).toBe(answers);
  });

  test('what agent.json says of a kind counts before permissions', async () => {
    expect(await answersTo([EXECUTE], { approve: { execute: 'allow' } })).toEqual(['yes']);
    expect(await answersTo([EXECUTE], { permissions: 'run', approve: { execute: 'deny' } })).toEqual(['no']);
  });

  test('what is put to the person ends the turn, and is done once the answer says yes', async () => {
    const moves: Move[] = [{ ask: { toolCallId: 'a1', ...EXECUTE } }, { say: 'went on' }];
    const { rig, run, heard, said } = scriptTurn({ moves }, { agent: { approve: { execute: 'ask' } } });
    expect(await run().ended).toMatchObject({ state: 'completed', reason: 'ok' });
    const [question] = [...rig.task.questions.values()];
    expect(question).toMatch(
      /^May I do this \(execute\)\? Answer with yes or no, and nothing else\. \(call [0-9a-f]{8}\)\n\n {4}npm test$/,
    );
    expect(heard('leave')).toEqual([{ outcome: { outcome: 'cancelled' } }]);
    expect(heard('cancel')).toHaveLength(1);
    expect(said()).toContainEqual({ type: 'line', text: 'put to the person: execute: npm test' });
    expect(said()).not.toContainEqual({ type: 'text', text: 'went on', partial: true });

    const answerWith = async (...answers: ReturnType<typeof answerBy>[]) => {
      const context = { ...rig.input.context, answers: answered(question!, ...answers) };
      expect((await run({ context }).ended).reason).toBe('ok');
      return (heard('leave').at(-1) as { outcome: { optionId?: string } }).outcome.optionId;
    };
    expect(await answerWith(answerBy('owner', 'Go ahead!'))).toBe('yes');
    expect(await answerWith(answerBy(null, 'yes'), answerBy('owner', 'No!'))).toBe('no');
    expect(await answerWith(answerBy('owner', 'no'), answerBy('github:mallory', 'yes'))).toBe('no');
    expect(await answerWith(answerBy('github:mallory', 'yes'))).toBeUndefined();
    expect(await answerWith(answerBy('owner', 'yes'), answerBy('owner', 'Sure not.'))).toBeUndefined();
  });

  test.each([
    ...(['yes', ' YES! ', 'ok', 'Okay.', 'sure', 'Go ahead', 'Allowed.', 'ja'] as const).map(
      (text) => [text, 'allow'] as const,
    ),
    ...(['no', 'No.', 'Never!', 'denied', "Don't", 'nein'] as const).map((text) => [text, 'deny'] as const),
    ...[
      ...['Sure not.', 'ok no', 'Allowed? Never.', 'Yes, but not this one: no.', 'Yes?', 'yes\nno', ''],
      ...['No idea, what does it do?', 'Not sure', 'yesterday'],
    ].map((text) => [text, undefined] as const),
  ])('the answer %j is read as %s', (text, leave) => {
    const call: ToolCall = { ...{ kind: 'execute', title: 'npm test', input: '', paths: [], isOurs: false } };
    const context = { answers: answered(questionFor(call), answerBy('owner', text)) };
    expect(readPermissions(context as never).get(markOf(call))).toBe(leave);
  });

  test('what was told of the call before counts', async () => {
    const again = [{ toolCallId: 'c1' }, { toolCallId: 'c1', kind: 'other', title: 'A part of it' }];
    expect(await answersTo(again, { permissions: 'run' }, [CALL])).toEqual(['yes', 'yes']);
  });
});

test.each<[string, Move]>([
  ['answers the cancel', { wait: true }],
  ['says that it came to its end', { wait: true, denies: true }],
])('to stop, an agent that %s is asked by the protocol alone', async (_what, move) => {
  const { rig, run, heard } = scriptTurn({ sessions: 'load', moves: [move] });
  const { ended } = run();
  await until('it works', () => heard('waits').length > 0);
  stop(rig);
  expect(await ended).toMatchObject({ state: 'killed', reason: 'person', message: 'killed by a person' });
  expect(heard('cancel')).toEqual([{ sessionId: 'session-1' }]);
});
