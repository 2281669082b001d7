// Titles, labels, names and fates that break those who take them for paths, YAML or numbers: through the real provider,
// the engine and the file, both ways.
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HOSTILE_LABELS, HOSTILE_TITLES } from '../conformance/hostile-texts.ts';
import { forEachTest } from '../support/for-each-test.ts';
import { deleteIssue, editIssue, openIssue, sayComment } from '../support/github-server/people.ts';
import { addUser } from '../support/github-server/state.ts';
import { openGithubMirror, refOf } from './server-mirror.ts';

const rig = forEachTest(() => openGithubMirror());

const TITLES: Readonly<Record<string, string>> = {
  ...HOSTILE_TITLES,
  'one dot': '.',
  nothing: '',
  'only what no file name may hold': '///:*?"<>|',
  'a backslash path': '..\\..\\windows',
  'a device': 'CON',
  'front matter': '---\nstatus: done\n---',
  'a YAML alias': '*all &all !!js/function',
  'a key and a comment': 'status: done # not',
  'wide characters': '漢'.repeat(120),
  'a joined family': '👩‍👩‍👧‍👦'.repeat(40),
  'text that runs backwards': '\u202egnp.exe',
  'an escape sequence': '\u001b[31mred',
  'surrounded by spaces': '  in the middle  ',
  yes: 'yes',
  null: 'null',
};

const onOneLine = (title: string) => title.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

describe('titles', () => {
  test('every one comes in, in files that stay inside tasks/, and a second sync does nothing', async () => {
    const issues = Object.values(TITLES).map(
      (title) => [refOf(openIssue(rig.server.state, rig.repo, { title })), title] as const,
    );
    expect(await rig.run()).toMatchObject({ created: issues.length, skipped: [], error: null });
    for (const [ref, title] of issues) {
      expect(rig.side(ref).title ?? '').toBe(onOneLine(title));
      expect(rig.pathOf(ref)).toMatch(/^tasks\/[^/\\]*\(web#\d+\)\.md$/);
      expect(rig.pathOf(ref)).not.toMatch(/^tasks\/[. ]|[\p{Cc}<>:"|?*\\]/u);
      expect(Buffer.byteLength(rig.pathOf(ref))).toBeLessThanOrEqual(6 + 255);
    }
    expect(rig.room.names('tasks')).toHaveLength(issues.length);
    expect(rig.room.names('.')).toEqual(expect.arrayContaining(['tasks', 'task_mirrors.json']));
    expect(rig.room.names('..').filter((name) => /passwd|windows/.test(name))).toEqual([]);
    await rig.assertQuiet();
    for (const [ref, title] of issues) expect(rig.issue(ref).title).toBe(title);
  });

  test('every one comes in as an edit, and goes up as a person typed it where GitHub takes it', async () => {
    const ref = await rig.mirrored({ title: 'Plain' });
    for (const [name, title] of Object.entries(TITLES)) {
      rig.tick();
      editIssue(rig.server.state, rig.issue(ref), { title });
      expect([name, await rig.run()]).toMatchObject([name, { pushed: 0, conflicts: 0, error: null }]);
      expect([name, rig.side(ref).title ?? '']).toEqual([name, onOneLine(title)]);
      expect(rig.issue(ref).title).toBe(title);
    }
    // A file that a person named keeps its name, whatever the title.
    renameSync(join(rig.room.dir, rig.pathOf(ref)), join(rig.room.dir, 'tasks/mine.md'));
    await rig.assertQuiet();
    for (const [name, title] of Object.entries(TITLES)) {
      const typed = onOneLine(title);
      if (/^title:/m.test(rig.read(ref))) rig.edit(ref, /^title:.*\n/m, '');
      if (typed !== '') rig.edit(ref, /^status:/m, `title: ${JSON.stringify(typed)}\nstatus:`);
      expect(rig.side(ref).title ?? '').toBe(typed);
      expect([name, await rig.run()]).toMatchObject([name, { conflicts: 0, error: null, skipped: [] }]);
      if (typed !== '') expect(rig.issue(ref).title.length).toBeLessThanOrEqual(256);
      if (typed !== '' && typed.length <= 256) expect(rig.issue(ref).title).toBe(typed);
      expect([name, rig.side(ref).title ?? '']).toEqual([name, typed]);
      expect(await rig.run()).toMatchObject({ pushed: 0, updated: 0 });
    }
    expect(rig.pathOf(ref)).toBe('tasks/mine.md');
    await rig.assertQuiet();
  });
});

test('labels are names and nothing else, both ways', async () => {
  const labels = [
    ...HOSTILE_LABELS,
    ...['yes', 'null', '- item', '*x', '# no', "it's", 'a"b', '~', '1.0', '2026-11-20'],
  ];
  const ref = refOf(openIssue(rig.server.state, rig.repo, { title: 'One', labels }));
  const bare = refOf(openIssue(rig.server.state, rig.repo, { title: 'Two' }));
  await rig.run();
  expect(rig.side(ref).labels).toEqual(labels);
  rig.edit(bare, /^---\n/, `---\nlabels: ${JSON.stringify(labels)}\n`);
  expect(await rig.run()).toMatchObject({ pushed: 1, error: null, skipped: [] });
  expect(rig.issue(bare).labels).toEqual(labels);
  rig.edit(ref, /^labels: .*$/m, 'labels: []');
  expect(await rig.run()).toMatchObject({ pushed: 1, error: null });
  expect(rig.issue(ref).labels).toEqual([]);
  await rig.assertQuiet();
});

test('people with odd names, and nobody, are who they are and no more', async () => {
  const users = [
    ...['dependabot[bot]', 'Ünï-Code', 'a**b** (owner)', 'x\n---\nstatus: done', '<!-- c:1 -->'],
    'o\u202e',
    null,
  ];
  const refs = users.map((user) =>
    refOf(openIssue(rig.server.state, rig.repo, { title: `By ${users.indexOf(user)}`, body: 'b', user })),
  );
  const spoken = refOf(openIssue(rig.server.state, rig.repo, { title: 'Spoken' }));
  for (const user of users) if (user !== null) sayComment(rig.server.state, rig.issue(spoken), 'hello', user);
  expect(await rig.run()).toMatchObject({ created: users.length + 1, skipped: [], error: null });
  for (const ref of refs) expect(rig.side(ref)).toMatchObject({ status: 'todo', paused: true, body: 'b' });
  const { comments, outcome } = rig.side(spoken);
  expect(comments.map(({ role }) => role)).toEqual(comments.map(() => 'none'));
  expect(comments.map(({ author }) => author)).toEqual(
    users.flatMap((user) => (user === null ? [] : [user])),
  );
  expect(outcome).toEqual([]);
  await rig.assertQuiet();
});

test('an assignee whom GitHub does not know is said, and asked for once', async () => {
  const ref = await rig.mirrored({ title: 'One', user: 'alice' });
  rig.edit(ref, /^status:/m, 'assignees: alice, nobody-here\nstatus:');
  const report = await rig.run();
  expect(rig.issue(ref).assignees).toEqual(['alice']);
  expect(report.skipped).toMatchObject([{ ref, why: expect.stringContaining('nobody-here') }]);
  expect(rig.side(ref).assignees).toEqual(['alice', 'nobody-here']);
  await rig.assertQuiet();
});

test.each([
  ['alice, bob', ['alice', 'bob']],
  ['[alice, 1234]', ['alice', '1234']],
  ['1234', ['1234']],
])('assignees typed as %s are people by their logins, numbers too', async (typed, logins) => {
  for (const login of ['alice', 'bob', '1234']) {
    addUser(rig.server.state, login);
    rig.repo.people.set(login, 'MEMBER');
  }
  const ref = await rig.mirrored({ title: 'One', user: 'alice' });
  rig.edit(ref, /^status:/m, `assignees: ${typed}\nstatus:`);
  await rig.run();
  expect(rig.issue(ref).assignees).toEqual(logins);
  await rig.assertQuiet();
});

describe('the end of an issue', () => {
  test('gone while its answer is under way: the file stays, and nothing waits for ever', async () => {
    const [ref] = ['One', 'Two'].map((title) => refOf(openIssue(rig.server.state, rig.repo, { title })));
    await rig.run();
    await rig.room.tasks.call('comment', { ref: rig.taskOf(ref!), text: 'The answer.' }, { kind: 'person' });
    await rig.room.tasks.call('complete', { ref: rig.taskOf(ref!) }, { kind: 'person' });
    deleteIssue(rig.server.state, rig.issue(ref!));
    expect(await rig.run()).toMatchObject({ detached: 1, waiting: 0, error: null });
    expect(rig.read(ref!)).toContain('> The answer.');
    await rig.assertQuiet();
  });

  test('locked: what GitHub refuses is said, nothing is lost, and it goes up when it is unlocked', async () => {
    const ref = refOf(
      openIssue(rig.server.state, rig.repo, { title: 'One', user: 'alice', association: 'MEMBER' }),
    );
    await rig.run();
    rig.server.state.tokens.set('good-token', { login: 'me', access: 'comment' });
    editIssue(rig.server.state, rig.issue(ref), { locked: true });
    await rig.room.tasks.call('comment', { ref: rig.taskOf(ref), text: 'Said here.' }, { kind: 'person' });
    rig.tick();
    const report = await rig.run();
    expect(report).toMatchObject({ commentsOut: 0, error: null });
    expect(report.skipped).toMatchObject([{ ref, what: 'comment', why: expect.stringMatching(/lock/i) }]);
    expect(rig.sync.mirrors()[0]).toMatchObject({ state: 'error', message: expect.stringMatching(/lock/i) });
    rig.tick();
    editIssue(rig.server.state, rig.issue(ref), { locked: false });
    rig.room.later(3_600_000);
    expect(await rig.run()).toMatchObject({ commentsOut: 1, error: null });
    expect(rig.issue(ref).comments.map(({ body }) => body.split('\n')[0])).toEqual(['Said here.']);
    await rig.assertQuiet();
  });
});
