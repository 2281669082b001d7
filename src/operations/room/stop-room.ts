import * as z from 'zod';
import { currentHolder } from '../../store/lock/locks.ts';
import { operation } from '../operation.ts';

export const stopRoom = operation({
  name: 'stopRoom',
  summary: 'ask the daemon of the room to stop',
  about: 'The one that is named, and no later one.',
  needs: 'person',
  http: { method: 'post', path: '/api/stop' },
  input: () =>
    z.strictObject({
      ...{ pid: z.int(), since: z.number() },
      now: z.boolean().meta({ description: 'interrupt the turns that run' }),
    }),
  output: () => z.strictObject({ asked: z.boolean() }),
  async run({ deps, ports }, { pid, since, now }) {
    const holder = currentHolder(deps.room);
    const asked = holder !== null && holder.pid === pid && holder.since === since;
    if (asked) {
      deps.ledger.messages.send({ kind: 'stop', now, pid, since }, deps.effects.now());
      ports.ring();
    }
    return { asked };
  },
});
