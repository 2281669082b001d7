// Dependencies and parents (N9): between two issues, between issues and what is not mirrored, and between tasks here;
// a task that waits is not run, and is woken when what it waits for is over on either side.
import { describe, expect, test } from 'vitest';
import { checkBlockers } from '../../src/tasks/doctor/doctor.ts';
import { findTasks } from '../../src/tasks/views/list.ts';
import { closeIssue, editIssue, openIssue, touch } from '../support/github-server/people.ts';
import type { StoredIssue } from '../support/github-server/state.ts';
import { failureOf } from '../tasks/test-room.ts';
import {
  type GithubMirror,
  type LinearMirror,
  openGithubMirror,
  openLinearMirror,
  refOf,
} from './server-mirror.ts';

let rig: GithubMirror | LinearMirror;

const memory = (ref: string) => rig.room.deps.ledger.tasks.get(rig.taskOf(ref))!;
const wakes = (ref: string) => rig.room.deps.ledger.wakes.of(rig.taskOf(ref));

describe('GitHub', () => {
  let github: GithubMirror;
  const open = async (...mirror: Parameters<typeof openGithubMirror>): Promise<GithubMirror> => {
    github = await openGithubMirror(...mirror);
    rig = github;
    return github;
  };
  const issue = (title: string, words: Partial<StoredIssue> = {}): StoredIssue =>
    openIssue(github.server.state, github.repo, { title, ...words });

  test('a blocked issue waits, and is woken when its blocker is closed upstream', async () => {
    await open();
    const blocker = issue('Blocker');
    const blocked = refOf(issue('Blocked', { blockedBy: [blocker.id] }));
    await github.run();
    expect(github.side(blocked).blockedBy).toEqual([github.taskOf(refOf(blocker))]);
    expect(memory(blocked)).toMatchObject({ blocked: true });
    expect(await github.room.call('list', { ready: true })).toMatchObject({
      tasks: [{ name: 'Blocker (web#1)' }],
    });
    github.tick();
    closeIssue(github.server.state, blocker);
    await github.run();
    expect(memory(blocked)).toMatchObject({ blocked: false });
    expect(wakes(blocked)).toEqual(['unblocked']);
    await github.assertQuiet();
  });

  test('an open blocker that is not mirrored blocks, and frees when a whole sync sees it closed', async () => {
    await open({ filter: { labels: ['agent'], assignee: null, state: 'open' } });
    const outside = issue('Outside');
    const blocked = refOf(issue('Blocked', { labels: ['agent'], blockedBy: [outside.id] }));
    await github.run();
    expect(github.side(blocked).blockedBy).toEqual(['task:github:acme/web#1']);
    expect(memory(blocked)).toMatchObject({ blocked: true });
    const { handle } = github.room;
    expect(await checkBlockers(handle, (await findTasks(handle)).tasks)).toMatchObject([
      { state: 'warn', text: expect.stringContaining('acme/web#1, which is not mirrored here') },
    ]);
    await github.assertQuiet();
    github.tick();
    closeIssue(github.server.state, outside);
    github.room.later(86_400_000);
    await github.run();
    expect(github.side(blocked).blockedBy).toEqual([]);
    expect(memory(blocked)).toMatchObject({ blocked: false });
  });

  test('a blocker that is mirrored later is found by its reference', async () => {
    await open({ filter: { labels: ['agent'], assignee: null, state: 'open' } });
    const blocker = issue('Blocker');
    const blocked = refOf(issue('Blocked', { labels: ['agent'], blockedBy: [blocker.id] }));
    await github.run();
    github.tick();
    editIssue(github.server.state, blocker, { labels: ['agent'] });
    expect(await github.run()).toMatchObject({ created: 1 });
    expect(memory(blocked)).toMatchObject({ blocked: true });
    await github.assertQuiet();
    const shown = await github.room.call('show', { ref: github.taskOf(blocked) });
    expect(shown.blockers).toMatchObject([{ name: 'Blocker (web#1)', status: 'todo' }]);
    await github.room.call('complete', { ref: github.taskOf(refOf(blocker)) });
    expect(memory(blocked)).toMatchObject({ blocked: false });
    expect(wakes(blocked)).toEqual(['unblocked']);
    expect(await github.room.call('list', { ready: true })).toMatchObject({
      tasks: [{ name: 'Blocked (web#2)' }],
    });
    await github.run();
    await github.assertQuiet();
  });

  test('a command takes an issue for the task that mirrors it', async () => {
    await open();
    const [first, second] = ['First', 'Second'].map((title) => refOf(issue(title)));
    await github.run();
    await github.room.call('set', {
      ref: `task:github:${second}`,
      keys: { blocked_by: `task:github:${first}` },
    });
    expect(github.side(second!).blockedBy).toEqual([github.taskOf(first!)]);
    expect(await github.room.call('show', { ref: `github:${first}` })).toMatchObject({
      name: 'First (web#1)',
    });
    const refused = await failureOf(
      github.room.call('set', { ref: github.taskOf(first!), keys: { blocked_by: `task:github:${second}` } }),
    );
    expect(refused.message).toContain('circle');
  });

  test('what waits for what here goes up where `push:` names it, and comes off again', async () => {
    await open();
    const [first, second] = ['First', 'Second'].map((title) => refOf(issue(title)));
    await github.run();
    const id = github.taskOf(first!);
    await github.room.call('set', { ref: github.taskOf(second!), keys: { blocked_by: id, parent: id } });
    expect(await github.run()).toMatchObject({ pushed: 1, error: null, skipped: [] });
    expect(github.issue(second!)).toMatchObject({
      blockedBy: [github.issue(first!).id],
      parent: github.issue(first!).id,
    });
    await github.assertQuiet();
    await github.room.call('set', { ref: github.taskOf(second!), keys: { blocked_by: '', parent: '' } });
    expect(await github.run()).toMatchObject({ pushed: 1, error: null, skipped: [] });
    expect(github.issue(second!)).toMatchObject({ blockedBy: [], parent: null });
    await github.assertQuiet();
  });

  test('a sub-issue is a subtask: its end wakes the parent’s owner', async () => {
    await open();
    const parent = issue('Parent');
    const child = issue('Child', { parent: parent.id });
    await github.run();
    expect(github.side(refOf(child)).parent).toBe(github.taskOf(refOf(parent)));
    github.tick();
    closeIssue(github.server.state, child);
    await github.run();
    expect(wakes(refOf(parent))).toEqual(['subtask_finished']);
  });

  test('a circle upstream is told by its names', async () => {
    await open();
    const [one, two] = [issue('One'), issue('Two')];
    one.blockedBy = [two.id];
    two.blockedBy = [one.id];
    await github.run();
    const { tasks } = await findTasks(github.room.handle);
    expect(await checkBlockers(github.room.handle, tasks)).toMatchObject([
      { state: 'fail', text: 'a circle: One (web#1) → Two (web#2) → One (web#1)' },
    ]);
    expect(tasks.map(({ blocked }) => blocked)).toEqual([true, true]);
    touch(github.server.state, one);
    await github.assertQuiet();
  });
});

test('Linear: a relation blocks, its end frees, and what waits here goes up', async () => {
  const linear = await openLinearMirror();
  rig = linear;
  const { person } = linear.server;
  const [first, second, third] = ['First', 'Second', 'Third'].map((title) => person.addIssue({ title }));
  person.relate(first!, 'blocks', second!);
  await linear.run();
  expect(linear.side(second!).blockedBy).toEqual([linear.taskOf(first!)]);
  expect(memory(second!)).toMatchObject({ blocked: true });
  await linear.room.call('set', {
    ref: linear.taskOf(third!),
    keys: { blocked_by: linear.taskOf(second!), parent: linear.taskOf(first!) },
  });
  expect(await linear.run()).toMatchObject({ pushed: 1, error: null, skipped: [] });
  await linear.assertQuiet();
  linear.server.tick(1000);
  person.editIssue(first!, { state: 'Done' });
  await linear.run();
  expect(memory(second!)).toMatchObject({ blocked: false, status: 'todo' });
  expect(memory(third!)).toMatchObject({ blocked: true });
  await linear.room.call('complete', { ref: linear.taskOf(second!) });
  expect(memory(third!)).toMatchObject({ blocked: false });
  await linear.run();
  await linear.assertQuiet();
});
