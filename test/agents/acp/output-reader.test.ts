import { expect, test } from 'vitest';
import { ACP_FORMAT } from '../../../src/agents/acp/output-reader.ts';
import { createOutputReader } from '../../../src/agents/command/output-reader.ts';

/** What is read of these messages, or lines of plain words. */
function read(...lines: (object | string)[]): object[] {
  const reader = createOutputReader(ACP_FORMAT, () => ({ now: 0, zone: 'UTC' }));
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return [...reader.read(`${text}\n`), ...reader.end()];
}

const update = (sessionUpdate: string, more: object) => ({
  method: 'session/update',
  params: { sessionId: 's', update: { sessionUpdate, ...more } },
});
const call = (toolCallId: string, more: object) => update('tool_call', { toolCallId, ...more });
const more = (toolCallId: string, what: object) => update('tool_call_update', { toolCallId, ...what });
const said = (text: string) => update('agent_message_chunk', { content: { type: 'text', text } });

const ALIVE = { type: 'alive' };

test('a call is told once, when it is known what it is called with', () => {
  expect(
    read(
      call('1', { title: 'Terminal', kind: 'execute', rawInput: {} }),
      more('1', { title: 'npm test', rawInput: { command: 'npm test' } }),
      more('1', { rawInput: { command: 'npm test', description: 'Tests' } }),
      more('1', {
        status: 'completed',
        content: [{ type: 'content', content: { type: 'text', text: 'ok' } }],
      }),
      call('2', { title: 'Read a.txt', rawInput: { path: 'a.txt' } }),
    ),
  ).toEqual([
    ALIVE,
    { type: 'tool', name: 'npm test', input: 'npm test' },
    { type: 'result', text: 'ok', failed: false },
    { type: 'tool', name: 'Read a.txt', input: 'a.txt' },
  ]);
});

test('what is told of a call by the question for leave counts, and is told before what becomes of it', () => {
  const toolCall = { toolCallId: '1', status: 'pending', rawInput: { command: 'npm test' } };
  expect(
    read(
      call('1', { title: 'Terminal', rawInput: {} }),
      { id: 4, method: 'session/request_permission', params: { sessionId: 's', toolCall, options: [] } },
      { taskroom: 'refused execute: npm test' },
      more('1', { rawInput: { command: 'npm test' } }),
      more('1', { status: 'failed' }),
    ),
  ).toEqual([
    ALIVE,
    { type: 'tool', name: 'Terminal', input: 'npm test' },
    { type: 'line', text: 'refused execute: npm test' },
    { type: 'result', text: '', failed: true },
  ]);
});

test('a call that is told of by the question alone is read there, with what it says of its input', () => {
  const text = '{"progress":"Done."}';
  const toolCall = {
    toolCallId: '1',
    title: 'update_task',
    content: [{ type: 'content', content: { type: 'text', text } }],
  };
  const ask = {
    id: 4,
    method: 'session/request_permission',
    params: { sessionId: 's', toolCall, options: [] },
  };
  expect(read(ask, more('1', { status: 'completed' }))).toEqual([
    { type: 'tool', name: 'update_task', input: text },
    { type: 'result', text: '', failed: false },
  ]);
  expect(read(call('1', { title: 'Patch', rawInput: { path: 'a' } }), ask)).toHaveLength(1);
});

test('a call of which nothing more is told stands before what comes next', () => {
  const end = { id: 2, result: { stopReason: 'end_turn' } };
  expect(
    read(
      call('1', { title: 'Look around' }),
      said('So.'),
      more('1', { status: 'failed' }),
      call('2', { kind: 'read' }),
      end,
    ),
  ).toEqual([
    ALIVE,
    { type: 'tool', name: 'Look around', input: '' },
    { type: 'text', text: 'So.', partial: true },
    { type: 'result', text: '', failed: true },
    ALIVE,
    { type: 'tool', name: 'read', input: '' },
    { type: 'end', failed: false },
  ]);
});

test('a call whose end comes first is told with it', () => {
  expect(read(call('1', { title: 'Search', rawInput: null }), more('1', { status: 'completed' }))).toEqual([
    ALIVE,
    { type: 'tool', name: 'Search', input: '' },
    { type: 'result', text: '', failed: false },
  ]);
});

test('tokens that are told beside the protocol count where the protocol has none', () => {
  const quota = { token_count: { input_tokens: 90, output_tokens: 9 } };
  const end = (result: object) => ({ id: 2, result: { stopReason: 'end_turn', ...result } });
  const usage = (inputTokens: number, outputTokens: number) => ({
    type: 'usage',
    usage: { inputTokens, outputTokens, costUsd: null },
  });
  expect(read(end({ _meta: { quota } }))).toContainEqual(usage(90, 9));
  expect(read(end({ _meta: { quota }, usage: { inputTokens: 70, outputTokens: 7 } }))).toContainEqual(
    usage(70, 7),
  );
  expect(read(end({ _meta: {} }))).toEqual([{ type: 'end', failed: false }]);
});

test("how long the parts of an adapter's start took is for nobody to read", () => {
  // Nor is it a sign that the agent got over its trouble.
  expect(read('[session/create] sessionId=1 phase=settings durationMs=1', 'a warning')).toEqual([
    { type: 'line', text: 'a warning' },
  ]);
});

const answer = (result: object = {}) => ({ id: 2, result: { stopReason: 'end_turn', ...result } });
const trouble = (kind: string, message: string) => ({
  type: 'trouble',
  trouble: { kind, message, until: null },
});

test('an agent that ends well after words that are an error alone has failed', () => {
  const words = 'Error: Authentication failed with provider at http://localhost/v1 (HTTP 401).\n  Check it.';
  expect(read(said('Info: Retrying...'), said(words), answer()).slice(2)).toEqual([
    trouble(
      'credentials',
      'Authentication failed with provider at http://localhost/v1 (HTTP 401). Check it.',
    ),
    { type: 'end', failed: true },
  ]);
});

test.each([
  ['that are none of those that are known', [said('Error: the tests fail'), answer()]],
  ['after which it worked', [said('Error: usage limit reached'), call('1', { kind: 'read' }), answer()]],
  ['after which it said more', [said('Error: usage limit reached'), said(' Not any more.'), answer()]],
  [
    'with an answer of its model',
    [said('Error: usage limit reached'), answer({ usage: { inputTokens: 1 } })],
  ],
])('words of an error %s are words', (_which, messages) => {
  expect(read(...messages).at(-1)).toEqual({ type: 'end', failed: false });
});

test("codex's state of an error makes its words the trouble, until its thread is active again", () => {
  const state = (type: string) =>
    update('session_info_update', { _meta: { codex: { threadStatus: { type } } } });
  const words = 'Missing environment variable: `OPENAI_API_KEY`.';
  const failed = [state('active'), state('systemError'), said(words)];
  expect(read(...failed, answer())).toEqual([trouble('credentials', words), { type: 'end', failed: true }]);
  expect(read(...failed, state('active'), said('Well.'), state('idle'), answer()).slice(1)).toEqual([
    { type: 'text', text: 'Well.', partial: true },
    { type: 'end', failed: false },
  ]);
});

test('a model that is not there is told by the kind of the error', () => {
  const error = {
    code: -32603,
    message: 'Internal error: no such thing',
    data: { errorKind: 'model_not_found' },
  };
  expect(read({ id: 3, error })).toEqual([trouble('model', 'Internal error: no such thing')]);
});

test("opencode's words for a full context are known", () => {
  const message = 'Internal error: Conversation history too large to compact - exceeds model context limit';
  expect(read({ id: 3, error: { code: -32603, message } })).toEqual([trouble('context', message)]);
});

test('a network that codex waits for without end is trouble, told beside the protocol', () => {
  const details = {
    codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: null } },
    willRetry: true,
  };
  const error = {
    ...details,
    message: 'Reconnecting... waiting for network',
    additionalDetails: 'Connection failed: error sending request',
  };
  expect(read(update('session_info_update', { _meta: { codex: { error } } }))).toEqual([
    trouble('network', `${error.message}: ${error.additionalDetails}`),
  ]);
});
