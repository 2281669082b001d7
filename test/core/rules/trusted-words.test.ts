import { expect, it } from 'vitest';
import { rememberedWords } from '../../../src/core/rules/checks.ts';

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
