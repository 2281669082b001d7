import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TurnId } from '../../../src/core/ids.ts';
import { openTestRoom, PERSON, type TestRoom } from '../test-room.ts';

const TURN = 'b22222222' as TurnId;
let rig: TestRoom;
beforeEach(() => {
  rig = openTestRoom();
  rig.save('One.md', '---\nid: abc12345\n---\n\nDo it.\n');
});
afterEach(() => rig.close());

const done = { state: 'completed', reason: 'ok', exitCode: 0, signal: null, message: '' } as const;
const agent = { kind: 'agent', agent: 'runbook', turn: TURN } as const;

test('a turn that ended is untold until the person saw it; one that runs never is', async () => {
  rig.runTurn(TURN, 'abc12345');
  const untold = async () =>
    (await rig.tasks.call('listTurns', { untold: true }, PERSON)).turns.map((turn) => turn.id);
  expect(await untold()).toEqual([]);
  rig.deps.ledger.turns.end(TURN, { ...done, endedAt: rig.now() });
  expect(await untold()).toEqual([TURN]);
  await rig.tasks.call('markTold', { turns: [TURN] }, PERSON);
  expect(await untold()).toEqual([]);
  expect((await rig.tasks.call('showTurn', { turn: TURN }, PERSON)).told).toBe(true);
});

test("a turn's done is put off when the task was edited since it began; its outcome is kept", async () => {
  await rig.tasks.call('set', { ref: 'One', keys: { team: 'x' } }, PERSON);
  const { revision } = rig.deps.ledger.tasks.get('abc12345')!;
  rig.runTurn(TURN, 'abc12345');
  rig.deps.ledger.database.run('UPDATE turns SET revision = ? WHERE id = ?', revision, TURN);
  rig.save('One.md', `${rig.read('tasks/One.md')}\nAnd that too.\n`);
  const put = await rig.tasks.call('complete', { ref: 'One', outcome: 'Did it.' }, agent);
  expect(put).toMatchObject({ deferred: true, changed: true });
  expect(rig.read('tasks/One.md')).not.toContain('status: done');
  expect(rig.read('tasks/One.md')).toContain('Did it.');
  // A person's word stands, and so does that of a turn that knows the text.
  rig.deps.ledger.database.run(
    'UPDATE turns SET revision = ? WHERE id = ?',
    rig.deps.ledger.tasks.get('abc12345')!.revision,
    TURN,
  );
  expect(await rig.tasks.call('complete', { ref: 'One' }, agent)).not.toHaveProperty('deferred');
  expect(rig.read('tasks/One.md')).toContain('status: done');
});
