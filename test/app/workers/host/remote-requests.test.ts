// What the agent of a turn on another machine may not ask of the room, however its request is written.
import { beforeEach, expect, test } from 'vitest';
import { forEachTest } from '../../../support/for-each-test.ts';
import { openBridgeRig, TURN } from '../../bridge/bridge-rig.ts';

const AGENTS = { runbook: { runner: 'command', preset: 'claude', permissions: 'run' } };
const rig = forEachTest(() => openBridgeRig('abc12345', AGENTS));
beforeEach(async () => {
  rig.room.daemon = true;
  await rig.open(TURN, true);
});

const INPUT = '"input":{"ref":"One","command":"echo ran"}';

test.each([
  ['plainly', `"op":"startJob",${INPUT}`],
  ['with an escape in its key', `"\\u006fp":"startJob",${INPUT}`],
  ['with an escape in its name', `"op":"start\\u004aob",${INPUT}`],
  ['behind another', `"op":"show","op":"startJob",${INPUT}`],
])('a job asked for %s is not started beside the room', async (_how, asked) => {
  const text = `{"key":"key00000001","token":"${rig.token()}",${asked}}`;
  const answer = await rig.found.get(TURN)!.carry(text);
  expect(answer).toMatchObject({ ok: false, error: { code: 'refused' } });
  expect(rig.room.deps.ledger.jobs.list({})).toEqual([]);
});

test('the rest is carried out', async () => {
  const request = {
    key: 'key00000001',
    token: rig.token(),
    op: 'progress',
    input: { ref: 'One', text: 'Far.' },
  };
  expect(await rig.found.get(TURN)!.carry(JSON.stringify(request))).toMatchObject({ ok: true });
  expect(rig.room.read('tasks/One.md')).toContain('Far.');
});
