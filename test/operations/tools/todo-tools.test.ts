// The tools of session todos over a real room: what they take is kept, and of two ways to say whom, one is asked for.
import { beforeEach, expect, test } from 'vitest';
import { rig as room } from '../../tasks/each-room.ts';
import { agentIn, assistantIn, type CallByName, toolsOf } from './tool-room.ts';

const TURN = 'b11111111';

let todo: CallByName;
let own: CallByName;

beforeEach(() => {
  room.save('One.md', '---\nid: abc12345\nstatus: doing\n---\nDo it.\n');
  room.runTurn(TURN, 'abc12345');
  const caller = agentIn(room, TURN, 'abc12345');
  todo = toolsOf(caller, 'todo');
  own = toolsOf(caller);
});

const idOf = (answer: { text: string }): string => JSON.parse(answer.text).id;

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
    ...['One.md', 'Write tests 2.md', 'Write tests 3.md', 'Write tests 4.md', 'Write tests 5.md'],
    'Write tests.md',
  ]);
  const { tasks } = await room.call('list', { text: 'Write tests' });
  const made = tasks.filter(({ name }) => name !== 'One');
  expect(made.map(({ title, name }) => title ?? name)).toEqual(Array(5).fill('Write tests'));
  expect(new Set(made.map(({ id }) => id)).size).toBe(5);
  expect(room.read('tasks/Write tests 4.md')).toContain('The last.');
});

test('of two new tasks with one name no third can say which it waits for', async () => {
  const made = room.call(
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
  await room.call('create', { name: 'Write tests' });
  await expect(room.call('create', { name: 'Write tests' })).rejects.toMatchObject({ code: 'conflict' });
});
