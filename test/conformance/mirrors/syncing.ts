// Syncs with each of their options, and the list of mirrors before and after.
import type { Case, MirrorCase } from './case.ts';

const list = async ({ ask }: MirrorCase) => (await ask('listMirrors', {})).mirrors;
const FIRST = 'tasks/First (issues#1).md';

export const SYNCING: Readonly<Record<string, Case>> = {
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
