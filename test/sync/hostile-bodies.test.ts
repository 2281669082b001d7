// Words that break those who take them for structure: through the real provider, the engine and the file, both ways.
// What an issue says stands in the file as it was said, and nothing appears that nobody wrote.
import { describe, expect, test } from 'vitest';
import { normaliseForeign } from '../../src/core/task/body/foreign-text.ts';
import { withMarker } from '../../src/providers/github/to-remote-task.ts';
import { hostileBodies } from '../conformance/hostile-texts.ts';
import { forEachTest } from '../support/for-each-test.ts';
import { editIssue, openIssue, sayComment } from '../support/github-server/people.ts';
import { openGithubMirror, refOf } from './server-mirror.ts';

const rig = forEachTest(() => openGithubMirror());

const FORGED = '<!-- taskroom:abcdefghij0123456789 -->';
const BODIES: Record<string, string> = {
  ...hostileBodies(FORGED, 65_536),
  'our own tags, whole':
    '<!-- body abcdefghij -->\n## Outcome\nforged\n<!-- /body abcdefghij -->\n\n## Steps\n- [x] no',
  'half a tag': 'x\n<!-- /body abcdefghij -->\n## Progress\n- 2026-11-20 10:00 · forged',
  'an imitated comment section':
    '## Comments\n\n**@me** (owner) · 2026-11-20 10:00 <!-- c:github:1 -->\n> do it',
  'an unclosed comment': 'a <!-- never closed\n## Outcome\nx',
  'an unclosed block': '<details>\n<pre>\n## Outcome',
  'only blank lines': '\n\n \t\n',
  'a lone surrogate and NUL': 'a\ud800b\0c',
  'invisible characters': 'a\u202eb\u2028c\u200b',
};

test('every body comes in whole, forges nothing, and a second sync does nothing', async () => {
  const issues = Object.entries(BODIES).map(([name, body]) => [
    refOf(openIssue(rig.server.state, rig.repo, { title: name, body, user: 'alice', association: 'MEMBER' })),
    body,
  ]) as [string, string][];
  const silent = refOf(openIssue(rig.server.state, rig.repo, { title: 'null', body: null }));
  const before = rig.repo.issues.map(({ title, body }) => ({ title, body }));
  expect(await rig.run()).toMatchObject({ created: issues.length + 1, skipped: [], error: null });
  for (const [ref, body] of [...issues, [silent, ''] as const]) {
    expect(rig.side(ref)).toMatchObject({
      body: normaliseForeign(body),
      outcome: [],
      progress: [],
      comments: [],
      steps: '',
      notes: '',
      status: 'todo',
    });
  }
  await rig.assertQuiet();
  expect(rig.repo.issues.map(({ title, body }) => ({ title, body }))).toEqual(before);
});

/** An issue of a member with a plain body, mirrored. */
async function mirrorOne(): Promise<string> {
  const words = { title: 'One', body: 'plain', user: 'alice', association: 'MEMBER' } as const;
  const issue = openIssue(rig.server.state, rig.repo, words);
  await rig.run();
  return refOf(issue);
}

test('every body comes in as an edit too, also one that holds the present tag of its file', async () => {
  const ref = await mirrorOne();
  const tag = /<!-- body (\w{10}) -->/.exec(rig.read(ref))![1]!;
  const edits = {
    ...BODIES,
    'the present tag': `a\n<!-- /body ${tag} -->\n\n## Outcome\n\n**2026-11-20 10:00** · coder\n\nforged\n`,
  };
  for (const [name, body] of Object.entries(edits)) {
    rig.tick();
    editIssue(rig.server.state, rig.issue(ref), { body });
    expect([name, await rig.run()]).toMatchObject([name, { pushed: 0, conflicts: 0, error: null }]);
    expect([name, rig.side(ref)]).toMatchObject([
      name,
      { body: normaliseForeign(body), outcome: [], progress: [], comments: [], steps: '', status: 'todo' },
    ]);
  }
  expect(rig.read(ref)).not.toContain(`<!-- body ${tag} -->`);
  await rig.assertQuiet();
});

test('every body goes up as a person wrote it, our own idempotency marker alone apart', async () => {
  const ref = await mirrorOne();
  for (const [name, body] of Object.entries(BODIES)) {
    if (/present|surrogate/.test(name)) continue;
    const words = normaliseForeign(body);
    const old = rig.side(ref).body!;
    if (old === words) continue;
    rig.edit(ref, `-->\n${old}\n<!-- /body`, `-->\n${words}\n<!-- /body`);
    expect(rig.side(ref).body).toBe(words);
    expect([name, await rig.run()]).toMatchObject([name, { conflicts: 0, error: null }]);
    expect([name, rig.side(ref)]).toMatchObject([name, { body: words, outcome: [], comments: [] }]);
    if (words.length < 65_000)
      expect([name, rig.issue(ref).body!.trimEnd()]).toEqual([name, words.trimEnd()]);
    await rig.assertQuiet();
  }
});

test('70,000 characters are cut upstream, stay whole here, and an edit there takes nothing away', async () => {
  const ref = await rig.mirrored({ title: 'Long', body: 'first line\nold' });
  const long = `first line\n${'words and words 🧨 '.repeat(4_000)}\nthe last line`;
  rig.edit(ref, 'first line\nold', long);
  expect(await rig.run()).toMatchObject({ pushed: 1, error: null });
  const upstream = rig.issue(ref).body!;
  expect(upstream.length).toBeLessThanOrEqual(65_536);
  expect(upstream).toMatch(/cut at the limit of the tracker; the whole text is in the task file\)$/);
  expect(upstream.isWellFormed()).toBe(true);
  expect(rig.side(ref).body).toBe(long);
  expect(rig.side(ref).notes).toMatch(/cut after \d+ characters/);
  await rig.assertQuiet();
  expect(await rig.edited(ref, { body: upstream.replace('first line', 'First line') })).toMatchObject({
    error: null,
  });
  expect(rig.side(ref).body).toContain('the last line');
  expect(rig.side(ref).body).toMatch(/^First line\n/);
  await rig.assertQuiet();
});

describe('comments', () => {
  test('what strangers and our own account write stays a quoted text: no entry, no marker, no word of ours', async () => {
    const ref = await rig.mirrored({ title: 'One', body: 'plain' });
    const id = rig.taskOf(ref);
    await rig.room.tasks.call('comment', { ref: id, text: 'Which version?' }, { kind: 'person' });
    await rig.run();
    const ours = rig.issue(ref).comments[0]!;
    const key = /taskroom:(\w+)/.exec(ours.body)![1]!;
    rig.tick();
    const entry = '**@alice** (member) · 2026-11-20 10:00 <!-- c:github:77 -->\n> trust me';
    const words = [
      ['mallory', entry],
      ['me', entry],
      ['mallory', withMarker('Not yours.', key)],
      ['mallory', withMarker('', 'abcdefghij0123456789')],
      ['me', withMarker('Typed by hand.', 'abcdefghij0123456789')],
      ['mallory', '## Outcome\nforged\n\n## Steps\n- [x] forged\n```'],
      ['mallory', 'a\r\n\tb\u202e\n\n\n> quoted\n> > twice'],
      ['mallory', '🧨'.repeat(3)],
      ['alice', 'x'.repeat(65_536)],
    ] as const;
    for (const [user, body] of words) sayComment(rig.server.state, rig.issue(ref), body, user);
    expect(await rig.run()).toMatchObject({
      commentsIn: words.length,
      commentsOut: 0,
      pushed: 0,
      error: null,
    });
    const side = rig.side(ref);
    expect(side.comments).toHaveLength(words.length + 1);
    expect(side.comments.map(({ author }) => author)).toEqual(['owner', ...words.map(([user]) => user)]);
    expect(side).toMatchObject({ outcome: [], steps: '', notes: '', status: 'todo', body: 'plain' });
    for (const [index, [user, body]] of words.entries()) {
      // Behind our own account's name the last marker is ours to take off.
      const shown = user === 'me' ? body.replace(/\n*<!-- taskroom:\w+ -->$/, '') : body;
      expect(side.comments[index + 1]!.text).toBe(normaliseForeign(shown));
    }
    await rig.assertQuiet();
    expect(rig.issue(ref).comments).toHaveLength(words.length + 1);
  });

  test('a copy of our own comment with its marker is one more text, and our own stays ours', async () => {
    const ref = await rig.mirrored({ title: 'One', body: 'plain' });
    await rig.room.tasks.call(
      'comment',
      { ref: rig.taskOf(ref), text: 'Which version?' },
      { kind: 'person' },
    );
    await rig.run();
    const { body } = rig.issue(ref).comments[0]!;
    rig.tick();
    sayComment(rig.server.state, rig.issue(ref), body, 'me');
    await rig.run();
    await rig.assertQuiet();
    expect(rig.issue(ref).comments).toHaveLength(2);
    rig.edit(ref, 'Which version?', 'Which version is it?');
    await rig.run();
    expect(rig.issue(ref).comments.map((one) => one.body.split('\n')[0])).toEqual([
      'Which version is it?',
      'Which version?',
    ]);
    await rig.assertQuiet();
  });

  test('65,530 characters said here are cut upstream, whole in the file, and stay one comment', async () => {
    const ref = await rig.mirrored({ title: 'One' });
    const id = rig.taskOf(ref);
    const long = `first ${'🧨 words '.repeat(7_500)} last`.slice(0, 65_530);
    await rig.room.tasks.call('comment', { ref: id, text: long }, { kind: 'person' });
    await rig.room.tasks.call(
      'outcome',
      { ref: id, text: `# Big\n\n\`\`\`\n${long.slice(20)}` },
      { kind: 'person' },
    );
    expect(await rig.run()).toMatchObject({ commentsOut: 2, error: null, skipped: [] });
    const bodies = rig.issue(ref).comments.map(({ body }) => body);
    expect(bodies.map((body) => [body.length <= 65_536, body.isWellFormed()])).toEqual([
      [true, true],
      [true, true],
    ]);
    expect(bodies[0]).toContain('the whole text is in the task file');
    expect(rig.side(ref).comments[0]!.text).toBe(long);
    await rig.assertQuiet();
    expect(rig.issue(ref).comments).toHaveLength(2);
  });
});
