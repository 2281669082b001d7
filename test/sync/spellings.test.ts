// Bodies that a tracker spells in its own way, edited on both sides: what nobody edited keeps its letters on each side.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forAllAsync } from '../support/for-all.ts';
import { editIssue } from '../support/github-server/people.ts';
import { findIssue } from '../support/linear-server/records.ts';
import { numberedMarkdown } from '../support/numbered-markdown.ts';
import { type LinearMirror, openGithubMirror, openLinearMirror } from './server-mirror.ts';

const OURS = [
  ...['- run `get_user_name()` first', '- then see https://example.com/a_b', '', 'one', ''],
  'two _slanted_',
].join('\n');

const said = (linear: LinearMirror, ref: string): string =>
  findIssue(linear.server.state, ref)!.description ?? '';

/** A mirror whose body was typed here, so that Linear's spelling is another one. */
async function typedHere(body: string): Promise<{ linear: LinearMirror; ref: string }> {
  const linear = await openLinearMirror();
  const ref = linear.server.person.addIssue({ title: 'One', description: 'plain' });
  await linear.run();
  linear.edit(ref, '-->\nplain\n<!-- /body', `-->\n${body}\n<!-- /body`);
  await linear.run();
  return { linear, ref };
}

test('M1: two edits in different lines, one on each side, leave every other letter alone on both', async () => {
  const { linear, ref } = await typedHere(OURS);
  const before = said(linear, ref);
  expect(before).not.toBe(OURS);
  linear.server.tick(1000);
  linear.server.person.editIssue(ref, { description: before.replace('one', 'one there') });
  linear.edit(ref, 'two _slanted_', 'two _slanted_ here');
  expect(await linear.run()).toMatchObject({ conflicts: 0, error: null });
  expect(linear.side(ref).body).toBe(
    OURS.replace('one', 'one there').replace('two _slanted_', 'two _slanted_ here'),
  );
  expect(said(linear, ref)).toBe(
    before.replace('one', 'one there').replace('two *slanted*', 'two *slanted* here'),
  );
  await linear.assertQuiet();
});

test('M1: an edit upstream alone changes one line of the file', async () => {
  const { linear, ref } = await typedHere(OURS);
  linear.server.tick(1000);
  linear.server.person.editIssue(ref, { description: said(linear, ref).replace('one', 'one there') });
  expect(await linear.run()).toMatchObject({ updated: 1, pushed: 0, conflicts: 0 });
  expect(linear.side(ref).body).toBe(OURS.replace('one', 'one there'));
  await linear.assertQuiet();
});

test('M1: whatever the markdown, unedited lines are byte-equal after edits on both sides', async () => {
  const { linear, ref } = await typedHere('start');
  const bodyOf = () => linear.side(ref).body!;
  const words = (text: string) => text.split('\n').map((line) => (/edited/.test(line) ? 'edited' : line));
  await forAllAsync(12, numberedMarkdown, async ({ text, words: all }) => {
    fc.pre(all.length > 2);
    linear.edit(ref, `-->\n${bodyOf()}\n<!-- /body`, `-->\n${text}\n<!-- /body`);
    await linear.run();
    const [here, there] = [bodyOf(), said(linear, ref)];
    const [mine, yours] = [all[0]!, all.at(-1)!];
    const edit = (old: string, word: string) => old.replace(word, `${word} edited`);
    linear.server.tick(1000);
    linear.server.person.editIssue(ref, { description: edit(there, yours) });
    linear.edit(ref, mine, `${mine} edited`);
    expect(await linear.run()).toMatchObject({ error: null, conflicts: 0 });
    expect(words(bodyOf())).toEqual(words(edit(edit(here, mine), yours)));
    expect(words(said(linear, ref))).toEqual(words(edit(edit(there, mine), yours)));
  });
  await linear.assertQuiet();
});

test("M1: a browser's line ends on GitHub stay, and none come into the file", async () => {
  const github = await openGithubMirror();
  const ref = await github.mirrored({ body: 'one\r\n\r\ntwo\r\n\r\nthree' });
  const issue = github.issue(ref);
  github.tick();
  github.edit(ref, 'two', 'two here');
  editIssue(github.server.state, issue, { body: 'one\r\n\r\ntwo\r\n\r\nthree there' });
  await github.run();
  expect(github.issue(ref).body).toBe('one\r\n\r\ntwo here\r\n\r\nthree there');
  expect(github.side(ref).body).toBe('one\n\ntwo here\n\nthree there');
  await github.assertQuiet();
});
