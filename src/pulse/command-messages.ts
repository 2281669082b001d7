// What commands left in the ledger for the running loop, carried out in the order it was sent.
import type { Ledger } from '../store/ledger/ledger.ts';
import type { Message } from '../store/ledger/turns/notices.ts';
import type { LockHolder } from '../store/lock/locks.ts';
import type { Loop } from './loop.ts';
import type { Jobs } from './ports.ts';

export interface CommandMessagesOptions {
  ledger: Ledger;
  loop: Loop;
  jobs: Pick<Jobs, 'look'>;
  /** Who this daemon is. */
  self: Pick<LockHolder, 'pid' | 'since'>;
  /** Stops the loop; running turns get `graceMs` to end by themselves. */
  stop(graceMs: number): void;
  /** Reads the settings anew. */
  takeSettings(): void;
  onTrouble(error: unknown): void;
}

const STOP_GRACE_MS = 30_000;

export function createCommandMessages(options: CommandMessagesOptions) {
  const { ledger, loop, self, stop, onTrouble } = options;

  function carryOut(message: Message): void {
    switch (message.kind) {
      case 'stop':
        if (message.pid !== self.pid || message.since !== self.since) return;
        return stop(message.now ? 0 : STOP_GRACE_MS);
      case 'look':
        message.tasks.forEach(loop.settling.asked);
        // One may have been asked for already, and wait no more for its agent.
        return loop.scheduler.requested();
      case 'settings':
        options.takeSettings();
        loop.decider.decideAll();
        return loop.scheduler.startTurns();
      case 'release':
        loop.decider.decideAll();
        return loop.scheduler.startTurns();
      case 'jobs':
        return options.jobs.look();
      case 'chores':
        return void loop.chores.look();
      case 'kill': {
        const turn = ledger.turns.get(message.turn);
        if (turn) loop.running.stop(turn.thread, 'person');
      }
    }
  }

  return {
    /** Reads and carries out what is there. Never throws. */
    receive(): void {
      try {
        ledger.messages.receive().forEach(carryOut);
        loop.notices.look();
      } catch (error) {
        onTrouble(error);
      }
    },
  };
}
