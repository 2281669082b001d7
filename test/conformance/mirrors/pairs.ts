// Pairs of a task and an issue: made, ended, and conflicts between the two settled.
import type { Case, MirrorCase } from './case.ts';

const FIRST = 'tasks/First (issues#1).md';
const OLD = 'It fails.';
const list = async ({ mirrors }: MirrorCase) => (await mirrors()).list();

/** Both sides said something else: the tracker's stands, ours lost. */
async function collide(on: MirrorCase) {
  await on.sync();
  on.edit(FIRST, OLD, 'It fails on Mondays.');
  on.change(1, { body: 'It fails on Fridays.' });
  await on.sync();
  const mirrors = await on.mirrors();
  const [conflict] = mirrors.list().flatMap(({ conflicts }) => conflicts);
  if (conflict === undefined) throw new Error('there is no conflict');
  return { mirrors, conflict, wish: { conflict: conflict.id, version: conflict.version } };
}

export const PAIRS: Readonly<Record<string, Case>> = {
  'settle: both texts are shown, and the one that stands is kept': async (on) => {
    const { mirrors, conflict, wish } = await collide(on);
    const settled = await mirrors.settle('First (issues#1)', { ...wish, take: 'standing' });
    return [conflict, settled, mirrors.list(), await on.sync(), await list(on)];
  },
  'settle: the one that lost is taken, and sent': async (on) => {
    const { mirrors, wish } = await collide(on);
    return [
      await mirrors.settle('First (issues#1)', { ...wish, take: 'lost' }),
      await on.sync(),
      await list(on),
    ];
  },
  'settle: a text of one’s own, and the same wish again': async (on) => {
    const { mirrors, wish } = await collide(on);
    const own = { ...wish, take: 'own', text: 'It fails: Mondays, Fridays.' } as const;
    return [
      await mirrors.settle('First (issues#1)', own),
      await mirrors.settle('First (issues#1)', own),
      await list(on),
    ];
  },
  'settle: what was changed meanwhile is refused': async (on) => {
    const { mirrors, wish } = await collide(on);
    on.edit(FIRST, 'Fridays', 'holidays');
    return mirrors.settle('First (issues#1)', { ...wish, take: 'lost' });
  },
  'settle: settled otherwise already': async (on) => {
    const { mirrors, wish } = await collide(on);
    await mirrors.settle('First (issues#1)', { ...wish, take: 'standing' });
    return mirrors.settle('First (issues#1)', { ...wish, take: 'lost' });
  },
  'settle: a conflict there is not': async (on) => {
    const { mirrors, wish } = await collide(on);
    return mirrors.settle('First (issues#1)', { ...wish, conflict: '99999', take: 'lost' });
  },
  'settle: a task there is not': async (on) => {
    const { mirrors, wish } = await collide(on);
    return mirrors.settle('Nope', { ...wish, take: 'lost' });
  },
  'publish: a task becomes an issue, once': async (on) => {
    const mirrors = await on.mirrors();
    const pair = await mirrors.publish('Mine', 'web');
    return [pair, mirrors.list(), await mirrors.publish('mine1234', 'web'), await on.sync()];
  },
  'publish: no such chore': async ({ mirrors }) => (await mirrors()).publish('Mine', 'wbe'),
  'publish: no such task': async ({ mirrors }) => (await mirrors()).publish('Nope', 'web'),
  'publish: one that is mirrored elsewhere': async (on) => {
    await on.sync();
    return (await on.mirrors()).publish('First (issues#1)', 'still');
  },
  'unlink: both sides stay': async (on) => {
    await on.sync();
    const mirrors = await on.mirrors();
    return [await mirrors.unlink('First (issues#1)'), mirrors.list(), await on.sync()];
  },
  'unlink: by the issue, its file gone': async (on) => {
    await on.sync();
    on.remove(FIRST);
    return (await on.mirrors()).unlink('issues#1');
  },
  'unlink: a task that has none': async ({ mirrors }) => (await mirrors()).unlink('Mine'),
  'link: a task with an issue': async (on) => {
    const mirrors = await on.mirrors();
    const pair = await mirrors.link('Mine', 'issues#2', 'web');
    return [pair, mirrors.list(), await on.sync(), await list(on)];
  },
  'link: once more': async (on) => {
    const mirrors = await on.mirrors();
    await mirrors.link('Mine', 'issues#2', 'web');
    return mirrors.link('Mine', 'issues#3');
  },
  'link: an issue that is another task already': async (on) => {
    await on.sync();
    return (await on.mirrors()).link('Mine', 'issues#2', 'web');
  },
  'link: what no chore mirrors': async ({ mirrors }) =>
    (await mirrors()).link('Mine', 'https://tracker.example/issues/2'),
  'link: by a chore there is not': async ({ mirrors }) => (await mirrors()).link('Mine', 'issues#2', 'wbe'),
};
