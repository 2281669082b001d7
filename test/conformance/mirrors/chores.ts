// Chores: listed, and asked for.
import type { Case } from './case.ts';

export const CHORES: Readonly<Record<string, Case>> = {
  'chores: all of them, readable or not': ({ chores }) => chores.list(),
  'chores: one with a prompt is asked for, twice': async ({ chores }) => [
    await chores.run('look', { kind: 'person' }),
    await chores.run('look', { kind: 'person' }),
    await chores.list(),
  ],
  'chores: one that mirrors is asked for': async ({ chores }) => [
    await chores.run('web', { kind: 'person' }),
    await chores.list(),
  ],
  'chores: how a sync went stands there': async ({ chores, sync }) => {
    await sync();
    return chores.list();
  },
  'chores: there is none of the name': ({ chores }) => chores.run('wbe', { kind: 'person' }),
  'chores: a paused one is refused': ({ chores }) => chores.run('still', { kind: 'person' }),
  'chores: one that can not be read': ({ chores }) => chores.run('bad', { kind: 'person' }),
  'chores: a name that is a path': ({ chores }) => chores.run('../room', { kind: 'person' }),
};
