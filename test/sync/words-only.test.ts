// What goes upstream is said by people and agents; what the runtime notes in a file stays there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TurnId } from '../../src/core/ids.ts';
import { editComment, openIssue } from '../support/github-server/people.ts';
import { addRepo } from '../support/github-server/state.ts';
import { type GithubMirror, openGithubMirror, refOf } from './server-mirror.ts';

let rig: GithubMirror;

const AGENT = { kind: 'agent', agent: 'bob', turn: 't1' as TurnId } as const;

test('M2: neither a pause by the runtime nor how a program ended is told upstream; words are', async () => {
  rig = await openGithubMirror();
  const ref = await rig.mirrored({ title: 'One' });
  const id = rig.taskOf(ref);
  await rig.room.call('pause', { ref: id, reason: 'a runbook has no block to run' }, { kind: 'runtime' });
  await rig.room.call('note', { ref: id, text: 'Failed: exit code 3: /home/ann/.netrc: token ghp_x' }, AGENT);
  await rig.run();
  expect(rig.issue(ref).comments).toEqual([]);
  expect(rig.read(ref)).toContain('Paused: a runbook has no block to run');
  await rig.assertQuiet();

  await rig.room.call('progress', { ref: id, text: 'Found the cause. <!-- note -->' }, AGENT);
  await rig.room.call('pause', { ref: id, reason: 'until Ann is back' });
  await rig.run();
  const [comment, ...others] = rig.issue(ref).comments;
  expect(others).toEqual([]);
  expect(comment!.body).toContain('Found the cause.');
  expect(comment!.body).toContain('Paused: until Ann is back');
  expect(comment!.body).not.toMatch(/runbook|exit code|ghp_x/);
  await rig.assertQuiet();
});

test('M2: an agent can not make its own words a note, nor a note its words', async () => {
  rig = await openGithubMirror();
  const issue = openIssue(rig.server.state, rig.repo, { title: 'One' });
  await rig.run();
  await rig.room.call('note', { ref: rig.taskOf(refOf(issue)), text: '```\nkey=1\n```' }, AGENT);
  await rig.run();
  expect(rig.issue(refOf(issue)).comments).toEqual([]);
});

test('a subtask of a mirrored task stays here: neither it nor the link in the step goes upstream', async () => {
  rig = await openGithubMirror();
  const ref = await rig.mirrored({ title: 'One', body: 'Do it.' });
  const id = rig.taskOf(ref);
  const before = JSON.stringify(rig.issue(ref));
  const count = rig.repo.issues.length;
  const made = await rig.room.call('createSubtask', { ref: id, name: 'Part', description: 'Secret.' });
  expect(rig.read(ref)).toContain(`- [ ] Part (task:${made.id})`);
  await rig.run();
  expect(JSON.stringify(rig.issue(ref))).toBe(before);
  expect(rig.repo.issues.length).toBe(count);
  await rig.assertQuiet();
  await rig.room.call('cancel', { ref: id });
  await rig.run();
  expect(rig.room.read('tasks/Part.md')).toContain('status: canceled');
  expect(rig.issue(ref).comments).toEqual([]);
});

test('agents call nobody at the tracker, and show no picture of this machine, unless the mirror lets them; people may', async () => {
  for (const mentions of [false, true]) {
    rig = await openGithubMirror({ mentions });
    const issue = openIssue(rig.server.state, rig.repo, { title: 'One' });
    const id = await rig.run().then(() => rig.taskOf(refOf(issue)));
    const code = '\n\n```sh\nnpm i @types/node\n```';
    const words = `Ask @alice, @acme/team, not ann@example.org. ![shot](./out/a.png)${code}`;
    await rig.room.call('comment', { ref: id, text: words }, AGENT);
    await rig.room.call('progress', { ref: id, text: '```\n  @alice\n  ```' }, AGENT);
    await rig.room.call('outcome', { ref: id, text: words }, AGENT);
    await rig.room.call('comment', { ref: id, text: 'And you, @bob?' });
    await rig.run();
    const sent = issue.comments.map(({ body }) => body).join('\n');
    expect(sent).toContain('And you, @bob?');
    expect(sent).toContain('ann@example.org');
    expect(sent).toContain('npm i @types/node');
    expect(/@alice|@acme/.test(sent)).toBe(mentions);
    expect(sent.includes('./out/a.png')).toBe(mentions);
    expect(sent.includes('*(picture: shot; it is not sent)*')).toBe(!mentions);
    await rig.assertQuiet();
  }
});

test("no secret leaves in anybody's words", async () => {
  rig = await openGithubMirror();
  const issue = openIssue(rig.server.state, rig.repo, { title: 'One', body: 'Old' });
  const id = await rig.run().then(() => rig.taskOf(refOf(issue)));
  const other = `ghp_${'a1'.repeat(18)}`;
  await rig.room.call('comment', { ref: id, text: `The token is good-token, or ${other}.` });
  await rig.room.call('outcome', { ref: id, text: 'I used good-token.' }, AGENT);
  await rig.room.call('set', { ref: id, keys: { title: 'Rotate good-token', labels: 'good-token' } });
  await rig.run();
  expect(JSON.stringify(issue)).not.toMatch(/good-token|ghp_/);
  expect(issue.title).toBe('Rotate [secret]');
  expect(issue.comments.map(({ body }) => body).join()).toContain('The token is [secret], or [secret].');
  await rig.run();
  await rig.assertQuiet();
});

// Words that a person types upstream into a comment of ours: kept here before the comment is edited.
for (const pull of [true, false])
  test(`M8: words typed into our Progress comment are in the attic and a note names them (pull: ${pull})`, async () => {
    rig = await openGithubMirror();
    const ref = await rig.mirrored({ title: 'One' });
    await rig.room.call('progress', { ref: rig.taskOf(ref), text: 'First step' });
    await rig.run();
    rig.tick();
    const [ours] = rig.issue(ref).comments;
    editComment(rig.server.state, ours!, `${ours!.body}\n\nPlease mind the cookies too.`);
    await rig.room.call('progress', { ref: rig.taskOf(ref), text: 'Second step' });
    await rig.run({ pull });
    expect(rig.issue(ref).comments[0]!.body).toContain('Second step');
    const kept = /is kept in `(\.taskroom\/attic\/[^`]+)`/.exec(rig.side(ref).notes)?.[1];
    expect(readFileSync(join(rig.room.dir, kept!), 'utf8')).toContain('Please mind the cookies too.');
    rig.tick();
    await rig.run();
    await rig.assertQuiet();
  });

// A reference that names another issue than the one that was mirrored: nothing is written to it.
for (const pull of [true, false])
  test(`M3: a repository made anew under the same name gets no word meant for the old one${pull ? '' : ', nor by a push alone'}`, async () => {
    const rig = await openGithubMirror();
    const { state } = rig.server;
    const ref = refOf(openIssue(state, rig.repo, { title: 'Old' }));
    await rig.run();
    const task = rig.taskOf(ref);
    state.repos.delete('acme/web');
    const fresh = openIssue(state, addRepo(state, 'acme/web'), { title: 'New', user: 'me' });
    expect(refOf(fresh)).toBe(ref);
    rig.tick();
    await rig.room.call('comment', { ref: task, text: 'About the old one' });
    await rig.room.call('complete', { ref: task, outcome: 'Solved' });
    expect(await rig.run({ pull })).toMatchObject({ error: null, pushed: 0, commentsOut: 0, detached: 1 });
    expect(fresh).toMatchObject({ state: 'open', comments: [], title: 'New' });
    const view = rig.sync.mirrors().find((one) => one.task === task)!;
    expect(view).toMatchObject({ state: 'detached', message: expect.stringContaining('another issue') });
    expect(await rig.run({ full: true })).toMatchObject({ error: null, pushed: 0, commentsOut: 0 });
    expect(fresh.comments).toEqual([]);
  });
