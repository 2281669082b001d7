import { describe, expect, test } from 'vitest';
import { asOwnLimit } from '../../../src/agents/command/command.ts';
import type { Outcome } from '../../../src/agents/runner.ts';

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
