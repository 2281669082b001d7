// The agents' tools over a real room: what each does, what each answers, and that a list of them costs little.
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeEach, describe, expect, test } from 'vitest';
import { ACCESS_NAMES, type Access } from '../../../src/core/config/agent-config.ts';
import { inputSchemaOf, MAX_ANSWER } from '../../../src/operations/tools/tool.ts';
import { DIALECTS, type Dialect, toolsFor } from '../../../src/operations/tools/tool-list.ts';
import { rig as room, withAgents } from '../../tasks/each-room.ts';
import { agentIn, assistantIn, type CallByName, toolsOf } from './tool-room.ts';

const MAX_TOKENS = 4_000;
const LOOKING: Readonly<Record<Dialect, readonly string[]>> = {
  taskroom: ['get_task', 'list_tasks', 'list_history', 'get_job'],
  claude: ['TaskGet', 'TaskList'],
  todo: ['todo_list', 'todo_get'],
};
const TURN = 'b11111111';

let call: CallByName;

withAgents({ coder: {} });
beforeEach(() => {
  room.save(
    'One.md',
    '---\nid: abc12345\nstatus: doing\n---\nDo it.\n\n## Steps\n- [ ] First\n- [ ] Second (task:part1234)\n',
  );
  room.save('Part.md', '---\nid: part1234\nparent: abc12345\nowner: coder\n---\nA part.\n');
  room.save('Other.md', '---\nid: other123\nowner: coder\nblocked_by: [One]\n---\nAnother.\n');
  room.runTurn(TURN, 'abc12345');
  call = toolsOf(agentIn(room, TURN, 'abc12345'));
});

const one = () => room.read('tasks/One.md');

describe.each(DIALECTS)('the list of %s', (dialect) => {
  test('costs an agent at most 4,000 tokens', () => {
    const tools = toolsFor({ access: 'full', programs: true }, dialect).map((tool) => ({
      name: tool.name,
      description: tool.description,
      input_schema: inputSchemaOf(tool),
    }));
    expect(encode(JSON.stringify(tools)).length).toBeLessThanOrEqual(MAX_TOKENS);
    for (const { input_schema: schema } of tools) expect(schema.type).toBe('object');
  });

  test('grows with the access', () => {
    const [full, readonly, shell, minimal] = ACCESS_NAMES.map((access) =>
      toolsFor({ access, programs: false }, dialect).map(({ name }) => name),
    );
    expect(shell).toEqual(readonly);
    expect(full).toEqual(expect.arrayContaining(readonly!));
    expect(readonly).toEqual(expect.arrayContaining(minimal!));
    expect(minimal).toEqual(LOOKING[dialect]);
  });
});

test('who may not finish has no tool to complete, cancel or delete', () => {
  const names = (access: Access) => toolsFor({ access, programs: true }).map(({ name }) => name);
  const missing = names('full').filter((name) => !names('readonly').includes(name));
  expect(missing).toEqual(['complete_task', 'cancel_task', 'delete_task']);
});

test('the task of the turn is meant when none is named', async () => {
  expect(await call('update_task', { progress: 'Half.' })).toMatchObject({
    output: { id: 'abc12345', changed: true },
    text: '{"id":"abc12345","path":"tasks/One.md","changed":true,"name":"One"}',
  });
  expect(one()).toContain('Half.');
  expect((await call('get_task')).text).toContain('id: abc12345');
});

test.each([undefined, null, '', ' ', '{}', {}])('an input of %j is an empty one', async (input) => {
  expect((await call('list_tasks', input)).text).toBe('abc12345 doing turn=b11111111 steps=0/2 "One"');
});

test('an assistant has no task of its own', async () => {
  expect(await toolsOf(assistantIn(room))('get_task', {})).toEqual({
    isError: true,
    text: 'bad_input: no task was named\ngive its id; list_tasks shows them',
  });
});

test('several things change in one call, its end last', async () => {
  const answer = await call('update_task', {
    id: 'part1234',
    title: 'The one',
    priority: 'high',
    labels: ['a', 'b'],
    progress: 'Nearly.',
    outcome: 'It works.',
    status: 'completed',
  });
  expect(answer.isError).toBeUndefined();
  const part = room.read('tasks/Part.md');
  expect(part).toMatch(/title: The one\npriority: high\nlabels: \[a, b\]\nstatus: done/);
  expect(part).toMatch(/Nearly\.[\s\S]*It works\./);
});

test('an end that is put off, since the task was edited meanwhile, is said to be', async () => {
  expect((await call('complete_task', {})).text).toContain('one more turn follows');
  expect(one()).toContain('status: doing');
});

test('where one of several is refused, nothing is changed', async () => {
  const { text, isError } = await call('update_task', {
    id: 'part1234',
    progress: 'x',
    paused: true,
    owner: 'nobody',
  });
  expect({ text, isError }).toMatchObject({
    isError: true,
    text: expect.stringContaining('there is no agent "nobody"'),
  });
  const done = await call('update_task', { priority: 'low', progress: ' ' });
  expect(done).toEqual({ isError: true, text: expect.stringMatching(/^bad_input: the text is empty\n/) });
});

test.each([
  ['taskroom', 'get_task', 'id'],
  ['claude', 'TaskGet', 'taskId'],
  ['todo', 'todo_get', 'id'],
] as const)('in %s a task tells what it waits for and what waits for it', async (dialect, name, id) => {
  const look = toolsOf(agentIn(room, TURN, 'abc12345'), dialect);
  expect((await look(name, { [id]: 'other123' })).text).toContain('waits for: One (doing)');
  expect((await look(name, { [id]: 'abc12345' })).text).toContain('is waited for by: other123 (todo)');
});

test('a refusal counts as its caller does', async () => {
  expect((await call('update_step', { index: 2, done: true })).text).toBe(
    'not_found: there is no step 2; the task has 2\nsteps count from 0',
  );
  expect((await call('create_subtask', { index: 1, name: 'Again' })).text).toContain(
    'the step "Second" has its subtask already: part1234',
  );
  const changes = [{ do: 'update', title: 'A' }, { do: 'create' }];
  expect((await call('bulk_tasks', { changes })).text).toContain('change at index 1 ');
});

test('what is wrong with an input is said with what is allowed', async () => {
  expect((await call('update_task', { status: 'frozen' })).text).toContain(
    'draft, todo, doing, done, canceled',
  );
  expect((await call('update_task', { colour: 'red' })).text).toContain('"colour"');
  expect((await call('update_task', '{"progress": ')).isError).toBe(true);
  expect((await call('update_task', {})).text).toContain('nothing to change');
});

test('no answer is above 20,000 characters unless more was asked for, and pages tell the whole', async () => {
  room.save(
    'Long.md',
    `---\nid: long1234\nrequester: github:mallory\n---\n${'\u200b'.repeat(4000)}${'line of words\n'.repeat(4000)}`,
  );
  for (let at = 0; at < 120; at += 1)
    room.save(`T${at} ${'n'.repeat(100)}.md`, `---\nid: task${1000 + at}\n---\n`);
  expect((await call('list_tasks', { limit: 500 })).text.length).toBeLessThanOrEqual(MAX_ANSWER);
  let offset: number | undefined = 0;
  let words = 0;
  let unseen = 0;
  while (offset !== undefined) {
    const { text } = await call('get_task', { id: 'long1234', offset });
    expect(text.length).toBeLessThanOrEqual(MAX_ANSWER);
    words += text.match(/words/g)?.length ?? 0;
    unseen += text.match(/⟨U\+200B⟩/g)?.length ?? 0;
    const next = /offset (\d+)\)$/.exec(text)?.[1];
    offset = next === undefined ? undefined : Number(next);
  }
  // A page may end within one.
  expect(unseen).toBeGreaterThan(3990);
  expect(words).toBeGreaterThan(3990);
  expect((await call('get_task', { id: 'long1234', limit: 100_000 })).text.length).toBeGreaterThan(60_000);
});

test('a bug is no answer', async () => {
  const broken = { ...assistantIn(room), tasks: {} as never };
  await expect(toolsOf(broken)('list_tasks', {})).rejects.toThrow(TypeError);
});
