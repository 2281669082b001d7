import { expect, test } from 'vitest';
import { readEpoch, readLimitEnd } from '../../../src/agents/command/reading/trouble.ts';

const NOW = Date.UTC(2026, 10, 22, 3, 0, 0);
const at = (words: string, zone = 'UTC'): string | null => {
  const end = readLimitEnd(words, { now: NOW, zone });
  return end === null ? null : new Date(end).toISOString();
};

test.each([
  // As the programs themselves said it.
  ["You've hit your session limit · resets 4:21am (UTC)", '2026-11-22T04:21:00.000Z'],
  ["You've hit your weekly limit · resets Nov 27, 4am (Europe/Berlin)", '2026-11-27T03:00:00.000Z'],
  [
    'You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at 4:21 AM.',
    '2026-11-22T04:21:00.000Z',
  ],
  ['or try again at Nov 27th, 2026 4:21 PM.', '2026-11-27T16:21:00.000Z'],
  ['You exceeded your current quota. Please retry in 9936s.', '2026-11-22T05:45:36.000Z'],
  ['Please retry in 1h2m3.5s.', '2026-11-22T04:02:03.500Z'],
  ['Claude AI usage limit reached|1795339552', '2026-11-22T09:25:52.000Z'],
  // Other ways to say it.
  ['try again in 3 days 4 hours 5 minutes', '2026-11-25T07:05:00.000Z'],
  ['Rate limited. Retry after 30 seconds', '2026-11-22T03:00:30.000Z'],
  ['rate limit, try again in 250ms', '2026-11-22T03:00:00.250Z'],
  ['limit resets at 2026-11-22T09:00:00Z', '2026-11-22T09:00:00.000Z'],
  ['resets 2am (UTC)', '2026-11-23T02:00:00.000Z'],
  ['resets 12am', '2026-11-23T00:00:00.000Z'],
  ['resets at 16:21', '2026-11-22T16:21:00.000Z'],
])('%s', (words, end) => {
  expect(at(words)).toBe(end);
});

test.each([
  ...['The usage limit has been reached', 'resets soon', 'try again at 25:70', 'resets Feb 31, 4am'],
  ...['try again in a while', 'failed at 12 of 30 files', 'limit resets at 2026-11-20T09:00:00Z'],
  ...['limit resets at 2031-11-20T09:00:00Z', ''],
])('%s: no time is told', (words) => {
  expect(at(words)).toBeNull();
});

test('a time without a zone counts in the zone of the machine, over a change of its clocks too', () => {
  expect(at('try again at 4:21 AM', 'America/New_York')).toBe('2026-11-22T09:21:00.000Z');
  const before = Date.UTC(2027, 2, 27, 23);
  expect(readLimitEnd('resets 3am', { now: before, zone: 'Europe/Berlin' })).toBe(Date.UTC(2027, 2, 28, 1));
});

test('a number is a moment in seconds or milliseconds, when it can be the end of a limit', () => {
  const clock = { now: NOW, zone: 'UTC' };
  expect(readEpoch(1_795_339_552, clock)).toBe(1_795_339_552_000);
  expect(readEpoch(1_795_339_552_000, clock)).toBe(1_795_339_552_000);
  for (const value of [0, -1, Number.NaN, '1795339552', null, NOW - 1, 9e15])
    expect(readEpoch(value, clock)).toBeNull();
});
