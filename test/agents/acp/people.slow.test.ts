// Between an agent and its person over the protocol: forms become questions, and words reach it while it works.
import { describe, expect, test } from 'vitest';
import type { Move } from '../../fixtures/agents/acp-agent.ts';
import { stop, until } from '../prepared-turn.ts';
import { answerBy, answered, scriptTurn } from './scripted-turn.ts';

const DATABASE = {
  type: 'string',
  title: 'Database',
  oneOf: [
    { const: 'pg', title: 'PostgreSQL', description: 'runs here already' },
    { const: 'lite', title: 'SQLite' },
  ],
};
const OTHER = { type: 'string', title: 'Other', description: 'Type your own answer.' };
const formOf = (properties: object): Move => ({
  form: { message: 'Which database is it to be?', requestedSchema: { type: 'object', properties } },
});

test('one is put to the person as a question, which ends the turn, and is filled with the answer when it comes again', async () => {
  const { rig, run, heard } = scriptTurn({
    moves: [formOf({ database: DATABASE, database_own: OTHER }), { say: 'went on' }],
  });
  expect(await run().ended).toMatchObject({ state: 'completed', reason: 'ok' });
  const [question] = [...rig.task.questions.values()];
  expect(question).toMatch(
    /^Which database is it to be\?\n\nDatabase\n- PostgreSQL: runs here already\n- SQLite\n\(form [0-9a-f]{8}\)$/,
  );
  expect(heard('form')).toEqual([{ action: 'cancel' }]);
  expect(heard('cancel')).toHaveLength(1);
  const filledAfter = async (...answers: ReturnType<typeof answerBy>[]) => {
    const context = { ...rig.input.context, answers: answered(question!, ...answers) };
    expect((await run({ context }).ended).reason).toBe('ok');
    return heard('form').at(-1);
  };
  expect(await filledAfter(answerBy('owner', 'postgresql'))).toEqual({
    action: 'accept',
    content: { database: 'pg' },
  });
  expect(await filledAfter(answerBy(null, 'Neither, use files.'))).toEqual({
    action: 'accept',
    content: { database_own: 'Neither, use files.' },
  });
  expect(rig.task.questions.size).toBe(1);
  // Nobody but the person fills a form.
  expect(await filledAfter(answerBy('github:mallory', 'pg'))).toEqual({ action: 'cancel' });
});

test.each([
  [{ sure: { type: 'boolean' } }, 'Yes', { sure: true }],
  [{ count: { type: 'integer' } }, '12', { count: 12 }],
  [{ labels: { type: 'array', items: { enum: ['web', 'api'] } } }, 'API', { labels: ['api'] }],
  [{ sure: { type: 'boolean' } }, 'Perhaps', null],
  [{ database: DATABASE }, 'MySQL', null],
])('%j with the answer %j is filled with %j', async (properties, text, content) => {
  const { rig, run, heard } = scriptTurn({ moves: [formOf(properties)] });
  await run().ended;
  const [question] = [...rig.task.questions.values()];
  await run({ context: { ...rig.input.context, answers: answered(question!, answerBy('owner', text)) } })
    .ended;
  expect(heard('form').at(-1)).toEqual(
    content === null ? { action: 'decline' } : { action: 'accept', content },
  );
});

test('a page to open is declined', async () => {
  const url = { form: { message: 'Sign in.', mode: 'url', url: 'https://example.com', elicitationId: '1' } };
  const { rig, run, heard } = scriptTurn({ moves: [url] });
  await run().ended;
  expect([heard('form'), rig.task.questions.size]).toEqual([[{ action: 'decline' }], 0]);
});

describe('words while it works', () => {
  const words = () => {
    const left = ['Drop it.'];
    const hear = async (take: (text: string) => Promise<void>) => {
      const [text] = left;
      if (text === undefined) return 0;
      await take(text);
      return left.splice(0).length;
    };
    return { left, hear };
  };

  test('an agent that can be steered has them in the turn that runs', async () => {
    const { run, heard, said } = scriptTurn({ steered: 'injected', moves: [{ wait: true, denies: true }] });
    const { left, hear } = words();
    expect(await run({ hear }).ended).toMatchObject({ state: 'completed', reason: 'ok' });
    const text = 'The person of this room says while you work:\n\nDrop it.';
    expect(heard('steer')).toEqual([
      {
        sessionId: 'session-1',
        prompt: [{ type: 'text', text }],
        _meta: { steering: { idleBehavior: 'promptRequired' } },
      },
    ]);
    expect(left).toEqual([]);
    expect(said()).toContainEqual({ type: 'line', text: 'told: Drop it.' });
  });

  test.each([
    ['promptRequired', 2, []],
    ['error', 1, [{ type: 'line', text: 'not told: no words now' }]],
  ] as const)('words that it answers with %s stay', async (steered, times, notes) => {
    const { rig, run, heard, said } = scriptTurn({ steered, moves: [{ wait: true }] });
    const { left, hear } = words();
    const { ended } = run({ hear });
    await until('it refused', () => heard('steer').length === times);
    stop(rig);
    expect(await ended).toMatchObject({ state: 'killed' });
    expect(said().filter((event) => /told/.test(JSON.stringify(event)))).toEqual(notes);
    expect(left).toEqual(['Drop it.']);
  });

  test('an agent that takes none is not asked', async () => {
    const { run } = scriptTurn({ moves: [{ say: 'Done.' }] });
    const { left, hear } = words();
    expect(await run({ hear }).ended).toMatchObject({ reason: 'ok' });
    expect(left).toEqual(['Drop it.']);
  });
});
