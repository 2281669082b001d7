// What the operations need besides the room: whether a daemon observes, how to wake it, and how to end its orphans.
import type { TurnReason } from '../core/rules/turn.ts';
import type { TurnRecord } from '../store/ledger/turns.ts';
import type { TaskRoom } from './task-room.ts';

/** Handed in by the runtime, so that this layer knows neither locks of daemons nor processes. */
export interface OperationPorts {
  /** A daemon holds the room: it observes what is written, nobody else does. */
  daemonRuns(): boolean;
  /** That daemon is another process. */
  isGuest?(): boolean;
  /** Makes the daemon look at the ledger. Harmless when none runs. */
  ring(): void;
  /** Ends a turn whose daemon died, records that, and resolves when nothing of it is alive. */
  killOrphan(turn: TurnRecord, reason: TurnReason): Promise<void>;
}

/** The room and the ports: what every operation gets. */
export interface RoomHandle {
  readonly deps: TaskRoom;
  readonly ports: OperationPorts;
}
