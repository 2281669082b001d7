// Statuses against a tracker's own states: compared by class on both sides.
import { describe, expect, test } from 'vitest';
import { closeIssue, editIssue, reopenIssue } from '../support/github-server/people.ts';
import { findIssue } from '../support/linear-server/records.ts';
import { type LinearMirror, openGithubMirror, openLinearMirror } from './server-mirror.ts';

let rig: LinearMirror;

const stateOf = (ref: string) => {
  const { stateId } = findIssue(rig.server.state, ref)!;
  return rig.server.state.states.find(({ id }) => id === stateId)!;
};

async function openStarted(): Promise<string> {
  rig = await openLinearMirror();
  const ref = rig.server.person.addIssue({ title: 'One', state: 'In Progress' });
  await rig.run();
  rig.server.tick(1000);
  return ref;
}

for (const pull of [true, false])
  test(`M7: done here while upstream goes In Progress → In Review is no conflict (pull: ${pull})`, async () => {
    const ref = await openStarted();
    rig.server.person.editIssue(ref, { state: 'In Review' });
    await rig.room.call('complete', { ref: rig.taskOf(ref) });
    expect(await rig.run({ pull })).toMatchObject({ conflicts: 0, pushed: 1, error: null });
    expect(stateOf(ref).type).toBe('completed');
    expect(rig.side(ref).status).toBe('done');
    await rig.assertQuiet();
  });

test('M7: a state that is renamed upstream is no change of status', async () => {
  const ref = await openStarted();
  stateOf(ref).name = 'Underway';
  rig.server.person.editIssue(ref, { title: 'Two' });
  await rig.room.call('complete', { ref: rig.taskOf(ref) });
  expect(await rig.run()).toMatchObject({ conflicts: 0, pushed: 1, error: null });
  expect(stateOf(ref).type).toBe('completed');
  expect(rig.side(ref)).toMatchObject({ status: 'done', title: 'Two' });
  await rig.assertQuiet();
});

test('GitHub: done here while the issue was closed and opened again upstream is no conflict', async () => {
  const github = await openGithubMirror();
  const ref = await github.mirrored({ title: 'One' });
  const issue = github.issue(ref);
  github.tick();
  closeIssue(github.server.state, issue);
  reopenIssue(github.server.state, issue);
  await github.room.call('complete', { ref: github.taskOf(ref) });
  expect(await github.run()).toMatchObject({ conflicts: 0, pushed: 1, error: null });
  expect(github.issue(ref)).toMatchObject({ state: 'closed', stateReason: 'completed' });
  expect(github.side(ref).status).toBe('done');
  await github.assertQuiet();
});

for (const [here, first, then] of [
  ['canceled', 'not_planned', 'duplicate'],
  ['canceled', 'duplicate', 'not_planned'],
] as const)
  test(`GitHub: ${first} that becomes ${then} upstream stays ${here} here, and is not written back`, async () => {
    const github = await openGithubMirror();
    const ref = await github.mirrored({ title: 'One' });
    const issue = github.issue(ref);
    github.tick();
    closeIssue(github.server.state, issue, first);
    await github.run();
    expect(github.side(ref).status).toBe(here);
    github.tick();
    closeIssue(github.server.state, issue, then);
    editIssue(github.server.state, issue, { title: 'Two' });
    expect(await github.run()).toMatchObject({ conflicts: 0, pushed: 0, error: null });
    expect(github.side(ref)).toMatchObject({ status: here, title: 'Two' });
    expect(github.issue(ref).stateReason).toBe(then);
    await github.assertQuiet();
  });

test('GitHub: canceled here while somebody closed it as a duplicate: theirs stands, and is no conflict', async () => {
  const github = await openGithubMirror();
  const ref = await github.mirrored({ title: 'One' });
  const issue = github.issue(ref);
  github.tick();
  closeIssue(github.server.state, issue, 'duplicate');
  await github.room.call('cancel', { ref: github.taskOf(ref) });
  expect(await github.run()).toMatchObject({ conflicts: 0, error: null });
  expect(github.issue(ref).stateReason).toBe('duplicate');
  expect(github.side(ref).status).toBe('canceled');
  await github.assertQuiet();
});

describe('a status of the room’s own that a chore has a state for', () => {
  const statuses = { review: 'doing', shipped: 'done', polish: 'doing' } as const;
  const options = { states: { review: 'In Review', shipped: ' done ' } };

  async function openMapped(): Promise<string> {
    rig = await openLinearMirror({ options });
    rig.room.settings.statuses = statuses;
    const ref = rig.server.person.addIssue({ title: 'One', state: 'In Review' });
    await rig.run();
    rig.server.tick(1000);
    return ref;
  }
  const word = (ref: string) => /^status: (.*)$/m.exec(rig.room.read(rig.pathOf(ref)))![1];
  const set = (ref: string, status: string) => rig.room.call('set', { ref: rig.taskOf(ref), status });

  test('comes in and goes up by the name of the state', async () => {
    const ref = await openMapped();
    expect(word(ref)).toBe('review');
    await rig.assertQuiet();
    rig.server.person.editIssue(ref, { state: 'In Progress' });
    await rig.run();
    expect(word(ref)).toBe('doing');
    rig.server.tick(1000);
    await set(ref, 'review');
    expect(await rig.run()).toMatchObject({ pushed: 1, conflicts: 0, error: null });
    expect(stateOf(ref).name).toBe('In Review');
    await rig.assertQuiet();
    await set(ref, 'shipped');
    await rig.run();
    expect(stateOf(ref)).toMatchObject({ name: 'Done', type: 'completed' });
    expect(word(ref)).toBe('shipped');
    await rig.assertQuiet();
  });

  test('is a conflict where both sides have another', async () => {
    const ref = await openMapped();
    rig.server.person.editIssue(ref, { state: 'In Progress' });
    await set(ref, 'shipped');
    expect(await rig.run()).toMatchObject({ conflicts: 1, error: null });
    expect(word(ref)).toBe('doing');
    expect(stateOf(ref).name).toBe('In Progress');
  });

  test('that has none is what it counts as, and stays as it is while that does', async () => {
    const ref = await openMapped();
    await set(ref, 'polish');
    expect(await rig.run()).toMatchObject({ pushed: 1, error: null });
    expect(stateOf(ref).name).toBe('In Progress');
    expect(word(ref)).toBe('polish');
    await rig.assertQuiet();
  });

  test('goes up with the issue that is made of a task', async () => {
    await openMapped();
    const { id } = await rig.room.call('create', { title: 'Two', status: 'review' });
    await rig.sync.publish(id, 'web', new AbortController().signal);
    const made = rig.server.state.issues.find(({ title }) => title === 'Two')!;
    expect(rig.server.state.states.find(({ id: each }) => each === made.stateId)!.name).toBe('In Review');
    await rig.assertQuiet();
  });

  test('and is unknown to the room is a fault of the chore', async () => {
    rig = await openLinearMirror({ options });
    expect((await rig.run()).error).toMatchObject({ message: expect.stringContaining('review') });
  });
});
