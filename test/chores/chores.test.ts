import { describe, expect, it } from 'vitest';
import { RoomError } from '../../src/core/errors.ts';
import { threadOfChore } from '../../src/core/ids.ts';
import { forEachTest } from '../support/for-each-test.ts';
import { beginTurn, ENDED_WELL } from '../support/ledger-queue.ts';
import { openRoomWithChores } from './room-with-chores.ts';

const MINUTE = 60_000;
const mirror = (source: string, ...lines: string[]) =>
  `---\n${lines.join('\n')}\nmirror:\n  provider: memory\n  source: ${source}\n---\n`;
const EVERY = 'schedule: every 5m';

const rig = forEachTest(() => openRoomWithChores());

const started = () => rig.syncs.map(({ name }) => name);
const told = () => rig.events.map((event) => ('name' in event ? `${event.type} ${event.name}` : event.type));

function endTurn(name: string): void {
  const pending = rig.ledger.requests.get(threadOfChore(name))!;
  const id = beginTurn(rig.ledger, { ...pending, id: `b${name.padEnd(8, '0')}`, startedAt: rig.now() });
  rig.ledger.turns.end(id, { ...ENDED_WELL, endedAt: rig.now() });
}

describe('mirrors', () => {
  it('sync at once, and again each interval, never twice at a time', async () => {
    rig.save('a.md', mirror('x', EVERY));
    await rig.chores.start();
    expect(started()).toEqual(['a']);
    expect(rig.chores.isBusy()).toBe(true);
    await rig.later(12 * MINUTE);
    expect(started()).toEqual(['a']);
    await rig.syncs[0]!.finish('1 created');
    expect(rig.ledger.chores.get('a')).toMatchObject({
      endedAt: rig.now(),
      failures: 0,
      result: { ok: true, message: '1 created', counts: { created: 1 } },
    });
    expect(rig.chores.isBusy()).toBe(false);
    await rig.later(3 * MINUTE - 1);
    expect(started()).toEqual(['a']);
    await rig.later(1);
    expect(started()).toEqual(['a', 'a']);
    expect(told()).toEqual(['chore.due a', 'chore.finished a', 'chore.due a']);
  });

  it('run side by side; one that fails backs off and stops no other', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) rig.save(`${name}.md`, mirror(name, EVERY));
    await rig.chores.start();
    expect(started()).toEqual(['a', 'b', 'c', 'd']);
    await rig.syncs[1]!.fail(new RoomError('rate_limited', 'too many requests', { retryAfterMs: 90_000 }));
    expect(started()).toEqual(['a', 'b', 'c', 'd', 'e']);
    await rig.syncs[0]!.finish();
    expect(rig.events).toContainEqual({
      ...{ type: 'chore.failed', name: 'b', kind: 'mirror', message: 'too many requests', hint: null },
      ...{ retryAt: rig.now() + 90_000 },
    });
    await rig.later(89_999);
    expect(started()).toHaveLength(5);
    await rig.later(1);
    expect(started()[5]).toBe('b');
    await rig.syncs[5]!.finish();
    expect(rig.ledger.chores.get('b')).toMatchObject({ failures: 0, retryAt: null });
    expect(rig.troubles).toEqual([]);
  });

  it('that throw what they should not are a failure, and told as a bug', async () => {
    rig.save('a.md', mirror('x', EVERY));
    await rig.chores.start();
    const bug = new TypeError('x is not a function');
    await rig.syncs[0]!.fail(bug);
    expect(rig.troubles).toEqual([bug]);
    expect(rig.ledger.chores.get('a')?.result).toEqual({
      ok: false,
      message: 'bug: TypeError: x is not a function',
    });
    await rig.later(10_000);
    expect(started()).toEqual(['a', 'a']);
  });

  it('that take too long are ended', async () => {
    rig.settings = { timeoutMs: MINUTE };
    rig.save('a.md', mirror('x', EVERY));
    await rig.chores.start();
    await rig.later(MINUTE);
    expect(rig.syncs[0]!.signal.aborted).toBe(true);
    expect(rig.ledger.chores.get('a')?.result?.message).toBe('it took longer than 1m and was ended');
  });

  it('begin anew after a crash, also when they were only asked for', async () => {
    rig.save('a.md', mirror('x'));
    await rig.chores.start();
    expect(started()).toEqual([]);
    rig.ledger.chores.update('a', { askedAt: rig.now() });
    await rig.chores.look();
    expect(started()).toEqual(['a']);
    await rig.crash();
    await rig.chores.start();
    expect(started()).toEqual(['a', 'a']);
    await rig.syncs[1]!.finish();
    await rig.later(60 * MINUTE);
    expect(started()).toEqual(['a', 'a']);
  });

  it('are ended with the runtime, and count as interrupted', async () => {
    rig.save('a.md', mirror('x', EVERY));
    await rig.chores.start();
    await rig.chores.stop();
    expect(rig.syncs[0]!.signal.aborted).toBe(true);
    expect(rig.ledger.chores.get('a')).toMatchObject({ endedAt: null, failures: 0 });
    expect(told()).toEqual(['chore.due a']);
  });
});

describe('files', () => {
  it('of one that runs that breaks leave the run alone', async () => {
    rig.save('a.md', mirror('x', EVERY));
    await rig.chores.start();
    rig.save('a.md', '---\nschedule: [\n---\n');
    await rig.chores.look();
    expect(rig.syncs[0]!.signal.aborted).toBe(false);
    await rig.syncs[0]!.finish();
    expect(rig.ledger.chores.get('a')?.result?.ok).toBe(true);
    await rig.later(60 * MINUTE);
    expect(started()).toEqual(['a']);
  });

  it('mended after a failure are tried at once', async () => {
    rig.save('a.md', mirror('x', 'schedule: "@yearly"'));
    await rig.chores.start();
    await rig.syncs[0]!.fail(new RoomError('unauthorized', 'GITHUB_TOKEN is not set'));
    await rig.later(60 * MINUTE);
    expect(started()).toEqual(['a']);
    rig.save('a.md', mirror('y', 'schedule: "@yearly"'));
    await rig.chores.look();
    expect(started()).toEqual(['a', 'a']);
  });
});

describe('prompts', () => {
  it('ask for a turn at their tick, once for all that were missed', async () => {
    rig.save('p.md', '---\nschedule: "*/5 * * * *"\n---\nlook around\n');
    await rig.chores.start();
    expect(rig.asked).toEqual([]);
    // 03:04:05: the tick is at 03:05.
    await rig.later(55_000);
    expect(rig.asked).toEqual(['p scheduled']);
    await rig.later(17 * MINUTE);
    expect(rig.asked).toEqual(['p scheduled']);
    endTurn('p');
    rig.ledger.chores.update('p', { endedAt: rig.now() });
    rig.chores.turnOver();
    await rig.later(2 * MINUTE);
    expect(rig.asked).toEqual(['p scheduled']);
    await rig.later(MINUTE);
    expect(rig.asked).toEqual(['p scheduled', 'p scheduled']);
  });

  it('record the asking and the tick in one step', async () => {
    rig.save('p.md', '---\nschedule: every 1h\n---\nlook around\n');
    await rig.chores.start();
    expect(rig.ledger.requests.get(threadOfChore('p'))).toMatchObject({
      origin: 'chore',
      reasons: ['scheduled'],
    });
    await rig.crash();
    await rig.chores.start();
    // What was asked for still stands.
    expect(rig.asked).toEqual(['p scheduled']);
  });

  it('that stand still are left alone', async () => {
    rig.save('p.md', '---\nschedule: every 1h\n---\nlook around\n');
    rig.ledger.chores.insertNew({ name: 'p', revision: 'x', seenAt: rig.now() });
    await rig.chores.start();
    rig.ledger.requests.delete(threadOfChore('p'));
    rig.ledger.chores.update('p', { endedAt: rig.now(), stopped: 'gave up', failures: 5 });
    await rig.later(10 * 60 * MINUTE);
    expect(rig.asked).toHaveLength(1);
    rig.save('p.md', '---\nschedule: every 1h\n---\nlook harder\n');
    await rig.chores.look();
    expect(rig.asked).toHaveLength(2);
  });
});

it('a clock set back by hours runs no tick twice and waits for none', async () => {
  rig.save('a.md', mirror('x', EVERY));
  await rig.chores.start();
  await rig.syncs[0]!.finish();
  rig.setClock(rig.now() - 5 * 60 * MINUTE);
  await rig.later(5 * MINUTE - 1);
  expect(started()).toEqual(['a']);
  await rig.later(MINUTE + 1);
  expect(started()).toEqual(['a', 'a']);
});
