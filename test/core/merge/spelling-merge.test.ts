// Two spellings of one text, an edit on each side: both edits arrive on both sides, and no other letter changes.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeSpellings } from '../../../src/core/merge/spelling-merge.ts';
import { normalise } from '../../../src/providers/linear/normalise.ts';
import { forAll } from '../../support/for-all.ts';
import { rewriteMarkdown } from '../../support/linear-server/rewrite-markdown.ts';
import { numberedMarkdown } from '../../support/numbered-markdown.ts';

const lineOf = (text: string, word: string): number =>
  text.split('\n').findIndex((line) => line.includes(word));

test('M1: of random markdown only the edited lines change, on both sides', () => {
  let merged = 0;
  forAll(400, numberedMarkdown, fc.nat(), fc.nat(), ({ text: localBase, words }, a, b) => {
    fc.pre(words.length > 1);
    const [mine, yours] = [words[a % words.length]!, words[b % words.length]!];
    const remoteBase = rewriteMarkdown(localBase);
    const edit = (text: string, word: string, by: string) => text.replace(word, `${word} edited_${by}`);
    const local = edit(localBase, mine, 'here');
    const remote = edit(remoteBase, yours, 'there');
    const apart = Math.min(
      ...[localBase, remoteBase].map((text) => Math.abs(lineOf(text, mine) - lineOf(text, yours))),
    );
    const both = mergeSpellings({ localBase, remoteBase, local, remote }, normalise);
    if (apart < 2) return;
    merged += 1;
    // The edited line itself comes as its editor spelled it.
    const unedited = (text: string | undefined, word: string) =>
      text?.split('\n').map((line) => (line.includes(word) ? `${word} ${line.includes('edited')}` : line));
    const [here, there] = [edit(local, yours, 'there'), edit(remote, mine, 'here')];
    expect(unedited(both?.local, yours)).toEqual(unedited(here, yours));
    expect(unedited(both?.remote, mine)).toEqual(unedited(there, mine));
  });
  expect(merged).toBeGreaterThan(0);
});

test('a line that one side only spells anew keeps what that side says', () => {
  const texts = { localBase: '- a\n\n- b\n\nc', remoteBase: '* a\n* b\n\nc' };
  const both = mergeSpellings({ ...texts, local: '- a\n\n+ b\n\nc', remote: '* a\n* b\n\nd' }, normalise);
  expect(both).toEqual({ local: '- a\n\n+ b\n\nd', remote: '* a\n* b\n\nd' });
});

test('two edits of one line, or of lines that touch, are a conflict', () => {
  const one = { localBase: 'a', remoteBase: 'a', local: 'b', remote: 'c' };
  expect(mergeSpellings(one, normalise)).toBeNull();
  const heading = { localBase: 'Title\n===\ntext', remoteBase: '# Title\n\ntext' };
  const edits = { local: 'Title\n===\ntext here', remote: '# Title there\n\ntext' };
  expect(mergeSpellings({ ...heading, ...edits }, normalise)).toBeNull();
});

test('a piece that each side spells in other lines keeps them while the other side edits elsewhere', () => {
  const texts = { localBase: 'Title\n===\n\na_b\n\nc', remoteBase: '# Title\n\na\\_b\n\nc' };
  const edits = { local: 'Title\n===\n\na_b\n\nd', remote: '# Title\n\na\\_b\n\nc' };
  expect(mergeSpellings({ ...texts, ...edits }, normalise)).toEqual({
    local: edits.local,
    remote: '# Title\n\na\\_b\n\nd',
  });
});
