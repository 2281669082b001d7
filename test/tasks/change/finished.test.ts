// What may still be done to a task that is over, and that each end has its line in the history.
import { beforeEach, expect, test } from 'vitest';
import type { TurnId } from '../../../src/core/ids.ts';
import { readHistory } from '../../../src/store/files/history.ts';
import type { Actor } from '../../../src/tasks/task-room.ts';
import { rig } from '../each-room.ts';
import { AGENT, codeOf, failureOf } from '../test-room.ts';

beforeEach(() => {
  rig.save('One.md', '---\nid: abc12345\nstatus: todo\n---\n\n## Task\nDo it.\n\n## Steps\n- [ ] one\n');
});

const one = () => rig.read('tasks/One.md');
const history = () => readHistory(rig.deps.room.historyPath, 100);

test('what is over is not said to be over in another way, and a hand that says so has its line', async () => {
  await rig.call('complete', { ref: 'One' });
  const refusal = await failureOf(rig.call('cancel', { ref: 'One' }));
  expect(refusal).toMatchObject({ code: 'refused', hint: 'reopen it first: taskroom reopen "One"' });
  expect(history()).toHaveLength(1);
  rig.later(60_000);
  rig.save('One.md', one().replace('status: done', 'status: canceled'));
  await rig.call('set', { ref: 'One', keys: { priority: 'high' } });
  expect(history().map(({ status }) => status)).toEqual(['canceled', 'done']);
  expect(await codeOf(rig.call('complete', { ref: 'One' }))).toBe('refused');
});

test('a task that is made finished has its line', async () => {
  await rig.call('create', { name: 'Over', status: 'done' });
  rig.save('By hand.md', '---\nid: byhand01\nstatus: done\n---\nIt was over before.\n');
  await rig.call('create', { name: 'Open' });
  expect(history().map(({ name, status }) => ({ name, status }))).toEqual([{ name: 'Over', status: 'done' }]);
});

test('agents change nothing of what is finished, and may comment on it', async () => {
  rig.runTurn('b00000000', 'abc12345');
  await rig.call('complete', { ref: 'One', outcome: 'All good.' });
  const done = one();
  const assistant: Actor = { kind: 'assistant', client: 'claude-code' };
  for (const actor of [AGENT, assistant]) {
    const changes: Record<string, () => Promise<unknown>> = {
      step: () => rig.call('editStep', { ref: 'One', index: 0, done: true }, actor),
      outcome: () => rig.call('outcome', { ref: 'One', text: 'Once more.' }, actor),
      done: () => rig.call('complete', { ref: 'One', outcome: 'Once more.' }, actor),
      set: () => rig.call('set', { ref: 'One', keys: { title: 'Another' } }, actor),
      pause: () => rig.call('pause', { ref: 'One' }, actor),
      ask: () => rig.call('ask', { ref: 'One', question: 'Really?' }, actor),
      subtask: () => rig.call('createSubtask', { ref: 'One', name: 'More' }, actor),
      bulk: () =>
        rig.call('bulk', { changes: [{ do: 'update', ref: 'One', keys: { priority: 'high' } }] }, actor),
    };
    for (const [what, change] of Object.entries(changes)) {
      const { code } = await failureOf(change());
      expect([what, code]).toEqual([what, ['ask', 'subtask'].includes(what) ? 'refused' : 'not_allowed']);
    }
    expect((await rig.call('complete', { ref: 'One' }, actor)).changed).toBe(false);
  }
  expect(one()).toBe(done);
  await rig.call('comment', { ref: 'One', text: 'One thing more.' }, AGENT);
  expect(one()).toContain('One thing more.');
  expect(history()).toHaveLength(1);
});

const TURN = 'b22222222' as TurnId;
const agent = { kind: 'agent', agent: 'runbook', turn: TURN } as const;

test("a turn's done is put off when the task was edited since it began; its outcome is kept", async () => {
  rig.save('One.md', '---\nid: abc12345\n---\n\nDo it.\n');
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
