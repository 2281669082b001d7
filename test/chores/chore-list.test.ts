import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askForChore, listChores } from '../../src/chores/chore-list.ts';
import { type TurnId, threadOfChore } from '../../src/core/ids.ts';
import { openRoomWithChores, type RoomWithChores } from './room-with-chores.ts';

const EVERY = '---\nschedule: every 5m\n---\nlook around\n';
const MIRROR = '---\nschedule: every 5m\nmirror:\n  provider: memory\n  source: acme/web\n---\n';

const iso = (atMs: number) => new Date(atMs).toISOString();

let rig: RoomWithChores;
beforeEach(() => {
  rig = openRoomWithChores();
});
afterEach(() => rig.close());

const view = async (name: string, daemonRuns = true) =>
  (await listChores(rig.deps, daemonRuns)).chores.find((one) => one.name === name);

describe('listChores', () => {
  it('shows what was never seen, without noting it', async () => {
    rig.save('p.md', EVERY);
    rig.save('bad.md', '---\n');
    expect(await listChores(rig.deps, false)).toMatchObject({
      chores: [
        {
          name: 'p',
          kind: 'prompt',
          source: null,
          started_at: null,
          next_at: iso(rig.now()),
          running: false,
        },
      ],
      invalid: [{ path: 'chores/bad.md' }],
    });
    expect(rig.ledger.chores.all()).toEqual([]);
  });

  it('tells a sync that runs from one that was cut short', async () => {
    rig.save('m.md', MIRROR);
    await rig.chores.start();
    expect(await view('m')).toMatchObject({ running: true, source: 'memory:acme/web', next_at: null });
    expect(await view('m', false)).toMatchObject({ running: false, ended_at: null, next_at: iso(rig.now()) });
    await rig.syncs[0]!.finish();
    expect(await view('m')).toMatchObject({ running: false, next_at: iso(rig.now() + 300_000) });
  });

  it('tells a turn that waits from one that runs', async () => {
    rig.save('p.md', EVERY);
    await rig.chores.start();
    expect(await view('p')).toMatchObject({ pending: true, running: false, next_at: null });
    const request = rig.ledger.requests.get(threadOfChore('p'))!;
    const fields = { runner: 'runbook', attempt: 1, revision: 'r', description: 'p', startedAt: rig.now() };
    rig.ledger.turns.begin({ ...request, ...fields, id: 'b00000000' as TurnId });
    expect(await view('p')).toMatchObject({ pending: false, running: true });
  });
});

describe('askForChore', () => {
  it('clears what failed, and runs with the next look', async () => {
    rig.save('p.md', EVERY);
    rig.ledger.chores.insertNew({ name: 'p', revision: 'r', seenAt: rig.now() });
    rig.ledger.chores.update('p', { startedAt: 1, endedAt: 2, failures: 5, stopped: 'gave up' });
    expect(await askForChore(rig.deps, ' chores/p.md ')).toEqual({ name: 'p', kind: 'prompt' });
    expect(await view('p')).toMatchObject({ pending: true, failures: 0, stopped: null });
    await rig.chores.start();
    expect(rig.asked).toEqual(['p run']);
  });

  it('asks for no second turn while one waits, and for another sync while one runs', async () => {
    rig.save('p.md', EVERY);
    rig.save('m.md', MIRROR);
    await rig.chores.start();
    await askForChore(rig.deps, 'p');
    await askForChore(rig.deps, 'm');
    await rig.chores.look();
    expect([rig.asked.length, rig.syncs.length]).toEqual([1, 1]);
    expect(await view('p')).toMatchObject({ pending: true });
    expect(rig.ledger.chores.get('p')?.askedAt).toBeNull();
    await rig.syncs[0]!.finish();
    expect([rig.asked.length, rig.syncs.length]).toEqual([1, 2]);
  });

  it.each([
    ['nobody', 'not_found', 'see: taskroom chores'],
    ['brokn', 'not_found', 'see: taskroom chores'],
    ['shutt', 'not_found', 'did you mean "shut"? see: taskroom chores'],
    ['broken', 'invalid_file', 'mend the file, then try again'],
    ['shut', 'refused', 'set paused: false in chores/shut.md; without a schedule it runs only when asked'],
  ])('%s is %s', async (word, code, hint) => {
    rig.save('broken.md', '---\n');
    rig.save('shut.md', '---\npaused: true\n---\nlook\n');
    await expect(askForChore(rig.deps, word)).rejects.toMatchObject({ code, hint });
  });
});
