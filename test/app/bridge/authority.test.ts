// What a turn's secret lets its agent do, and what becomes of everything else: refused, on record, told as an event.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { threadOfChore } from '../../../src/core/ids.ts';
import type { Client } from '../../../src/operations/client.ts';
import type { Actor } from '../../../src/tasks/task-room.ts';
import { forEachTest } from '../../support/for-each-test.ts';
import { beginTurn, ENDED_WELL } from '../../support/ledger-queue.ts';
import { codeOf, failureOf, PERSON } from '../../tasks/test-room.ts';
import { openBridgeRig, TURN } from './bridge-rig.ts';

const ACTOR: Actor = { kind: 'agent', agent: '', turn: TURN };
const rig = forEachTest(() => openBridgeRig('abc12345', { narrow: { tasks: false } }));
beforeEach(async () => {
  rig.room.save('Other.md', '---\nid: other123\n---\nAnother.\n');
  rig.room.save('Part.md', '---\nid: part1234\nparent: abc12345\n---\nA part.\n');
  rig.room.save('Deep.md', '---\nid: deep1234\nparent: task:part1234\n---\nA part of it.\n');
  await rig.room.call('release', {}, { kind: 'person' });
});

test('the secret is long, known to the ledger by its hash alone, and nobody else may read it', () => {
  const token = rig.token();
  expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  const hash = rig.room.deps.ledger.turns.reporting(TURN)?.tokenHash;
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(hash).not.toContain(token);
  for (const [file, mode] of [
    ['', 0o700],
    ['token', 0o600],
    ['requests', 0o700],
  ] as const)
    expect(statSync(join(rig.dir, file)).mode & 0o777).toBe(mode);
});

describe('over the spool', () => {
  const client = (): Client => rig.client().tasks;

  test('its own task, and what is below it, may be written', async () => {
    await client().call('progress', { ref: 'One', text: 'Half.' }, ACTOR);
    await client().call('set', { ref: 'Part', keys: { priority: 'high' } }, ACTOR);
    await client().call('complete', { ref: 'Deep' }, ACTOR);
    expect(rig.room.read('tasks/One.md')).toContain('Half.');
    expect(rig.room.read('tasks/Part.md')).toContain('priority: high');
    expect(rig.room.read('tasks/Deep.md')).toContain('status: done');
  });

  test('every task may be read and commented on, and new ones made', async () => {
    expect(await client().call('show', { ref: 'Other' }, PERSON)).toMatchObject({ id: 'other123' });
    await client().call('comment', { ref: 'Other', text: 'Seen.' }, ACTOR);
    expect(rig.room.read('tasks/Other.md')).toMatch(/\*\*@agent:runbook\*\*/);
    await client().call('create', { name: 'Found' }, ACTOR);
    expect(rig.room.read('tasks/Found.md')).toContain('requester: agent:runbook');
  });

  test.each<[string, (on: Client) => Promise<unknown>]>([
    ['another task', (on) => on.call('set', { ref: 'Other', keys: { priority: 'high' } }, ACTOR)],
    ['the status of another', (on) => on.call('complete', { ref: 'Other' }, ACTOR)],
    ['the end of another', (on) => on.call('remove', { ref: 'Other' }, ACTOR)],
    ['a turn of another', (on) => on.call('run', { ref: 'Other' }, ACTOR)],
    ['force', (on) => on.call('run', { ref: 'Part', force: true }, ACTOR)],
    ['kill', (on) => on.call('kill', { turn: TURN }, ACTOR)],
    ['release', (on) => on.call('release', {}, ACTOR)],
    ['words of the runtime', (on) => on.call('note', { ref: 'One', text: 'forged' }, ACTOR)],
    ['a task in the name of the person', (on) => on.call('create', { name: 'X', requester: 'owner' }, ACTOR)],
  ])('%s is refused, on record and told', async (_what, act) => {
    const before = rig.room.read('tasks/Other.md');
    const failure = await failureOf(act(client()));
    expect(failure.code).toBe('not_allowed');
    expect(rig.room.read('tasks/Other.md')).toBe(before);
    expect(rig.refused()).toMatchObject([{ message: failure.message }]);
    expect(rig.room.events).toContainEqual(
      expect.objectContaining({ type: 'turn.refused', turn: TURN, name: 'One', message: failure.message }),
    );
  });
});

test('a turn that is over by the ledger alone reports no more', async () => {
  const open = rig.client().tasks;
  rig.room.deps.ledger.turns.end(TURN, { ...ENDED_WELL, endedAt: 1 });
  expect((await failureOf(open.call('progress', { ref: 'One', text: 'late' }, ACTOR))).message).toContain(
    'is over',
  );
});

const begin = (id: string, thread: string, agent: string) =>
  beginTurn(rig.room.deps.ledger, { id, thread, agent });

test("a chore's turn may write every task", async () => {
  const { reach } = await rig.open(begin('w33333333', threadOfChore('tidy'), 'runbook'));
  rig.dir = reach.dir;
  await rig.client().tasks.call('set', { ref: 'Other', keys: { priority: 'high' } }, ACTOR);
  expect(rig.room.read('tasks/Other.md')).toContain('priority: high');
});

test('without task tools there is no task but its own', async () => {
  rig.room.save('Mine.md', '---\nid: mine1234\n---\nMine.\n');
  const { reach } = await rig.open(begin('b44444444', 'task:local:mine1234', 'narrow'));
  rig.dir = reach.dir;
  const { tasks } = rig.client();
  await tasks.call('progress', { ref: 'Mine', text: 'Half.' }, ACTOR);
  expect((await failureOf(tasks.call('comment', { ref: 'Other', text: 'Seen.' }, ACTOR))).hint).toContain(
    'agents/narrow/agent.json',
  );
  expect(await codeOf(tasks.call('create', { name: 'New' }, ACTOR))).toBe('not_allowed');
});

test('an operation or an input that the table does not know is an error and harms nothing', async () => {
  const wrong = [
    ['constructor', {}],
    ['set', { ref: 'One' }],
    ['set', { ref: 'One', changes: { priority: 'high' }, more: 1 }],
    ['progress', { ref: 'One', text: 5 }],
  ] as const;
  const keys = wrong.map(([op, input], at) => rig.put(at, op, input));
  await rig.bridge.drain();
  for (const key of keys) expect(rig.answer(key)).toMatchObject({ ok: false, error: { code: 'bad_input' } });
  expect(rig.room.read('tasks/One.md')).not.toContain('priority');
  expect(rig.faults).toEqual([]);
});
