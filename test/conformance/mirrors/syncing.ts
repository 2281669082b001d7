// Syncs with each of their options, and the list of mirrors before and after.
import type { Case, MirrorCase } from './case.ts';

const list = async ({ mirrors }: MirrorCase) => (await mirrors()).list();
const FIRST = 'tasks/First (issues#1).md';

export const SYNCING: Readonly<Record<string, Case>> = {
  'sync: which chores mirror': async ({ mirrors }) => [(await mirrors()).sources(), (await mirrors()).list()],
  'sync: the first one, and one with nothing to do': async (on) => [
    await on.sync(),
    await on.sync(),
    await list(on),
  ],
  'sync: a list that was open before shows what is after': async (on) => {
    const open = await on.mirrors();
    const before = open.list();
    await open.syncChore('web', { pull: true, push: true }, new AbortController().signal);
    return [before, open.list(), open.sources()];
  },
  'sync: a dry run says what it would do': async (on) => {
    const first = await on.sync({ dryRun: true });
    await on.sync();
    on.edit(FIRST, 'It fails.', 'It fails on Mondays.');
    return [first, await on.sync({ dryRun: true }), await list(on)];
  },
  'sync: one way alone': async (on) => {
    await on.sync();
    on.edit(FIRST, 'It fails.', 'It fails on Mondays.');
    on.change(2, { title: 'Second of all' });
    const pulled = await on.sync({ push: false });
    const waiting = await list(on);
    return [pulled, waiting, await on.sync({ pull: false }), await list(on)];
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
    await on.sync({ sameRoom: true }),
    await on.sync({ newRoom: true }),
  ],
  'sync: a tracker that is gone is told in the report': async (on) => {
    on.remove('issues.json');
    return [await on.sync(), await list(on), await on.chores.list()];
  },
  'sync: stopped before it began': async ({ mirrors }) =>
    (await mirrors()).syncChore('web', { pull: true, push: true }, AbortSignal.abort()),
  'sync: a chore there is not': (on) => on.sync({}, 'wbe'),
  'sync: a chore that mirrors nothing': (on) => on.sync({}, 'look'),
};
