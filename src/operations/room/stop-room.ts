import { currentHolder } from '../../store/lock/locks.ts';
import { flag, operation, z } from '../operation.ts';

export const stopRoom = operation({
  summary: 'ask the daemon of the room to stop',
  about: 'The one that is named, and no later one.',
  needs: 'person',
  http: { method: 'post', path: '/api/stop' },
  input: () => ({
    ...{ pid: z.int(), since: z.number() },
    now: flag('interrupt the turns that run'),
  }),
  output: () => ({ asked: flag() }),
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
