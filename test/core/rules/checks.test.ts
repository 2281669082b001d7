import { describe, expect, it } from 'vitest';
import {
  type CheckResult,
  describeCheck,
  doneCounts,
  endOfFailedChecks,
  failuresBefore,
  rememberedWords,
} from '../../../src/core/rules/checks.ts';

describe('whether a done counts', () => {
  const checks = { state: 'open', commands: 1, isRunning: true } as const;
  it.each([
    ['without checks', { checks: null, isWaived: false }, true],
    ['in a turn whose list is empty', { checks: { ...checks, commands: 0 }, isWaived: false }, true],
    ['in its turn, not checked yet', { checks, isWaived: false }, false],
    ['in its turn, checked', { checks: { ...checks, state: 'passed' }, isWaived: false }, true],
    ['in its turn, after a check failed', { checks: { ...checks, state: 'failed' }, isWaived: false }, false],
    ['outside a turn', { checks: { ...checks, isRunning: false }, isWaived: false }, true],
    [
      'outside a turn, after one that failed',
      { checks: { ...checks, state: 'failed', isRunning: false }, isWaived: false },
      true,
    ],
    [
      'held by a turn that was cut short',
      { checks: { ...checks, state: 'held', isRunning: false }, isWaived: false },
      false,
    ],
    ["by a person's word, whatever runs", { checks: { ...checks, state: 'held' }, isWaived: true }, true],
  ] as const)('%s: %#', (_, facts, counts) => expect(doneCounts(facts)).toBe(counts));
});

it.each([
  ['no turn before', null, 0],
  ['one that failed', { state: 'failed', failures: 2, revision: 'r' }, 2],
  ['one that was cut short after others failed', { state: 'held', failures: 2, revision: 'r' }, 2],
  ['other words', { state: 'failed', failures: 2, revision: 'q' }, 0],
  ['one that passed', { state: 'passed', failures: 0, revision: 'r' }, 0],
  ['one after which it was paused', { state: 'gave_up', failures: 3, revision: 'r' }, 0],
] as const)('rounds are counted on from %s', (_, before, failures) => {
  expect(failuresBefore(before, 'r')).toBe(failures);
});

describe('what a failed round means', () => {
  const failed: CheckResult = { command: 'npm  test\n', ended: 'exit', exitCode: 2, tookMs: 1, output: '' };
  const turn = {
    ...{ state: 'completed' as const, revision: 'r', consumed: null, attempted: null },
    ...{ attempts: 0, now: 1000, random: 0.5 },
  };

  it('asks once more, later each time, and leaves the words unconsumed', () => {
    const first = endOfFailedChecks(turn, { failed, failures: 1, maxRounds: 3 });
    const memory = { consumed: null, attempted: 'r', attempts: 0, retryAt: 11_000 };
    expect(first).toMatchObject({
      reason: 'checks_failed',
      message: 'a check failed: npm test: exit code 2',
      memory,
      pause: null,
    });
    const second = endOfFailedChecks(
      { ...turn, attempted: 'r', attempts: 1 },
      { failed, failures: 2, maxRounds: 3 },
    );
    expect(second.memory).toEqual({ consumed: null, attempted: 'r', attempts: 1, retryAt: 21_000 });
  });

  it('pauses after the last one', () => {
    const last = endOfFailedChecks(turn, { failed, failures: 3, maxRounds: 3 });
    expect(last.memory.retryAt).toBeNull();
    expect(last.pause).toBe(
      'it said done 3 times in a row, and each time a check failed; last npm test: exit code 2',
    );
  });

  it.each([
    ['timed_out', 'took too long'],
    ['output_limit', 'printed too much'],
    ['unstarted', 'could not start'],
  ] as const)('names how a check ended: %s', (ended, words) => {
    expect(describeCheck({ ...failed, command: 'x'.repeat(500), ended })).toBe(
      `${'x'.repeat(119)}…: ${words}`,
    );
  });
});

const base = { known: null, now: ['a'], turnRan: false, isOthers: false };
const known = { said: ['a'], seen: ['a'] };
it.each([
  ['a new file without checks is nothing to remember', { ...base, now: [] }, null],
  ['a new file of the person counts', base, { said: ['a'], seen: ['a'] }],
  ['a new file made while a turn ran does not', { ...base, turnRan: true }, { said: [], seen: ['a'] }],
  ["nor a mirror's or an agent's", { ...base, isOthers: true }, { said: [], seen: ['a'] }],
  ['what stands there still is no news', { ...base, known }, null],
  ['a person changes them', { ...base, known, now: ['b'] }, { said: ['b'], seen: ['b'] }],
  ['a person removes them', { ...base, known, now: [] }, { said: [], seen: [] }],
  ["a person adds them to another's file", { ...base, known: { said: [], seen: [] }, isOthers: true }, known],
  [
    'a change while a turn ran leaves what was said',
    { ...base, known, now: [], turnRan: true },
    { said: ['a'], seen: [] },
  ],
  ['a forged one never counts later by itself', { ...base, known: { said: [], seen: ['a'] } }, null],
  [
    'put back by whomever, all is as it was',
    { ...base, known: { said: ['a'], seen: [] }, turnRan: true },
    known,
  ],
  [
    'the order counts',
    { ...base, known: { said: ['a', 'b'], seen: ['a', 'b'] }, now: ['b', 'a'] },
    { said: ['b', 'a'], seen: ['b', 'a'] },
  ],
])('whose words the checks of a file are: %s', (_, change, remembered) => {
  expect(rememberedWords(change)).toEqual(remembered);
});
