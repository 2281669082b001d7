// A mirrored file restored from an older version: it does not undo what came from upstream since.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TaskId } from '../../src/core/ids.ts';
import { closeIssue, editIssue, reopenIssue, sayComment } from '../support/github-server/people.ts';
import type { StoredIssue } from '../support/github-server/state.ts';
import { AGENT } from '../tasks/test-room.ts';
import { type GithubMirror, openGithubMirror } from './server-mirror.ts';

let rig: GithubMirror;

const GIT_ENV = {
  ...{ PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_AUTHOR_NAME: 'ann' },
  ...{ GIT_AUTHOR_EMAIL: 'ann@example.org', GIT_COMMITTER_NAME: 'ann' },
  ...{ GIT_COMMITTER_EMAIL: 'ann@example.org' },
};

/** Mirrored, then changed in every way upstream and pulled. @returns the file as it was before that */
async function openChanged(): Promise<{ ref: string; old: string; restore(): void }> {
  rig = await openGithubMirror();
  const ref = await rig.mirrored({ title: 'Old title', body: 'Old body', labels: ['bug'] });
  const issue = rig.issue(ref);
  const old = rig.read(ref);
  rig.tick();
  editIssue(rig.server.state, issue, { title: 'New title', body: 'New body', labels: ['feature'] });
  closeIssue(rig.server.state, issue);
  await rig.run();
  rig.tick();
  const restore = () => writeFileSync(join(rig.room.dir, rig.pathOf(ref)), old);
  return { ref, old, restore };
}

const upstream = (ref: string) => {
  const { title, body, labels, state } = rig.issue(ref);
  return { title, body, labels, state };
};
const NEW = { title: 'New title', body: 'New body', labels: ['feature'], state: 'closed' };

for (const pull of [true, false])
  test(`M11: what was pulled since stands, and the restored words are in the attic (pull: ${pull})`, async () => {
    const { ref, restore } = await openChanged();
    restore();
    expect(await rig.run({ pull })).toMatchObject({ error: null, pushed: 0 });
    expect(upstream(ref)).toEqual(NEW);
    expect(rig.side(ref)).toMatchObject({
      title: 'New title',
      body: 'New body',
      labels: ['feature'],
      status: 'done',
    });
    const { notes } = rig.side(ref);
    expect(notes).toContain('An earlier version of this file was restored: the body from upstream stands');
    const kept = [...notes.matchAll(/kept in `([^`]+)`/g)].map(([, path]) =>
      readFileSync(join(rig.room.dir, path!), 'utf8'),
    );
    expect(kept.join('\n')).toContain('Old title');
    expect(kept.join('\n')).toContain('Old body');
    await rig.run();
    await rig.assertQuiet();
  });

test('M11: --force pushes all of it', async () => {
  const { ref, restore } = await openChanged();
  restore();
  await rig.run({ force: true });
  expect(upstream(ref)).toEqual({ title: 'Old title', body: 'Old body', labels: ['bug'], state: 'open' });
});

test('M11: a value that went up from here and is changed back is an edit, and goes up', async () => {
  rig = await openGithubMirror();
  const ref = await rig.mirrored({ title: 'Old title' });
  const old = rig.read(ref);
  await rig.room.call('set', { ref: rig.taskOf(ref), keys: { title: 'New title' } });
  await rig.run();
  expect(rig.issue(ref).title).toBe('New title');
  writeFileSync(join(rig.room.dir, rig.pathOf(ref)), old);
  await rig.run();
  expect(rig.issue(ref).title).toBe('Old title');
  expect(rig.side(ref).notes).toBe('');
});

/** Mirrored; then one thing changed upstream and pulled. */
async function openPulled(change: (issue: StoredIssue) => void): Promise<string> {
  rig = await openGithubMirror();
  const ref = await rig.mirrored({ title: 'Old title', labels: ['bug'] });
  const issue = rig.issue(ref);
  rig.tick();
  change(issue);
  await rig.run();
  rig.tick();
  return ref;
}

const EXPLICIT = {
  'a reopen of what was closed upstream': {
    change: (issue: StoredIssue) => closeIssue(rig.server.state, issue),
    act: (task: string) => rig.room.call('set', { ref: task, status: 'todo' }),
    now: { state: 'open' },
  },
  'a title set back': {
    change: (issue: StoredIssue) => editIssue(rig.server.state, issue, { title: 'New title' }),
    act: (task: string) => rig.room.call('set', { ref: task, keys: { title: 'Old title' } }),
    now: { title: 'Old title' },
  },
  'a label taken off and a title set back': {
    change: (issue: StoredIssue) =>
      editIssue(rig.server.state, issue, { title: 'New title', labels: ['bug', 'feature'] }),
    act: async (task: string) => {
      await rig.room.call('set', { ref: task, keys: { title: 'Old title' } });
      await rig.room.call('set', { ref: task, keys: { labels: 'bug' } });
    },
    now: { title: 'Old title', labels: ['bug'] },
  },
  'a value that a person types back in an editor': {
    change: (issue: StoredIssue) => closeIssue(rig.server.state, issue),
    act: async (task: string) => {
      const path = rig.room.deps.ledger.tasks.get(task as TaskId)!.path!;
      rig.room.save(path.slice('tasks/'.length), rig.room.read(path).replace('status: done', 'status: todo'));
    },
    now: { state: 'open' },
  },
};

for (const [what, { change, act, now }] of Object.entries(EXPLICIT))
  for (const waitMs of [0, 3_600_000])
    test(`M11: ${what} is no restore, though the file is as it was once (after ${waitMs} ms)`, async () => {
      const ref = await openPulled(change);
      await act(rig.taskOf(ref));
      rig.room.later(waitMs);
      await rig.run();
      expect(rig.issue(ref)).toMatchObject(now);
      expect(rig.side(ref).notes).toBe('');
      await rig.assertQuiet();
    });

test('M11: an agent that says done again after a reopening upstream has said it', async () => {
  const ref = await openPulled(() => {});
  for (let round = 0; round < 3; round += 1) {
    await rig.room.call('complete', { ref: rig.taskOf(ref) }, AGENT);
    await rig.run();
    expect(rig.issue(ref).state).toBe('closed');
    rig.tick();
    reopenIssue(rig.server.state, rig.issue(ref));
    await rig.run();
    expect(rig.side(ref).status).toBe('todo');
    rig.tick();
  }
});

test('M11: a copy that kept its old time undoes nothing, also where one value alone differs', async () => {
  rig = await openGithubMirror();
  const ref = await rig.mirrored({});
  const issue = rig.issue(ref);
  const path = join(rig.room.dir, rig.pathOf(ref));
  cpSync(path, `${path}.bak`, { preserveTimestamps: true });
  rig.tick();
  closeIssue(rig.server.state, issue);
  await rig.run();
  cpSync(`${path}.bak`, path, { preserveTimestamps: true });
  await rig.run();
  expect(rig.issue(ref).state).toBe('closed');
  expect(rig.side(ref).status).toBe('done');
});

/** Mirrored, and committed as it came. */
async function openCommitted() {
  rig = await openGithubMirror();
  const { dir } = rig.room;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, stdio: 'pipe', env: GIT_ENV });
  const ref = await rig.mirrored({ body: 'Old body' });
  const issue = rig.issue(ref);
  git('init', '-q');
  git('add', 'tasks');
  git('commit', '-qm', 'first');
  rig.tick();
  return { git, issue, ref, path: rig.pathOf(ref), old: rig.read(ref) };
}

test('M11: git checkout undoes nothing, also where one value alone differs; an edit to the same bytes does', async () => {
  const { git, issue, ref, path, old } = await openCommitted();
  closeIssue(rig.server.state, issue);
  await rig.run();
  git('checkout', '--', path);
  expect((await rig.run({ dryRun: true })).plan.join('\n')).not.toContain('push');
  await rig.run();
  expect(rig.issue(ref).state).toBe('closed');
  expect(rig.side(ref).status).toBe('done');
  rig.room.save(path.slice('tasks/'.length), rig.read(ref).replace('status: done', 'status: todo'));
  await rig.run();
  expect(rig.issue(ref).state).toBe('open');
  rig.tick();
  closeIssue(rig.server.state, issue);
  await rig.run();
  expect(rig.side(ref).status).toBe('done');
  rig.room.save(path.slice('tasks/'.length), old);
  await rig.run();
  expect(rig.issue(ref).state).toBe('open');
});

for (const how of ['copy', 'checkout', 'restore --source'])
  test(`M11: a comment that came meanwhile hides no restore (${how})`, async () => {
    const { git, issue, ref, path, old } = await openCommitted();
    editIssue(rig.server.state, issue, { body: 'New body' });
    closeIssue(rig.server.state, issue);
    sayComment(rig.server.state, issue, 'Done there.');
    await rig.run();
    if (how === 'copy') writeFileSync(join(rig.room.dir, path), old);
    if (how === 'checkout') git('checkout', '--', path);
    if (how === 'restore --source') {
      git('commit', '-qam', 'second');
      git('restore', '--source', 'HEAD~1', path);
    }
    expect(await rig.run()).toMatchObject({ error: null, pushed: 0 });
    expect(rig.issue(ref)).toMatchObject({ body: 'New body', state: 'closed' });
    expect(rig.side(ref)).toMatchObject({ body: 'New body', status: 'done' });
    await rig.run();
    await rig.assertQuiet();
  });
