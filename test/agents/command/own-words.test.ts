import { describe, expect, test } from 'vitest';
import { asOwnLimit, readOwnUsage } from '../../../src/agents/command/command.ts';
import type { Outcome } from '../../../src/agents/runner.ts';
import type { TurnUsage } from '../../../src/core/rules/turn.ts';

describe('what a program says it used', () => {
  test.each<[string, output: string, usage: TurnUsage | null]>([
    ['nothing', 'working\n', null],
    [
      'all of it',
      'taskroom: usage input=12 output=3 cost=0.25\n',
      { inputTokens: 12, outputTokens: 3, costUsd: 0.25 },
    ],
    ['some', 'x\ntaskroom: usage output=3\n', { inputTokens: 0, outputTokens: 3, costUsd: null }],
    [
      'the last counts',
      'taskroom: usage input=1\ny\r\ntaskroom: usage input=2\r\n',
      { inputTokens: 2, outputTokens: 0, costUsd: null },
    ],
    [
      'a line that is still being written',
      'taskroom: usage input=1\ntaskroom: usage inp',
      { inputTokens: 1, outputTokens: 0, costUsd: null },
    ],
    ['words in the middle of a line', 'I wrote taskroom: usage input=5\n', null],
    ['no amounts', 'taskroom: usage of words\n', null],
    ['no number', 'taskroom: usage input=-5 cost=free\n', null],
  ])('%s', (_, output, usage) => {
    expect(readOwnUsage(output)).toEqual(usage);
  });
});

describe('exit code 75', () => {
  const ended: Outcome = {
    state: 'failed',
    reason: 'exit',
    exitCode: 75,
    signal: null,
    message: 'exit code 75',
  };
  const UNTIL = 'taskroom: rate limited until 2026-11-22T15:00:00Z';

  test.each<[string, output: string, until: number | null]>([
    ['with a time', `${UNTIL}\n`, Date.parse('2026-11-22T15:00:00Z')],
    ['without a line end', `so far\n${UNTIL}`, Date.parse('2026-11-22T15:00:00Z')],
    ['without a time', 'taskroom: rate limited\n', null],
    ['with a time that is none', 'taskroom: rate limited until tomorrow\n', null],
    ['the last line counts', `taskroom: rate limited\n${UNTIL}\r\n`, Date.parse('2026-11-22T15:00:00Z')],
  ])('%s', (_, output, until) => {
    expect(asOwnLimit(ended, output)).toMatchObject({ state: 'failed', reason: 'rate_limited', until });
  });

  test.each<[string, Outcome, output: string]>([
    ['without the line', ended, 'try again later\n'],
    ['the line within another', ended, `he said ${UNTIL}\n`],
    ['another exit code', { ...ended, exitCode: 1 }, UNTIL],
    ['a success', { ...ended, state: 'completed', reason: 'ok', exitCode: 0 }, UNTIL],
    ['stopped meanwhile', { ...ended, state: 'killed', reason: 'person' }, UNTIL],
  ])('%s is what it was', (_, outcome, output) => {
    expect(asOwnLimit(outcome, output)).toBe(outcome);
  });
});
