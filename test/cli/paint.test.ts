import { expect, test } from 'vitest';
import { choosePaint } from '../../src/cli/paint.ts';

const paints = (wanted: boolean, env: Record<string, string>, isTerminal: boolean) =>
  choosePaint(wanted, env, isTerminal)('red', 'x') !== 'x';

test.each<[boolean, Record<string, string>, boolean, boolean]>([
  [true, {}, true, true],
  [true, {}, false, false],
  [false, {}, true, false],
  [false, { FORCE_COLOR: '1' }, true, false],
  [true, { NO_COLOR: '1' }, true, false],
  [true, { NO_COLOR: '' }, true, true],
  [true, { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  [true, { FORCE_COLOR: '1' }, false, true],
  [true, { FORCE_COLOR: '0' }, true, false],
  [true, { TERM: 'dumb' }, true, false],
])('asked for: %s, environment %o, terminal: %s → colours: %s', (wanted, env, isTerminal, expected) => {
  expect(paints(wanted, env, isTerminal)).toBe(expected);
});
