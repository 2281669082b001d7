// Pairs of a task and an issue: made, ended, and conflicts between the two settled.
import type { Case, MirrorCase } from './case.ts';

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

export const PAIRS: Readonly<Record<string, Case>> = {
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
