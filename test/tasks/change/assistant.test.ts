// A person's own assistant: it changes every task of the room, and is refused what an agent is refused.
import { beforeEach, expect, test } from 'vitest';
import { carryOperation } from '../../../src/operations/carry-operation.ts';
import type { MirrorRow } from '../../../src/store/ledger/mirrors/mirrors.ts';
import type { AgentActor } from '../../../src/tasks/task-room.ts';
import { rig as room, withAgents } from '../each-room.ts';
import { codeOf, failureOf } from '../test-room.ts';

const ASSISTANT: AgentActor = { kind: 'assistant', client: 'claude-code' };

/** Of an issue that somebody whom its mirror does not trust wrote. */
function gatedMirror(task: string): MirrorRow {
  const issue = { provider: 'github', uid: 'I_1', ref: 'acme/web#1', url: null, chore: 'web', path: null };
  const seen = { localHash: '', remoteHash: '', remoteUpdatedAt: 1, syncedAt: 1, dueAt: null, tries: 0 };
  const base = JSON.stringify({ gate: 'hash' });
  return {
    task,
    ...issue,
    ...seen,
    state: 'synced',
    message: null,
    cause: null,
    base,
  } as unknown as MirrorRow;
}

withAgents({ narrow: { tasks: false } });
beforeEach(async () => {
  room.save('One.md', '---\nid: abc12345\nstatus: todo\n---\nDo it.\n');
  room.save('Over.md', '---\nid: over1234\nstatus: done\n---\nDone.\n');
  room.save('Checked.md', '---\nid: check123\nchecks: [npm test]\n---\nDo it.\n');
  room.save('Paused.md', '---\nid: pause123\npaused: true\n---\nDo it.\n');
  await room.call('release', {}, { kind: 'person' });
});

const carry = (name: string, input: object) =>
  carryOperation(room.tasks, { actor: ASSISTANT, access: 'full' }, name, input);

test('it changes any task, under its own name', async () => {
  await carry('comment', { ref: 'One', text: 'Seen.' });
  await carry('set', { ref: 'One', changes: { priority: 'high' } });
  expect(room.read('tasks/One.md')).toMatch(/\*\*@agent:claude-code\*\* \(agent\)/);
  await carry('complete', { ref: 'One', outcome: 'All of it.' });
  expect(room.read('tasks/One.md')).toMatch(/status: done\npriority: high/);
  await carry('create', { name: 'New' });
  expect(room.read('tasks/New.md')).toContain('requester: agent:claude-code');
  expect(room.read('tasks/New.md')).toContain('created_by: agent:claude-code');
  expect(room.read('tasks/New.md')).not.toContain('owner');
});

test.each<[string, string, object]>([
  ['force a turn', 'run', { ref: 'Paused', force: true }],
  ['reopen', 'reopen', { ref: 'Over' }],
  ['reopen by its key', 'set', { ref: 'Over', changes: { status: 'todo' } }],
  ['finish past checks', 'complete', { ref: 'Checked' }],
  ['write checks', 'set', { ref: 'One', changes: { checks: 'true' } }],
  ['say who asked', 'create', { name: 'X', requester: 'owner' }],
  ['kill', 'kill', { ref: 'One' }],
  ['release what is held', 'release', {}],
  ['speak as the runtime', 'note', { ref: 'One', text: 'forged' }],
])('it can not %s', async (_what, name, input) => {
  const files = () => room.names('tasks').map((file) => room.read(`tasks/${file}`));
  const before = files();
  const failure = await failureOf(carry(name, input));
  expect(failure.code).toBe('not_allowed');
  expect(files()).toEqual(before);
});

test('it waives no checks', async () => {
  const failure = await failureOf(carry('complete', { ref: 'Checked', without_checks: 'trust me' }));
  expect(failure.code).toBe('not_allowed');
  expect(room.read('tasks/Checked.md')).not.toContain('done');
});

test('it opens no gate of trust, and the attempt is on record', async () => {
  room.deps.ledger.mirrors.insert(gatedMirror('pause123'));
  expect(await codeOf(carry('resume', { ref: 'Paused' }))).toBe('not_allowed');
  expect(await codeOf(carry('run', { ref: 'Paused' }))).toBe('not_allowed');
  expect(room.read('tasks/Paused.md').match(/assistant claude-code tried/g)).toHaveLength(1);
  expect(room.read('tasks/Paused.md')).toContain('paused: true');
});
