import { expect, test } from 'vitest';
import { EMPTY_INPUT, edit, textOf } from '../../src/top/model/line-input.ts';
import { view } from '../cli/task-views.ts';
import { openTestScreen, someRoom } from './screen-room.ts';

function onTask(name: string) {
  const screen = openTestScreen();
  const task = screen.facts.tasks.find((each) => each.name === name)!;
  screen.state = {
    ...screen.state,
    cursor: { ...screen.state.cursor, room: { key: `task:${task.id}`, at: 0 } },
  };
  return { screen, ref: task.id! };
}

test('a comment, another priority, to do and the editor are asked for', () => {
  const { screen, ref } = onTask('Review the API');
  screen.press('c');
  screen.type('Look again.');
  screen.press('return', '!', 'e', 't');
  const name = 'Review the API';
  expect(screen.asks).toEqual([
    { do: 'comment', ref, name, text: 'Look again.' },
    { do: 'priority', ref, name, priority: 'high' },
    { do: 'edit', ref },
  ]);
  const draft = onTask('Plan the release');
  draft.screen.press('t');
  expect(draft.screen.asks).toEqual([{ do: 'todo', ref: draft.ref, name: 'Plan the release' }]);
});

test('what is no key and no status of a filter is said', () => {
  const screen = openTestScreen();
  screen.press('f');
  screen.type('status:nonsense colour:red word');
  screen.press('return');
  expect(screen.text()).toContain('colour: is no key and is looked for as text; no status is "nonsense"');
});

test('nothing is killed where nothing runs, and that is said', () => {
  const { screen } = onTask('Review the API');
  screen.press('x', 'y');
  expect(screen.asks).toEqual([]);
});

test('the question of a task is answered from its own row too', () => {
  const screen = openTestScreen();
  screen.press('1', 'end');
  const { screen: other } = onTask('Choose a licence');
  const id = other.facts.tasks.find(({ name }) => name === 'Choose a licence')!.id;
  const [item] = other.facts.inbox;
  other.facts = { ...other.facts, inbox: [{ ...item!, task: id, key: `question:${id}:q9` }] };
  other.press('a');
  other.type('MIT');
  other.press('return');
  expect(other.asks).toMatchObject([{ do: 'answer', question: 'q9', text: 'MIT' }]);
});

test('a search narrows while it is typed, Enter keeps it, Esc ends it', () => {
  const screen = openTestScreen();
  screen.press('/');
  screen.type('notes');
  expect(screen.text()).toContain('Write the notes');
  expect(screen.text()).not.toContain('Review the API');
  screen.press('return');
  expect(screen.text()).not.toContain('Review the API');
  screen.press('escape');
  expect(screen.text()).toContain('Review the API');
  screen.press('/');
  screen.type('zzz');
  expect(screen.text()).toContain('Nothing fits');
  screen.press('escape');
  expect(screen.text()).toContain('Review the API');
});

test.each([
  ['@codex', ['Choose a licence']],
  ['#docs', ['Count the words']],
  ['status:draft', ['Plan the release']],
  ['status:paused', ['Water the plants']],
  ['status:silent', ['Count the words']],
  ['status:running', ['Fix the build']],
  ['sprint:12', ['Review the API']],
  ['priority:high notes', ['Write the notes']],
  ['status:nonsense', []],
])('filter %s', (filter, names) => {
  const screen = openTestScreen();
  screen.press('f');
  screen.type(filter);
  screen.press('return');
  const all = screen.facts.tasks.map(({ name }) => name);
  const lines = screen.text(120, 60).split('\n').slice(2);
  const shown = all.filter((name) =>
    lines.some((line) => line.slice(4).startsWith(name) && !line.includes('asks:')),
  );
  expect(shown).toEqual(names);
});

test('pasted text is typed where something is typed, and presses no key elsewhere', () => {
  const screen = openTestScreen();
  const paste = (text: string) => screen.state.prompt !== null && screen.type(text);
  screen.press('paste');
  expect(screen.asks).toEqual([]);
  screen.press('n');
  paste('A name');
  screen.press('return');
  expect(screen.asks).toEqual([{ do: 'new', name: 'A name' }]);
});

test('a line is edited by whole characters', () => {
  let line = EMPTY_INPUT;
  const key = (name: string, text = '', ctrl = false) => {
    line = edit(line, { name, text, ctrl, meta: false });
  };
  key('paste', 'one\ntwo\u001b[31m 👩‍👩‍👧é');
  expect(textOf(line)).toBe('one two[31m 👩‍👩‍👧é');
  key('backspace');
  key('backspace');
  expect(textOf(line)).toBe('one two[31m ');
  key('w', '', true);
  key('home');
  key('x', 'X');
  expect(textOf(line)).toBe('Xone ');
  key('k', '', true);
  expect(textOf(line)).toBe('X');
});

test('the cursor stays on its task wherever that goes', () => {
  const { screen } = onTask('Review the API');
  const tasks = screen.facts.tasks.map((task) =>
    task.name === 'Review the API' ? { ...task, status: 'done' as const } : task,
  );
  screen.facts = { ...screen.facts, tasks };
  screen.press('r');
  expect(screen.asks).toMatchObject([{ do: 'run', name: 'Review the API' }]);
});

test('a scope is cleared once all its tasks are done and nothing runs, and shows what comes later', () => {
  const one = view('One', { scope: 's', status: 'done' });
  const two = view('Two', { scope: 's', running: 'b00000001' as never });
  const screen = openTestScreen(someRoom({ tasks: [one, two, view('Other')], running: [], inbox: [] }), 's');
  expect(screen.text()).toContain('Tasks 1/2');
  expect(screen.text()).not.toContain('Other');
  // Done, though its turn still runs.
  screen.facts = { ...screen.facts, tasks: [one, { ...two, status: 'done' }] };
  expect(screen.text()).toContain('Tasks 2/2');
  screen.facts = { ...screen.facts, tasks: [one, { ...two, status: 'done', running: null }] };
  expect(screen.text()).toContain('All tasks of s are done.');
  screen.facts = { ...screen.facts, tasks: [...screen.facts.tasks, view('Three', { scope: 's' })] };
  expect(screen.text()).toContain('Tasks 0/1');
  expect(screen.text()).toContain('Three');
});

test('finished tasks are cleared away on demand', () => {
  const screen = openTestScreen();
  expect(screen.text(80, 40)).toContain('Say hello');
  screen.press('C');
  expect(screen.text(80, 40)).not.toContain('Say hello');
  expect(screen.text(80, 40)).toContain('Review the API');
});

test('q and Ctrl-C quit, Ctrl-Z suspends', () => {
  const screen = openTestScreen();
  screen.press('q', 'ctrl-c', 'ctrl-z', 'ctrl-l');
  expect(screen.asks.map((ask) => ask.do)).toEqual(['quit', 'quit', 'suspend', 'redraw']);
  // Where something is typed q is a letter.
  screen.press('n', 'q');
  expect(screen.asks).toHaveLength(4);
  screen.press('ctrl-c');
  expect(screen.asks).toHaveLength(5);
});
