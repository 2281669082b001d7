import { expect, test } from 'vitest';
import { displayWidth } from '../../src/cli/lines/display-text.ts';
import { clockTime, dateTime } from '../../src/cli/lines/time-text.ts';
import { plain } from '../../src/cli/paint.ts';
import { choreLines } from '../../src/cli/views/room-views.ts';
import type { ChoreJson } from '../../src/core/chore-shapes.ts';

// Chores as the runtime lists them, for tests of what is printed.
function chore(more: Partial<ChoreJson> = {}): ChoreJson {
  return {
    ...{ name: 'web-issues', path: 'chores/web-issues.md', kind: 'mirror', source: 'github:acme/web' },
    ...{ schedule: 'every 5m', paused: false, stopped: null, running: false, pending: false },
    ...{ started_at: '1970-01-01T00:16:40.000Z', ended_at: '1970-01-01T00:16:42.000Z' },
    result: { ok: true, message: '3 created', turn: null, counts: { created: 3 } },
    ...{ failures: 0, sync: null, next_at: '1970-01-01T00:21:40.000Z' },
    ...more,
  };
}

const NOW = 1_062_000;
const never = { started_at: null, ended_at: null, result: null };
const bad = { ok: false, message: 'no token', turn: null, counts: {} };
const cut = { ended_at: null, result: null };
const iso = (atMs: number) => new Date(atMs).toISOString();

/** Sign, when, and how it went last. */
const WELL = 'went well 1 min ago: 3 created';
const next = (when: string) => `every 5m  next ${when}`;
const CASES: [string, Partial<ChoreJson>, string, string, string][] = [
  ['well', {}, '✓', next(clockTime(1_300_000)), WELL],
  ['far off', { next_at: iso(NOW + 86_400_000) }, '✓', next(dateTime(NOW + 86_400_000)), WELL],
  ['due', { next_at: iso(NOW) }, '✓', 'every 5m  due', WELL],
  ['never', { ...never, schedule: null, next_at: null }, '☐', 'only when asked', 'never ran'],
  ['asked for', { ...never, pending: true }, '☐', 'every 5m  asked for', 'never ran'],
  ['running', { running: true, ended_at: null }, '⠋', 'every 5m  runs now', 'since 1 min 2 s'],
  ['cut short', { ...cut, next_at: iso(NOW) }, '☐', 'every 5m  due', 'cut short 1 min 2 s ago'],
  ['paused', { paused: true }, '⏸', 'every 5m  paused', WELL],
  ['failed', { result: bad, failures: 1 }, '✗', next(clockTime(1_300_000)), 'failed 1 min ago: no token'],
  [
    'failed often',
    { result: { ...bad, turn: 'b1' }, failures: 3, next_at: iso(NOW) },
    '✗',
    'every 5m  due',
    'failed, 3 times in a row 1 min ago (turn b1): no token',
  ],
  ['stopped', { result: bad, failures: 5, stopped: 'gave up' }, '⏸', 'every 5m  stands still', 'gave up'],
];

test.each(CASES)('%s', (_name, more, sign, when, last) => {
  const [head, below] = choreLines(
    { chores: [chore(more)], invalid: [] },
    { paint: plain, columns: null, nowMs: NOW },
  );
  expect(head).toBe(`  ${sign} web-issues                github:acme/web           ${when}`);
  expect(below).toBe(`    ${last}`);
});

test('broken files come last; nothing in a name or a message steers the terminal, and all fits', () => {
  const evil = chore({
    name: 'a\u001b[2J\nb',
    source: 'x:\u001b]0;t\u0007y',
    result: { ...bad, message: `${'m'.repeat(200)}\r\u001b[1A` },
  });
  const problem = { path: 'chores/c.md', line: 2, col: 1, message: 'bad\u001b[31m' };
  const lines = choreLines(
    { chores: [evil], invalid: [{ path: 'chores/c.md', problems: [problem] }] },
    { paint: plain, columns: 80, nowMs: NOW },
  );
  expect(lines).toHaveLength(3);
  expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f]/);
  expect(lines[2]).toContain('chores/c.md:2:1 bad');
  for (const line of lines.slice(0, 2)) expect(displayWidth(line)).toBeLessThanOrEqual(80);
});
