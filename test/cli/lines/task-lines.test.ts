import { expect, test } from 'vitest';
import { displayWidth } from '../../../src/cli/lines/display-text.ts';
import { renderTaskList } from '../../../src/cli/lines/task-lines.ts';
import { clockTime } from '../../../src/cli/lines/time-text.ts';
import { plain } from '../../../src/cli/paint.ts';
import type { TurnId } from '../../../src/core/ids.ts';
import { isoOf, view } from '../task-views.ts';

const turn = 'b12345678' as TurnId;
const finished = (name: string, at: number) => view(name, { status: 'done', finished_at: isoOf(at) });

const MIXED = [
  view('Paused one', { paused: true }),
  view('A draft', { status: 'draft' }),
  view('Runs', {
    status: 'doing',
    running: turn,
    active_form: 'Running along',
    steps: { done: 1, total: 3 },
    owner: 'claude',
  }),
  view('Waits', { blocked: true, blocked_by: ['ready000', 'elsewhere'] }),
  finished('Old', 1),
  view('Asked', { status: 'doing' }),
  view('Tries', { status: 'doing', retry_at: isoOf(60_000) }),
  view('Tries now', { status: 'doing', retry_at: isoOf(0) }),
  finished('New', 9),
  view('Dropped', { status: 'canceled', finished_at: isoOf(5) }),
  view('Ready', { priority: 'high', labels: ['web'], due: '2026-12-01' }),
  view('No id yet', { id: null, title: 'With a title' }),
];

test('the list shows running, ready, waiting, drafts and finished tasks, in this order', () => {
  const text = renderTaskList(
    { tasks: MIXED, invalid: [], odd: [] },
    { paint: plain, columns: null, all: false, nowMs: 1 },
  );
  expect(text).toBe(`Tasks 2/11 ███░░░░░░░░░░░░░░░░░ 18 %  1 running  1 paused  3 doing  3 to do  1 draft

  ⠋ Runs          runs0000  1/3  @claude
      Running along…
  ◐ Asked         asked000  waits for news
  ◐ Tries         tries000  tried again at ${clockTime(60_000)}
  ◐ Tries now     triesnow  is due again
  ☐ Ready         ready000  high  due 2026-12-01  #web
  ☐ With a title  no id
  ▸ Waits         waits000  waits for Ready, elsewhere
  ⏸ Paused one    pausedon  paused
  ✎ A draft       adraft00
  ✓ New           new00000
  ✗ Dropped       dropped0
  ✓ Old           old00000
`);
});

test('only the newest finished tasks are shown unless all are asked for', () => {
  const tasks = Array.from({ length: 8 }, (_, at) => finished(`Done ${at}`, at));
  const some = renderTaskList({ tasks, invalid: [], odd: [] }, { paint: plain, columns: null, all: false });
  expect(some.match(/Done \d/g)).toEqual(['Done 7', 'Done 6', 'Done 5', 'Done 4', 'Done 3']);
  expect(some).toContain('… and 3 more finished: taskroom list --all');
  const all = renderTaskList({ tasks, invalid: [], odd: [] }, { paint: plain, columns: null, all: true });
  expect(all.match(/Done \d/g)).toHaveLength(8);
});

test('files that can not be read stand at the end with their place', () => {
  const problems = [
    {
      path: 'tasks/Broken.md',
      line: 4,
      col: 9,
      message: 'unknown status "opne"',
      hint: 'did you mean open?',
    },
  ];
  const text = renderTaskList(
    { tasks: [], invalid: [{ path: 'tasks/Broken.md', problems }], odd: [] },
    { paint: plain, columns: null, all: false },
  );
  expect(text).toBe(`Tasks 0/0 ░░░░░░░░░░░░░░░░░░░░ 0 %

1 file can't be read:
  tasks/Broken.md:4:9 unknown status "opne"; did you mean open?
`);
});

test.each([30, 48, 80, 120])('no line of a task is wider than %i cells', (columns) => {
  const long = '非常に長いタスク名 with many words and an emoji 👩‍👩‍👧‍👦 at its end';
  const tasks = [
    view(long, { running: turn, active_form: long, labels: [long] }),
    view('x', { blocked: true, blocked_by: [long] }),
  ];
  const lines = renderTaskList({ tasks, invalid: [], odd: [] }, { paint: plain, columns, all: false })
    .split('\n')
    .slice(2);
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
});

test('a name can not steer the terminal', () => {
  const tasks = [view('evil\u001b[2J\u001b]0;pwned\u0007\nname')];
  const text = renderTaskList({ tasks, invalid: [], odd: [] }, { paint: plain, columns: 80, all: false });
  expect(text).toContain('☐ evil name');
  expect(text).not.toMatch(/\u001b|\u0007/);
});
