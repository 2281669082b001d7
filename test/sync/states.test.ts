// Statuses against a tracker's own states: compared by class on both sides.
import { expect, test } from 'vitest';
import { findIssue } from '../support/linear-server/records.ts';
import { PERSON } from '../tasks/test-room.ts';
import { type LinearMirror, openLinearMirror } from './server-mirror.ts';

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
    await rig.room.tasks.setStatus(rig.taskOf(ref), 'done', PERSON);
    expect(await rig.run({ pull })).toMatchObject({ conflicts: 0, pushed: 1, error: null });
    expect(stateOf(ref).type).toBe('completed');
    expect(rig.side(ref).status).toBe('done');
    await rig.assertQuiet();
  });

test('M7: a state that is renamed upstream is no change of status', async () => {
  const ref = await openStarted();
  stateOf(ref).name = 'Underway';
  rig.server.person.editIssue(ref, { title: 'Two' });
  await rig.room.tasks.setStatus(rig.taskOf(ref), 'done', PERSON);
  expect(await rig.run()).toMatchObject({ conflicts: 0, pushed: 1, error: null });
  expect(stateOf(ref).type).toBe('completed');
  expect(rig.side(ref)).toMatchObject({ status: 'done', title: 'Two' });
  await rig.assertQuiet();
});
