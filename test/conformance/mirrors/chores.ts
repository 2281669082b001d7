// Chores: listed, and asked for.
import type { Case } from './case.ts';

export const CHORES: Readonly<Record<string, Case>> = {
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
