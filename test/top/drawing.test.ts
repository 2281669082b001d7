import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { displayWidth } from '../../src/cli/lines/display-text.ts';
import { choosePaint, plain } from '../../src/cli/paint.ts';
import type { TurnId } from '../../src/core/ids.ts';
import { wrapColored } from '../../src/top/draw/styled.ts';
import { isoOf, view } from '../cli/task-views.ts';
import { NOW, openTestScreen, someRoom } from './screen-room.ts';

const colored = choosePaint(true, { FORCE_COLOR: '1' }, true);
const DOCS = path.resolve(import.meta.dirname, '../../docs/top.md');

test('the screen in the docs is what is drawn at 80 by 24', () => {
  const text = readFileSync(DOCS, 'utf8');
  const shown = openTestScreen()
    .frame()
    .lines.map((line) => line.trimEnd())
    .join('\n');
  const wanted = text.replace(
    /```text\n[\s\S]*?```\n\n<!-- \/screen -->/,
    () => `\`\`\`text\n${shown}\n\`\`\`\n\n<!-- /screen -->`,
  );
  if (process.env.UPDATE_DOCS) writeFileSync(DOCS, wanted);
  else expect(text).toBe(wanted);
});

test('the first screen says at a glance what runs, what needs the person and what ended silently', () => {
  expect(openTestScreen().text()).toMatchInlineSnapshot(`
    "work  Tasks 1/8  1 running  1 waits for you  1 paused  1 doing  2 to do   ● live
     1 Room  2 Inbox 1  3 Turns 1  4 Chores                                         

    Running  1
    › ⠋ Fix the build             3 min 20 s               3/5        @claude       
          Fixing the build…
          │ ▸ Bash  npm test

    Needs you  1
      ? Choose a licence: codex asks: MIT or Apache?                       3 min ago
          Enter answers it here

    Ended, and wrote nothing  1
      ◐ Count the words           nothing written                              #docs

    Todo  1
      ☐ Review the API                                                              

    Waiting  3
      ▸ Write the notes           waits for Fix the build       high                
      ? Choose a licence          waits for your answer               @codex        
      ⏸ Water the plants          paused                                            
      ↓ 1 Draft, 1 Done
    Enter open  r run  p pause  d done  c comment  e edit  x stop  ? help  q quit"
  `);
});

test('a task stands in one place while the list of turns is older than the list of tasks', () => {
  const { tasks, running } = someRoom();
  const began = view('Review the API', { status: 'doing', running: 'b0n3w1234' as TurnId });
  const ended = { ...tasks[0]!, running: null };
  const screen = openTestScreen(someRoom({ tasks: [began, ended], running, inbox: [] }));
  expect(screen.text().split('\n').slice(3, -1).filter(Boolean)).toMatchInlineSnapshot(`
    [
      "Running  1",
      "› ⠋ Review the API                                                              ",
      "Doing  1",
      "  ◐ Fix the build                                                   3/5  @claude",
    ]
  `);
});

const HOSTILE = [
  'Plain',
  '完成 構築 🎉👩‍👩‍👧 한국어',
  'e\u0301\u0301\u0301 combining',
  '\u001b[2J\u001b[1;1Hsteered \u001b]0;title\u0007 \r\n\t x\u0000\u009b31m',
  '\u202eright to left\u2066',
  'x'.repeat(300),
  '⏸ ⚿ ☐ ⠋',
];

test('no line is wider than the screen, and no name steers it, at any size', () => {
  const tasks = HOSTILE.flatMap((name, at) => [
    view(name, { path: `tasks/${at}.md`, labels: [name], owner: name, blocked: true, blocked_by: [name] }),
    view(name, { path: `tasks/r${at}.md`, status: 'done', finished_at: isoOf(NOW) }),
  ]);
  const inbox = HOSTILE.map((text, at) => ({
    ...{
      kind: 'notice' as const,
      ...{ key: `n${at}`, task: null, name: text, text, settle: text, at: new Date(NOW).toISOString() },
    },
  }));
  const room = someRoom({
    tasks,
    inbox,
    said: new Map([['b4k2m9x1q' as TurnId, HOSTILE.join('')]]),
    name: HOSTILE[3]!,
  });
  for (const columns of [20, 33, 40, 59, 80, 132])
    for (const keys of [[], ['2'], ['3'], ['4'], ['?'], ['/']]) {
      const screen = openTestScreen(room);
      screen.press(...keys);
      const { lines } = screen.frame(columns, 24, colored);
      expect(lines).toHaveLength(24);
      for (const line of lines) {
        const bare = line.replace(/\u001b\[[0-9;]*m/g, '');
        expect(bare).toBe(stripVTControlCharacters(bare));
        // Neither control characters nor what turns the direction of a line.
        expect(bare).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
        expect(displayWidth(bare), JSON.stringify(bare)).toBeLessThanOrEqual(columns);
      }
    }
});

test('columns begin at the same cell whatever the names are made of', () => {
  const tasks = HOSTILE.slice(0, 2).map((name, at) =>
    view(name, { path: `tasks/${at}.md`, steps: { done: 1, total: 2 } }),
  );
  const { lines } = openTestScreen(someRoom({ tasks, running: [], inbox: [] })).frame(80, 12);
  const places = lines
    .filter((line) => line.includes('1/2'))
    .map((line) => displayWidth(line.slice(0, line.indexOf('1/2'))));
  expect(places).toHaveLength(2);
  expect(places[0]).toBe(places[1]);
});

test('without colours no line holds an escape, and the cursor has a mark', () => {
  const { lines } = openTestScreen().frame(80, 24, plain);
  expect(lines.join('')).not.toContain('\u001b');
  expect(lines.filter((line) => line.startsWith('›'))).toHaveLength(1);
});

test('the output in the foreground follows its end, wraps, and stays where it was scrolled to', () => {
  const lines = Array.from({ length: 100 }, (_, at) => `line ${at} ${'x'.repeat(100)}`);
  const [running] = someRoom().running;
  const open = { title: 'Fix the build', turn: running!, lines, isCut: false };
  const screen = openTestScreen(someRoom({ open }));
  screen.press('return');
  expect(screen.asks).toEqual([{ do: 'open', ref: 'b4k2m9x1q' }]);
  expect(screen.text()).toContain('line 99 x');
  screen.press('up', 'up');
  expect(screen.text()).not.toContain('line 98 x');
  expect(screen.text()).toContain('line 97 x');
  screen.press('home');
  expect(screen.text()).toContain('line 0 x');
  screen.press('end');
  expect(screen.text()).toContain('line 99 x');
});

test('a coloured line is wrapped with its colours, each row closed', () => {
  const rows = wrapColored('\u001b[31mabcdef\u001b[0mgh', { columns: 4, paint: colored });
  expect(rows).toEqual(['\u001b[31mabcd\u001b[0m', '\u001b[31mef\u001b[0mgh']);
  expect(wrapColored('\u001b[31mabcdef', { columns: 4, paint: plain })).toEqual(['abcd', 'ef']);
  expect(wrapColored('完成完', { columns: 4, paint: plain })).toEqual(['完成', '完']);
  expect(wrapColored('', { columns: 4, paint: plain })).toEqual(['']);
});
