// What commands left in the ledger for the running loop, carried out in the order it was sent.
import type { Message } from '../store/ledger/turns/notices.ts';
import type { LockHolder } from '../store/lock/locks.ts';
import type { Base } from './base.ts';
import type { Stations } from './stations.ts';

interface MessagesOptions {
  /** Who this daemon is. */
  self: Pick<LockHolder, 'pid' | 'since'>;
  /** Stops the loop; running turns get `graceMs` to end by themselves. */
  stop(graceMs: number): void;
  /** Reads the settings anew. */
  takeSettings(): void;
}

const STOP_GRACE_MS = 30_000;

export function createMessages(
  base: Base,
  stations: Stations,
  { self, stop, takeSettings }: MessagesOptions,
) {
  const { due, scheduler } = stations;
  const { messages, turns } = base.deps.ledger;

  function carryOut(message: Message): void {
    switch (message.kind) {
      case 'stop':
        if (message.pid === self.pid && message.since === self.since) stop(message.now ? 0 : STOP_GRACE_MS);
        return;
      case 'look':
        message.tasks.forEach(due.asked);
        // One may have been asked for already, and wait no more for its agent.
        return scheduler.requested();
      case 'settings':
        takeSettings();
        due.decideAll();
        return scheduler.startTurns();
      case 'release':
        due.decideAll();
        return scheduler.startTurns();
      case 'jobs':
        return base.jobs.look();
      case 'chores':
        return void stations.chores.look();
      case 'kill': {
        const turn = turns.get(message.turn);
        if (turn) base.active.stop(turn.thread, 'person');
      }
    }
  }

  return {
    /** Reads and carries out what is there. Never throws. */
    receive(): void {
      try {
        messages.receive().forEach(carryOut);
        stations.notices.look();
      } catch (error) {
        base.onTrouble(error);
      }
    },
  };
}
