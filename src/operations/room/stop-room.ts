import { currentHolder } from '../../store/lock/locks.ts';
import { flag, operation, z } from '../operation.ts';

export const stopRoom = operation({
  summary: 'ask the daemon of the room to stop',
  about: 'The one that is named, and no later one.',
  needs: 'person',
  http: { method: 'post', path: '/api/stop' },
  input: () => ({ ...{ pid: z.int(), since: z.number() }, now: flag('interrupt the turns that run') }),
  output: () => ({ asked: flag() }),
  async run(on, { pid, since, now }) {
    const holder = currentHolder(on.room);
    const asked = holder !== null && holder.pid === pid && holder.since === since;
    if (asked) {
      on.ledger.messages.send({ kind: 'stop', now, pid, since }, on.effects.now());
      on.ports.ring();
    }
    return { asked };
  },
});
