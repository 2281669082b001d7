// What every way to the chores and mirrors of a room owes its caller: the same answers, failures and files as the room's own.
// Each case runs on both, in rooms that were alike; made ids, keys, times and folders are one word.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openRuntime, type RoomClient } from '../../src/app/open-room.ts';
import { isRoomError } from '../../src/core/errors.ts';
import { createNodeEffects } from '../../src/node.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { type Case, caseIn, type MirrorCase, seedMirrors } from './mirrors/case.ts';

// Chores: listed, and asked for.
const CHORES: Readonly<Record<string, Case>> = {
  'chores: all of them, readable or not': ({ ask }) => ask('listChores', {}),
  'chores: one with a prompt is asked for, twice': async ({ ask }) => [
    await ask('runChore', { name: 'look' }),
    await ask('runChore', { name: 'look' }),
    await ask('listChores', {}),
  ],
  'chores: one that mirrors is asked for': async ({ ask }) => [
    await ask('runChore', { name: 'web' }),
    await ask('listChores', {}),
  ],
  'chores: how a sync went stands there': async ({ ask, sync }) => {
    await sync();
    return ask('listChores', {});
  },
  'chores: there is none of the name': ({ ask }) => ask('runChore', { name: 'wbe' }),
  'chores: a paused one is refused': ({ ask }) => ask('runChore', { name: 'still' }),
  'chores: one that can not be read': ({ ask }) => ask('runChore', { name: 'bad' }),
  'chores: a name that is a path': ({ ask }) => ask('runChore', { name: '../room' }),
};

// Pairs of a task and an issue: made, ended, and conflicts between the two settled.
const FIRST = 'tasks/First (issues#1).md';
const OLD = 'It fails.';
const list = async ({ ask }: MirrorCase) => (await ask('listMirrors', {})).mirrors;

/** Both sides said something else: the tracker's stands, ours lost. */
async function collide(on: MirrorCase) {
  await on.sync();
  on.edit(FIRST, OLD, 'It fails on Mondays.');
  on.change(1, { body: 'It fails on Fridays.' });
  await on.sync();
  const [conflict] = (await list(on)).flatMap(({ conflicts }) => conflicts);
  if (conflict === undefined) throw new Error('there is no conflict');
  return { conflict, wish: { ref: 'First (issues#1)', conflict: conflict.id, version: conflict.version } };
}

const PAIRS: Readonly<Record<string, Case>> = {
  'settle: both texts are shown, and the one that stands is kept': async (on) => {
    const { conflict, wish } = await collide(on);
    const settled = await on.ask('settle', { ...wish, take: 'standing' });
    return [conflict, settled, await list(on), await on.sync(), await list(on)];
  },
  'settle: the one that lost is taken, and sent': async (on) => {
    const { wish } = await collide(on);
    return [await on.ask('settle', { ...wish, take: 'lost' }), await on.sync(), await list(on)];
  },
  'settle: a text of one’s own, and the same wish again': async (on) => {
    const { wish } = await collide(on);
    const own = { ...wish, take: 'own', text: 'It fails: Mondays, Fridays.' } as const;
    return [await on.ask('settle', own), await on.ask('settle', own), await list(on)];
  },
  'settle: what was changed meanwhile is refused': async (on) => {
    const { wish } = await collide(on);
    on.edit(FIRST, 'Fridays', 'holidays');
    return on.ask('settle', { ...wish, take: 'lost' });
  },
  'settle: settled otherwise already': async (on) => {
    const { wish } = await collide(on);
    await on.ask('settle', { ...wish, take: 'standing' });
    return on.ask('settle', { ...wish, take: 'lost' });
  },
  'settle: a conflict there is not': async (on) => {
    const { wish } = await collide(on);
    return on.ask('settle', { ...wish, conflict: '99999', take: 'lost' });
  },
  'settle: a task there is not': async (on) => {
    const { wish } = await collide(on);
    return on.ask('settle', { ...wish, ref: 'Nope', take: 'lost' });
  },
  'publish: a task becomes an issue, once': async (on) => {
    const pair = await on.ask('publish', { ref: 'Mine', chore: 'web' });
    return [
      pair,
      await list(on),
      await on.ask('publish', { ref: 'mine1234', chore: 'web' }),
      await on.sync(),
    ];
  },
  'publish: no such chore': (on) => on.ask('publish', { ref: 'Mine', chore: 'wbe' }),
  'publish: no such task': (on) => on.ask('publish', { ref: 'Nope', chore: 'web' }),
  'publish: one that is mirrored elsewhere': async (on) => {
    await on.sync();
    return on.ask('publish', { ref: 'First (issues#1)', chore: 'still' });
  },
  'unlink: both sides stay': async (on) => {
    await on.sync();
    return [await on.ask('unlink', { ref: 'First (issues#1)' }), await list(on), await on.sync()];
  },
  'unlink: by the issue, its file gone': async (on) => {
    await on.sync();
    on.remove(FIRST);
    return on.ask('unlink', { ref: 'issues#1' });
  },
  'unlink: a task that has none': (on) => on.ask('unlink', { ref: 'Mine' }),
  'link: a task with an issue': async (on) => {
    const pair = await on.ask('link', { ref: 'Mine', url: 'issues#2', chore: 'web' });
    return [pair, await list(on), await on.sync(), await list(on)];
  },
  'link: once more': async (on) => {
    await on.ask('link', { ref: 'Mine', url: 'issues#2', chore: 'web' });
    return on.ask('link', { ref: 'Mine', url: 'issues#3' });
  },
  'link: an issue that is another task already': async (on) => {
    await on.sync();
    return on.ask('link', { ref: 'Mine', url: 'issues#2', chore: 'web' });
  },
  'link: what no chore mirrors': (on) =>
    on.ask('link', { ref: 'Mine', url: 'https://tracker.example/issues/2' }),
  'link: by a chore there is not': (on) => on.ask('link', { ref: 'Mine', url: 'issues#2', chore: 'wbe' }),
};

// Syncs with each of their options, and the list of mirrors before and after.
const SYNCING: Readonly<Record<string, Case>> = {
  'sync: every chore that mirrors': async (on) => [await list(on), await on.ask('sync', {}), await list(on)],
  'sync: the first one, and one with nothing to do': async (on) => [
    await on.sync(),
    await on.sync(),
    await list(on),
  ],
  'sync: a dry run says what it would do': async (on) => {
    const first = await on.sync({ dry_run: true });
    await on.sync();
    on.edit(FIRST, 'It fails.', 'It fails on Mondays.');
    return [first, await on.sync({ dry_run: true }), await list(on)];
  },
  'sync: one way alone': async (on) => {
    await on.sync();
    on.edit(FIRST, 'It fails.', 'It fails on Mondays.');
    on.change(2, { title: 'Second of all' });
    const pulled = await on.sync({ direction: 'pull' });
    const waiting = await list(on);
    return [pulled, waiting, await on.sync({ direction: 'push' }), await list(on)];
  },
  'sync: in full': async (on) => [await on.sync(), await on.sync({ full: true })],
  'sync: a side that lost everything stops it, until it is forced': async (on) => {
    await on.sync();
    for (const name of ['First (issues#1)', 'Second (issues#2)', 'Third (issues#3)'])
      on.remove(`tasks/${name}.md`);
    const stopped = await on.sync();
    return [stopped, await on.sync({ force: true }), await list(on)];
  },
  'sync: as the same room, and as another one': async (on) => [
    await on.sync({ same_room: true }),
    await on.sync({ new_room: true }),
  ],
  'sync: a tracker that is gone is told in the report': async (on) => {
    on.remove('issues.json');
    return [await on.sync(), await list(on), await on.ask('listChores', {})];
  },
  'sync: stopped before it began': ({ ask }) => ask('sync', { chore: 'web' }, AbortSignal.abort()),
  'sync: a chore there is not': (on) => on.sync({}, 'wbe'),
  'sync: a chore that mirrors nothing': (on) => on.sync({}, 'look'),
};

export { seedMirrors } from './mirrors/case.ts';

/** One room behind the way that is tested. */
export interface MirrorsUnderTest {
  /** Holds what `seedMirrors` makes. */
  dir: string;
  way: Pick<RoomClient, 'tasks'>;
  close(): Promise<void>;
}

const CASES: Readonly<Record<string, Case>> = { ...CHORES, ...SYNCING, ...PAIRS };

/** Every case of the suite as tests. */
export function testMirrors(open: () => Promise<MirrorsUnderTest>): void {
  test.for(Object.entries(CASES))('%s', async ([, run]) => {
    const found = await outcomeOf(await open(), run);
    const expected = await outcomeOf(await openHere(), run);
    expect(found).toEqual(expected);
  });
}

async function openHere(): Promise<MirrorsUnderTest> {
  const dir = tempFolder('taskroom-mirrors');
  seedMirrors(dir);
  const way = await openRuntime(dir, createNodeEffects({}));
  return { dir, way, close: () => way.close() };
}

async function outcomeOf({ dir, way, close }: MirrorsUnderTest, run: Case): Promise<unknown> {
  try {
    const answer = await (async () => run(caseIn(dir, way)))().catch((error: unknown) => {
      if (!isRoomError(error)) throw error;
      const { code, message, hint, problems } = error;
      return { refused: code, message, hint, problems };
    });
    return masked({ answer, files: filesOf(dir) }, dir);
  } finally {
    await close();
  }
}

function filesOf(dir: string): unknown {
  const names = readdirSync(join(dir, 'tasks')).filter((name) => name.endsWith('.md'));
  const paths = [...names.sort().map((name) => `tasks/${name}`), 'issues.json'];
  const there = paths.filter((path) => path !== 'issues.json' || readdirSync(dir).includes(path));
  return there.map((path) => [path, readFileSync(join(dir, path), 'utf8')]);
}

/** As JSON has it, with what is made anew in each room as one word. */
function masked(outcome: object, dir: string): unknown {
  const text = JSON.stringify(outcome);
  const ids = [...text.matchAll(/id: ([0-9a-z]{8})\b|"task":"([0-9a-z]{8})"/g)].map(
    ([, one, two]) => one ?? two!,
  );
  const made = [...new Set(ids)].filter((id) => id !== 'mine1234');
  return JSON.parse(
    made
      .reduce((rest, id) => rest.replaceAll(id, 'ID'), text)
      .replaceAll(dir, 'ROOM')
      .replace(/\b1[5-9]\d{11}(?:\.\d+)?\b/g, '0')
      .replace(/\d{4}-\d\d-\d\d[T-]\d\d[:-]?\d\d[:-]?\d\d(?:[.-]\d+)?Z?/g, 'TIME')
      .replace(/\b(body|c:|q:|key:) ?[0-9a-z]{10}\b/g, '$1 TAG')
      .replace(/"version":"[^"]+"/g, '"version":"VERSION"')
      .replace(/\\"key\\": \\"[^"\\]+\\"/g, '\\"key\\": \\"KEY\\"'),
  );
}
