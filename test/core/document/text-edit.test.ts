import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textEditOf, withTextEdit } from '../../../src/core/document/edits.ts';
import { forAll } from '../../support/for-all.ts';

test.each([
  ['one two three', 'one 2 three', { start: 4, end: 7, text: '2' }],
  ['aaa', 'aa', { start: 2, end: 3, text: '' }],
  ['aa', 'aaa', { start: 2, end: 2, text: 'a' }],
  ['same', 'same', { start: 4, end: 4, text: '' }],
  ['', 'all', { start: 0, end: 0, text: 'all' }],
  ['🙂', '🙃', { start: 1, end: 2, text: '🙃'.slice(1) }],
])('%j to %j is one place', (before, after, edit) => {
  expect(textEditOf(before, after)).toEqual(edit);
  expect(withTextEdit(before, edit)).toBe(after);
});

test('whatever the texts, the edit turns one into the other, through JSON too', () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 });
  forAll(100, text, text, text, text, (head, before, after, tail) => {
    const [from, to] = [head + before + tail, head + after + tail];
    const edit = JSON.parse(JSON.stringify(textEditOf(from, to)));
    expect(withTextEdit(from, edit)).toBe(to);
    expect(edit.text.length).toBeLessThanOrEqual(after.length);
  });
});

test.each([
  { start: 2, end: 1, text: '' },
  { start: 0, end: 4, text: '' },
])('%j is no place of a text of three', (edit) => {
  expect(withTextEdit('abc', edit)).toBeNull();
});
