// The tools of session todos over a real room: what they take is kept, and of two ways to say whom, one is asked for.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestRoom, PERSON, type TestRoom } from '../../tasks/test-room.ts';
import { agentIn, assistantIn, type CallByName, toolsOf } from './tool-room.ts';

const TURN = 'b11111111';

let room: TestRoom;
let todo: CallByName;
let own: CallByName;

beforeEach(() => {
  room = openTestRoom();
  room.save('One.md', '---\nid: abc12345\nstatus: doing\n---\nDo it.\n');
  room.runTurn(TURN, 'abc12345');
  const caller = agentIn(room, TURN, 'abc12345');
  todo = toolsOf(caller, 'todo');
  own = toolsOf(caller);
});
afterEach(() => room.close());

const idOf = (answer: { text: string }): string => JSON.parse(answer.text).id;

test('notes of a todo can be changed, one and several at once', async () => {
  const first = idOf(await todo('todo_add', { title: 'First', notes: 'Old words.' }));
  const second = idOf(await todo('todo_add', { title: 'Second' }));
  await todo('todo_update', { id: first, notes: 'New words.', priority: 'high' });
  await todo('todo_update', { updates: [{ id: second, notes: 'Its words.' }] });
  expect(room.read('tasks/First.md')).toContain('## Task\nNew words.\n');
  expect(room.read('tasks/First.md')).toContain('priority: high');
  expect(room.read('tasks/First.md')).not.toContain('Old words.');
  expect(room.read('tasks/Second.md')).toContain('Its words.');
});

test('several with notes are changed all or none', async () => {
  const first = idOf(await todo('todo_add', { title: 'First', notes: 'Old words.' }));
  const answer = await todo('todo_update', {
    updates: [
      { id: first, notes: 'New words.' },
      { id: 'nowhere1', notes: 'Lost.' },
    ],
  });
  expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('nothing was changed') });
  expect(room.read('tasks/First.md')).toContain('Old words.');
});

test('the order, scope and document of a todo can be set and seen', async () => {
  room.save('Other.md', '---\nid: other123\nsort: 2\n---\nAnother.\n');
  const id = idOf(await todo('todo_add', { title: 'First', sort_order: 3, artifact_id: 'Sign-in' }));
  await todo('todo_update', { id, sort_order: 1 });
  const { text } = await todo('todo_list', { all: true });
  expect(text.split('\n').slice(0, 2)).toEqual([
    `${id} [pending] "First" artifact=Sign-in`,
    'other123 [pending] "Other"',
  ]);
  expect((await todo('todo_get', { id })).text).toContain('sort: 1\n');
  await own('update_task', { id, scope: 'session-1', artifact: 'Sign-up', sort: 7 });
  expect((await own('list_tasks', { scope: 'session-1', all: true })).text).toContain(
    'scope=session-1 artifact=Sign-up',
  );
  expect((await own('get_task', { id })).text).toMatch(
    /scope: .*session-1[\s\S]*artifact: Sign-up[\s\S]*sort: 7/,
  );
  const made = await own('create_task', { name: 'Second', scope: 'session-1', artifact: 'Sign-up', sort: 4 });
  expect(room.read(`tasks/Second.md`)).toContain('sort: 4');
  await own('bulk_tasks', { changes: [{ do: 'update', id: idOf(made), sort: 5, scope: 'session-2' }] });
  expect(room.read(`tasks/Second.md`)).toMatch(/scope: session-2\n(.*\n)*sort: 5/);
});

test('a title beside items is refused, as are two ways to say which todos', async () => {
  const id = idOf(await todo('todo_add', { title: 'First' }));
  for (const [name, input] of [
    ['todo_add', { title: 'All of it', items: [{ title: 'A' }] }],
    ['todo_complete', { id, ids: [id] }],
    ['todo_complete', { id, all: true }],
    ['todo_delete', { ids: [id], scope: 'all' }],
    ['todo_delete', { id, scope: 'completed' }],
  ] as const) {
    const answer = await todo(name, input);
    expect(answer, JSON.stringify(input)).toMatchObject({ isError: true });
    expect(answer.text).toMatch(/^bad_input: .* (and|beside) /);
  }
  expect(room.names('tasks')).toEqual(['First.md', 'One.md']);
  expect(room.read('tasks/First.md')).toContain('status: todo');
});

test('what a turn adds for itself it may change, complete and delete; what others have it may not', async () => {
  room.save('Other.md', '---\nid: other123\n---\nAnother.\n');
  const [a, b, c] = (await todo('todo_add', { items: [{ title: 'A' }, { title: 'B' }, { title: 'C' }] })).text
    .split('\n')
    .map((line) => JSON.parse(line).id as string);
  await todo('todo_update', { id: a, status: 'in_progress' });
  await todo('todo_complete', { id: a, outcome: 'It works.' });
  expect(room.read('tasks/A.md')).toMatch(/status: done[\s\S]*It works\./);
  await todo('todo_delete', { id: b });
  expect(room.names('tasks')).toEqual(['A.md', 'C.md', 'One.md', 'Other.md']);
  await own('update_task', { id: c, owner: 'runbook' });
  for (const id of ['other123', 'One'])
    expect((await todo('todo_delete', { id })).isError, id).toBe(id === 'other123' ? true : undefined);
});

test('the todos of a session are those of the scope that the turn works in', async () => {
  room.save('One.md', '---\nid: abc12345\nstatus: doing\nscope: session-1\n---\nDo it.\n');
  room.save('Far.md', '---\nid: other123\nowner: runbook\n---\nAnother.\n');
  room.save('Near.md', '---\nid: near1234\nscope: session-1\n---\nOf somebody else.\n');
  await own('update_task', { progress: 'Seen.' });
  await todo('todo_add', { items: [{ title: 'A' }, { title: 'B' }, { title: 'C' }] });
  expect((await todo('todo_list')).text).toMatch(/"A"[\s\S]*"B"[\s\S]*"C"[\s\S]*"Near"[\s\S]*"One"/);
  expect((await todo('todo_list')).text).not.toContain('Far');
  expect((await todo('todo_list', { all: true })).text).toContain('Far');
  expect((await todo('todo_complete', { all: true })).text).toMatch(/^3 completed\n.*"A"\n.*"B"\n.*"C"$/);
  expect((await todo('todo_delete', { scope: 'completed' })).text).toMatch(/^3 deleted/);
  expect(room.names('tasks')).toEqual(['Far.md', 'Near.md', 'One.md']);
});

test('two tasks of one title are two files', async () => {
  for (const call of [own, toolsOf(assistantIn(room))]) await call('create_task', { name: 'Write tests' });
  await todo('todo_add', { items: [{ title: 'Write tests' }, { title: 'Write tests', notes: 'The last.' }] });
  await own('create_subtask', { name: 'Write tests' });
  expect(room.names('tasks')).toEqual([
    'One.md',
    'Write tests 2.md',
    'Write tests 3.md',
    'Write tests 4.md',
    'Write tests 5.md',
    'Write tests.md',
  ]);
  const { tasks } = await room.tasks.call('list', { text: 'Write tests' }, PERSON);
  const made = tasks.filter(({ name }) => name !== 'One');
  expect(made.map(({ title, name }) => title ?? name)).toEqual(Array(5).fill('Write tests'));
  expect(new Set(made.map(({ id }) => id)).size).toBe(5);
  expect(room.read('tasks/Write tests 4.md')).toContain('The last.');
});

test('of two new tasks with one name no third can say which it waits for', async () => {
  const made = room.tasks.call(
    'bulk',
    {
      changes: [
        { do: 'create', name: 'Same' },
        { do: 'create', name: 'Same' },
        { do: 'create', name: 'Third', blocked_by: ['Same'] },
      ],
    },
    { kind: 'assistant', client: 'some' },
  );
  await expect(made).rejects.toMatchObject({ code: 'ambiguous' });
  expect(room.names('tasks')).toEqual(['One.md']);
});

test('a person is asked before a second task of one name is made', async () => {
  await room.tasks.call('create', { name: 'Write tests' }, PERSON);
  await expect(room.tasks.call('create', { name: 'Write tests' }, PERSON)).rejects.toMatchObject({
    code: 'conflict',
  });
});

test('a plan is written and made final by tools, and its todos are there', async () => {
  const plan = { name: 'Sign-in', text: 'Why.', steps: [{ title: 'First' }, { title: 'Second' }] };
  expect(JSON.parse((await own('create_plan', plan)).text)).toMatchObject({ stage: 'draft', made: [] });
  const { text } = await todo('artifact_stage', { id: 'Sign-in', stage: 'final' });
  expect(JSON.parse(text)).toMatchObject({ stage: 'final', made: [{ name: 'First' }, { name: 'Second' }] });
  expect(room.read('tasks/First.md')).toContain('artifact: Sign-in\n');
  expect(await own('set_plan_stage', { id: 'Nowhere' })).toMatchObject({ isError: true });
});
