import { flag, operation, text, z } from '../operation.ts';

export const runChore = operation({
  summary: 'run a chore now',
  about: 'Asks for a run now, whatever failed before; a run that goes on is followed by another.',
  needs: 'person',
  http: { method: 'post', path: '/api/chores/{name}/run', status: 202 },
  cli: {
    command: 'chores run',
    words: ['name'],
    said: ({ name, kind, daemon }) => [
      `${name} ${kind === 'mirror' ? 'is synced' : 'gets a turn'} ${daemon ? 'now' : 'with the next taskroom up or taskroom once'}`,
    ],
  },
  input: () => ({ name: text("the name of the chore's file") }),
  output: () =>
    z
      .strictObject({
        ...{ name: text(), kind: z.enum(['mirror', 'prompt']) },
        daemon: flag('something runs the room'),
      })
      .meta({ id: 'ChoreAsked' }),
  async run(on, { name }) {
    const asked = await (await import('../../chores/chore-list.ts')).askForChore(on, name);
    const daemon = on.ports.daemonRuns();
    if (daemon) {
      on.ledger.messages.send({ kind: 'chores' }, on.effects.now());
      on.ports.ring();
    }
    return { ...asked, daemon };
  },
});
