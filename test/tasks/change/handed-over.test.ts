// Work that a turn's agent hands to one with more rights waits for a person, whatever way it takes.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { TurnId } from '../../../src/core/ids.ts';
import type { Actor } from '../../../src/tasks/task-room.ts';
import { rig, withAgents } from '../each-room.ts';

const MODEL = { runner: 'acp', command: ['agent'], cwd: '/web' };
const TURN = 'b11111111' as TurnId;
const WEAK: Actor = { kind: 'agent', agent: 'weak', turn: TURN };

withAgents({ weak: MODEL, peer: MODEL, strong: { ...MODEL, permissions: 'all' } });
beforeEach(async () => {
  rig.save('Own.md', '---\nid: ownownow\nowner: weak\n---\nDo it.\n');
  rig.save('Strong.md', '---\nid: strong11\nowner: strong\nparent: ownownow\n---\nDo that.\n');
  await rig.call('release', {});
  rig.runTurn(TURN, 'ownownow');
});

/** The turn of the weak agent runs now, by the clock of the disk. */
function turnRuns(): void {
  rig.deps.ledger.database.run(
    'UPDATE turns SET started_at = ?, agent = ? WHERE id = ?',
    Date.now() - 1_000,
    'weak',
    TURN,
  );
}

const waiting = async () =>
  (await rig.call('inbox', {})).inbox
    .filter(({ kind }) => kind === 'rights')
    .map(({ name, text }) => [name, text]);

describe('an agent that hands over work', () => {
  const more = 'which is not fenced in';
  test.each<[string, () => Promise<unknown>, string, string]>([
    ['by a new task', () => rig.call('create', { name: 'New', owner: 'strong' }, WEAK), 'New', 'strong'],
    [
      "by the room's default",
      () => rig.call('create', { name: 'New', owner: 'runbook' }, WEAK),
      'New',
      'runbook',
    ],
    [
      'by its own task',
      () => rig.call('set', { ref: 'Own', keys: { owner: 'strong' } }, WEAK),
      'Own',
      'strong',
    ],
    [
      'by new words',
      () => rig.call('describe', { ref: 'Strong', text: 'Do something else.' }, WEAK),
      'Strong',
      'strong',
    ],
    [
      'by a subtask',
      () => rig.call('createSubtask', { ref: 'Own', name: 'Part', owner: 'strong' }, WEAK),
      'Part',
      'strong',
    ],
    [
      'by several at once',
      () => rig.call('bulk', { changes: [{ do: 'create', name: 'Many', owner: 'strong' }] }, WEAK),
      'Many',
      'strong',
    ],
  ])('%s waits for a person', async (_, hand, name, to) => {
    await hand();
    expect(await waiting()).toEqual([[name, `waits: weak gave it to ${to}, ${more}`]]);
    const { why_not: whyNot } = (await rig.call('show', { ref: name })) as {
      why_not: { reason: string; text: string } | null;
    };
    expect(['running', 'in_turn', 'no_agent']).toContain(whyNot?.reason);
    await expect(rig.call('run', { ref: name })).rejects.toThrow('waits for your word');
    await expect(rig.call('accept', { what: name }, WEAK)).rejects.toThrow('agent weak may not take');

    expect((await rig.call('accept', { what: name })).accepted).toMatchObject([{ name }]);
    expect(await waiting()).toEqual([]);
    await rig.call('run', { ref: name });
  });

  test('hands freely to its like, and where room.yaml lets it', async () => {
    await rig.call('create', { name: 'To a peer', owner: 'peer' }, WEAK);
    rig.settings = { handOver: { weak: ['strong'] } };
    await rig.call('create', { name: 'Allowed', owner: 'strong' }, WEAK);
    expect(await waiting()).toEqual([]);
  });

  test('a person gives work to anybody, while it runs too', async () => {
    turnRuns();
    await rig.call('create', { name: 'Mine', owner: 'strong' });
    await rig.call('describe', { ref: 'Strong', text: 'My own words.' });
    expect(await waiting()).toEqual([]);
    await rig.call('set', { ref: 'Own', keys: { owner: 'strong' } }, WEAK);
    await rig.call('set', { ref: 'Own', keys: { owner: 'strong' } });
    expect(await waiting()).toEqual([]);
  });
});

describe('a file written while its turn ran', () => {
  test('is held where its owner has more rights, or is paused', async () => {
    rig.save('Paused.md', '---\nid: pausedp1\npaused: true\nowner: weak\n---\nLater.\n');
    await rig.call('release', {});
    turnRuns();
    rig.save('By hand.md', '---\nid: byhand11\nowner: runbook\n---\n```sh run\nevil\n```\n');
    rig.save('To a peer.md', '---\nid: peerpeer\nowner: peer\n---\nFine.\n');
    rig.save('Paused.md', '---\nid: pausedp1\npaused: true\nowner: peer\n---\nLater.\n');
    await rig.call('release', {});
    const ran = 'while a turn of weak ran';
    expect(await waiting()).toEqual([
      ['By hand', `waits: it came to runbook ${ran}, which is not fenced in`],
      ['Paused', `waits: it came to peer ${ran} while it was paused`],
    ]);
    await rig.call('set', { ref: 'By hand', keys: { owner: 'weak' } });
    expect((await waiting()).map(([name]) => name)).toEqual(['Paused']);
  });

  test("before it ran is the person's", async () => {
    rig.save('By hand.md', '---\nid: byhand11\nowner: runbook\n---\nMine.\n');
    await new Promise((resolve) => setTimeout(resolve, 5));
    rig.deps.ledger.database.run(
      'UPDATE turns SET started_at = ?, agent = ? WHERE id = ?',
      Date.now(),
      'weak',
      TURN,
    );
    await rig.call('release', {});
    expect(await waiting()).toEqual([]);
  });
});

test('files that open rights are taken by their key only while they say the same', async () => {
  const { saidWords } = rig.deps.ledger;
  writeFileSync(join(rig.dir, 'room.yaml'), 'settle: 2s\n');
  saidWords.put({ source: 'file:room.yaml', said: ['settle: 1s\n'], seen: ['settle: 2s\n'] });
  const [item] = (await rig.call('inbox', {})).inbox;
  expect(item).toMatchObject({ kind: 'rights', name: 'room.yaml', settle: 'taskroom accept room.yaml' });
  expect(item!.text).toContain('− settle: 1s  + settle: 2s');
  writeFileSync(join(rig.dir, 'room.yaml'), 'settle: 3s\n');
  await expect(rig.call('accept', { what: item!.key })).rejects.toThrow('has changed since');
  writeFileSync(join(rig.dir, 'room.yaml'), 'settle: 2s\n');
  await rig.call('accept', { what: item!.key });
  expect(saidWords.get('file:room.yaml')).toMatchObject({ said: ['settle: 2s\n'], seen: ['settle: 2s\n'] });
  await expect(rig.call('accept', { what: 'room.yaml' })).rejects.toThrow('room.yaml has nothing to accept');
});
