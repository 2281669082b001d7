// Scopes: who makes them, what joins them, and what goes with them.
import { expect, test } from 'vitest';
import { threadOfChore } from '../../../src/core/ids.ts';
import { refresh } from '../../../src/tasks/observe/refresh.ts';
import type { Actor } from '../../../src/tasks/task-room.ts';
import { beginTurn } from '../../support/ledger-queue.ts';
import { rig as room, withAgents } from '../each-room.ts';
import { failureOf } from '../test-room.ts';

withAgents({ coder: {} });

/** The agent of a turn of a chore. */
function choreTurn(id: string, chore: string): Actor {
  const who = { origin: 'chore', agent: 'coder', reasons: ['scheduled'], outside: false } as const;
  const facts = { ...who, reasons: [...who.reasons], description: chore, askedAt: room.now() };
  const turn = beginTurn(room.deps.ledger, { id, thread: threadOfChore(chore), ...facts });
  return { kind: 'agent', agent: 'coder', turn };
}

const scopeOf = (name: string) => /^scope: (.*)$/m.exec(room.read(`tasks/${name}.md`))?.[1] ?? null;

test('a task joins the scope of its parent, else that of the turn that makes it', async () => {
  room.save('Top.md', '---\nid: top12345\nscope: spike\n---\nDo it.\n');
  room.save('Plain.md', '---\nid: plain123\n---\nDo it.\n');
  await refresh(room.handle);
  const inScope: Actor = { kind: 'agent', agent: 'coder', turn: room.runTurn('b11111111', 'top12345').id };
  const outside: Actor = { kind: 'agent', agent: 'coder', turn: room.runTurn('b22222222', 'plain123').id };
  await room.call('create', { name: 'A' }, inScope);
  await room.call('create', { name: 'B', parent: 'Top' });
  await room.call('create', { name: 'C' }, outside);
  await room.call('create', { name: 'D' });
  await room.call('create', { name: 'E', scope: 'other' }, inScope);
  // A child agent of the child works there too.
  const { id } = await room.call('create', { name: 'F', parent: 'A' }, inScope);
  const child: Actor = { kind: 'agent', agent: 'coder', turn: room.runTurn('b33333333', id).id };
  await room.call('create', { name: 'G' }, child);
  const scopes = ['spike', 'spike', null, null, 'other', 'spike', 'spike'];
  expect(['A', 'B', 'C', 'D', 'E', 'F', 'G'].map(scopeOf)).toEqual(scopes);
});

test('each turn of a chore has a scope of its own, made with its first task', async () => {
  const first = choreTurn('w11111111', 'Nightly');
  const second = choreTurn('w22222222', 'Weekly');
  expect((await room.call('listScopes', {})).scopes).toEqual([]);
  await room.call('create', { name: 'A' }, first);
  await room.call('create', { name: 'B' }, first);
  await room.call('create', { name: 'C' }, second);
  const [nightly, weekly] = ['Nightly w11111111', 'Weekly w22222222'];
  expect(['A', 'B', 'C'].map(scopeOf)).toEqual([nightly, nightly, weekly]);
  const { scopes } = await room.call('listScopes', {});
  expect(scopes.map((one) => [one.name, one.chore, one.created_by, one.counts.todo])).toEqual([
    [nightly, 'Nightly', 'agent:coder', 2],
    [weekly, 'Weekly', 'agent:coder', 1],
  ]);
  const { removed } = await room.call('removeScope', { name: nightly }, first);
  expect(removed.map(({ name }) => name)).toEqual(['A', 'B']);
  expect(room.names('tasks')).toEqual(['C.md']);
});

test('an agent deletes only a scope it made, and no task of others in it', async () => {
  const agent = choreTurn('w11111111', 'Nightly');
  await room.call('createScope', { name: 'theirs' });
  await room.call('createScope', { name: 'mine' }, agent);
  await room.call('create', { name: 'A', scope: 'mine' }, agent);
  await room.call('create', { name: 'B', scope: 'mine' });
  const refusal = async (name: string) =>
    (await failureOf(room.call('removeScope', { name }, agent))).message;
  expect(await refusal('theirs')).toMatch(/did not make it$/);
  expect(await refusal('mine')).toMatch(/did not make "B"$/);
  expect(room.names('tasks')).toEqual(['A.md', 'B.md']);
  await room.call('remove', { ref: 'B' });
  expect((await room.call('removeScope', { name: 'mine' }, agent)).removed).toHaveLength(1);
});
