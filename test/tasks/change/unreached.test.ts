// What is said into a mirrored task's file and will not be seen upstream is said to whoever wrote it (T11).
import { beforeEach, expect, test } from 'vitest';
import { agentIn, toolsOf } from '../../operations/tools/tool-room.ts';
import { rig } from '../each-room.ts';

const TURN = 'b11111111';
const NO_TOKEN = { what: 'GITHUB_TOKEN is not set', set: 'set it and start the daemon again' };

beforeEach(async () => {
  rig.save('Mirror.md', '---\nid: abc12345\nremote: github:acme/web#12\n---\nDo it.\n');
  rig.save('Own.md', '---\nid: own12345\n---\nDo it.\n');
  await rig.call('release', {});
});

const pushes = (write: boolean, comment: boolean) => {
  const missing = write && comment ? [] : [NO_TOKEN];
  rig.deps.mirrorServices = (id) => (id === 'abc12345' ? { write, comment, missing } : null);
};
const unreached = [{ who: 'github:acme/web#12', what: NO_TOKEN.what, how: NO_TOKEN.set }];

test('a comment, progress, an outcome and an end, each by its own service', async () => {
  pushes(true, false);
  expect(await rig.call('comment', { ref: 'Mirror', text: 'Hello.' })).toMatchObject({
    changed: true,
    unreached,
  });
  expect(await rig.call('progress', { ref: 'Mirror', text: 'Half.' })).not.toHaveProperty('unreached');
  pushes(false, true);
  expect(await rig.call('comment', { ref: 'Mirror', text: 'Hello again.' })).not.toHaveProperty('unreached');
  for (const change of [
    () => rig.call('progress', { ref: 'Mirror', text: 'More.' }),
    () => rig.call('outcome', { ref: 'Mirror', text: 'Green.' }),
    () => rig.call('complete', { ref: 'Mirror' }),
  ])
    expect(await change()).toMatchObject({ unreached });
  expect(await rig.call('note', { ref: 'Mirror', text: 'Paused.' }, { kind: 'runtime' })).not.toHaveProperty(
    'unreached',
  );
  expect(await rig.call('comment', { ref: 'Own', text: 'Hello.' })).not.toHaveProperty('unreached');
});

test('a mirror that no chore governs reaches nobody, and an agent is told', async () => {
  rig.runTurn(TURN, 'abc12345');
  const { text } = await toolsOf(agentIn(rig, TURN, 'abc12345'))('comment_task', { text: 'Hello.' });
  expect(text.split('\n')[1]).toBe(
    'It stands in the file and will not reach github:acme/web#12: no chore mirrors this task. run `taskroom chores`, or `taskroom mirror unlink` it',
  );
});
