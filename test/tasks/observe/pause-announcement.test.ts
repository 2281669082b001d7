import { beforeEach, expect, test } from 'vitest';
import type { TurnId } from '../../../src/core/ids.ts';
import { rig } from '../each-room.ts';

const TURN = 'b22222222' as TurnId;
beforeEach(() => {
  rig.save('One.md', '---\nid: abc12345\n---\n\nDo it.\n');
});
const agent = { kind: 'agent', agent: 'runbook', turn: TURN } as const;

test("a turn's done is put off when the task was edited since it began; its outcome is kept", async () => {
  await rig.call('set', { ref: 'One', keys: { team: 'x' } });
  const { revision } = rig.deps.ledger.tasks.get('abc12345')!;
  rig.runTurn(TURN, 'abc12345');
  rig.deps.ledger.database.run('UPDATE turns SET revision = ? WHERE id = ?', revision, TURN);
  rig.save('One.md', `${rig.read('tasks/One.md')}\nAnd that too.\n`);
  const put = await rig.call('complete', { ref: 'One', outcome: 'Did it.' }, agent);
  expect(put).toMatchObject({ deferred: true, changed: true });
  expect(rig.read('tasks/One.md')).not.toContain('status: done');
  expect(rig.read('tasks/One.md')).toContain('Did it.');
  // A person's word stands, and so does that of a turn that knows the text.
  rig.deps.ledger.database.run(
    'UPDATE turns SET revision = ? WHERE id = ?',
    rig.deps.ledger.tasks.get('abc12345')!.revision,
    TURN,
  );
  expect(await rig.call('complete', { ref: 'One' }, agent)).not.toHaveProperty('deferred');
  expect(rig.read('tasks/One.md')).toContain('status: done');
});
