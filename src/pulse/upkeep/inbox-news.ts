// Has what is new in the inbox told by the ways that room.yaml names: looked at soon after something happened that may need
// the person, each thing on record once, so that nothing is told again after a restart.

import type { RoomEventType } from '../../core/events.ts';
import type { Timer } from '../../effects.ts';
import type { Client } from '../../operations/client.ts';
import type { Base } from '../base.ts';
import type { Notices } from './notices.ts';

interface InboxNewsOptions extends Pick<Base, 'deps' | 'onTrouble'> {
  tasks: Pick<Client, 'call'>;
  notices: Pick<Notices, 'look'>;
}

// What happens together is looked at once.
const REST_MS = 1_000;

const MAY_NEED_PERSON: ReadonlySet<RoomEventType> = new Set<RoomEventType>([
  'room.ready',
  'room.trouble',
  'room.mended',
  'question.asked',
  'question.answered',
  'question.withdrawn',
  'task.paused',
  'task.resumed',
  'task.invalid',
  'task.mended',
  'task.waiting',
  'tasks.held',
  'mirror.conflict',
  'mirror.settled',
  'mirror.paused',
  'mirror.detached',
  'chore.failed',
]);

export function createInboxNews({ deps, tasks, notices, onTrouble }: InboxNewsOptions) {
  const { ledger, effects, events, config } = deps;
  let timer: Timer | null = null;
  let isStopped = false;

  async function look(): Promise<void> {
    timer = null;
    try {
      const { inbox } = await tasks.call('inbox', {}, { kind: 'person' }, true);
      const { on } = config().notify;
      const isChosen = (kind: string) => (on as readonly string[]).includes(kind);
      if (ledger.notices.takeIn(inbox, effects.now(), isChosen) > 0 && !isStopped) notices.look();
    } catch (error) {
      onTrouble(error);
    }
  }

  const unsubscribe = events.subscribe(({ type }) => {
    if (!isStopped && MAY_NEED_PERSON.has(type)) timer ??= effects.setTimer(REST_MS, () => void look());
  });

  return {
    /** Looks a last time; what is new is on record when it resolves. */
    async stop(): Promise<void> {
      isStopped = true;
      unsubscribe();
      if (timer === null) return;
      timer.cancel();
      await look();
    },
  };
}
