// What commands left in the ledger for the running loop, carried out in the order it was sent.
import type { Message } from '../store/ledger/turns/notices.ts';
import type { LockHolder } from '../store/lock/locks.ts';
import type { Base } from './base.ts';
import type { Stations } from './stations.ts';

interface Daemon {
  holder: Pick<LockHolder, 'pid' | 'since'>;
  /** Stops the loop; running turns get `graceMs` to end by themselves. */
  stop(graceMs: number): void;
  takeSettings(): void;
}

const STOP_GRACE_MS = 30_000;

/** Reads and carries out what is there. Never throws. */
export function receiveMessages(base: Base, stations: Stations, daemon: Daemon): void {
  try {
    for (const message of base.deps.ledger.messages.receive()) carryOut(base, stations, daemon, message);
    stations.notices.look();
  } catch (error) {
    base.onTrouble(error);
  }
}

function carryOut(
  base: Base,
  { due, scheduler, chores }: Stations,
  { holder, stop, takeSettings }: Daemon,
  message: Message,
): void {
  switch (message.kind) {
    case 'stop':
      if (message.pid === holder.pid && message.since === holder.since) stop(message.now ? 0 : STOP_GRACE_MS);
      return;
    case 'look':
      message.tasks.forEach(due.asked);
      // One may have been asked for already, and wait no more for its agent.
      return scheduler.requested();
    case 'settings':
    case 'release':
      if (message.kind === 'settings') takeSettings();
      due.decideAll();
      return scheduler.startTurns();
    case 'jobs':
      return base.jobs.look();
    case 'chores':
      return void chores.look();
    case 'kill': {
      const turn = base.deps.ledger.turns.get(message.turn);
      if (turn) base.active.stop(turn.thread, 'person');
    }
  }
}
