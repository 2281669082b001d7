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
