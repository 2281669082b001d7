// Turns on other machines, put together: the queue they go through, the runners that send them, and the desk that workers
// come to. Made when a room names a queue; nothing of it is loaded otherwise.
import type { RunnerName } from '../../core/config/agent-config.ts';
import type { Effects, Timer } from '../../effects.ts';
import type { Runner } from '../../runners/runner.ts';
import { createDispatchedTable, createWorkersTable } from '../../store/ledger/turns/dispatched.ts';
import { keepRoomId } from '../../store/room-id.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { OpenBridges } from '../bridge/open-bridges.ts';
import { createPgBossQueue } from '../work-queue/pg-boss-queue.ts';
import { queueAddress } from '../work-queue/queue-address.ts';
import type { WorkspaceRoom } from '../workspaces/workspace-room.ts';
import { createBranches } from './branches.ts';
import { createFlights } from './flights.ts';
import { createPresence } from './presence.ts';
import { createRemoteRunner } from './remote-runner.ts';
import { createWorkerDesk, type WorkerDesk } from './worker-desk.ts';

export interface DispatcherOptions {
  deps: TaskRoom;
  /** Name of the variable that holds the queue's address. */
  variable: string;
  runners: ReadonlyMap<RunnerName, Runner>;
  bridges: OpenBridges;
  withheldEnv: readonly string[];
  workspaces: WorkspaceRoom;
  isStopping(): boolean;
  /** Living workers, or what they can run, are others than before. */
  onWorkers(): void;
  /** What is wrong with a worker; null once it is not. */
  onWorkerTrouble(worker: string, trouble: string | null): void;
  /** What is wrong with the queue; null once it works again. */
  onTrouble(error: unknown): void;
}

export interface Dispatcher {
  runners: ReadonlyMap<RunnerName, Runner>;
  desk: WorkerDesk;
  /** Whether a turn is out at a worker, or waits for one. */
  hasOut(turn: string): boolean;
  close(): Promise<void>;
}

/** @throws RoomError `bad_input` for a queue whose address is not set */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { deps, variable, runners, bridges, withheldEnv, isStopping, onWorkers } = options;
  const { database } = deps.ledger;
  const roomId = keepRoomId(deps.room, deps.ledger, deps.effects);
  const url = queueAddress(variable, deps.effects);
  const trouble = watchTrouble(deps.effects, () => queue.ping(), options.onTrouble);
  const onTrouble = trouble.note;
  const onFreed = (agent: string) => presence.announce(agent);
  const queue = createPgBossQueue({ url, room: roomId, role: 'host', onTrouble, onFreed });
  const table = createDispatchedTable(database);
  const workers = createWorkersTable(database);
  table.prune();
  const presence = createPresence(workers, deps.effects, (gone) => {
    if (gone !== null && gone.trouble !== null) options.onWorkerTrouble(gone.name, null);
    onWorkers();
  });
  // They ask anew, and are told what agents there are now.
  const unsubscribe = deps.events.subscribe(({ type }) => {
    if (type === 'config.reloaded' || type === 'config.invalid') presence.nudgeAll();
  });
  const flights = createFlights();
  const dispatching = { deps, queue, table, flights, presence, isStopping, onTrouble };
  const branches = createBranches(options.workspaces, table);
  const desk = createWorkerDesk({
    ...{ ...dispatching, workers, bridges, branches, roomId, variable, withheldEnv },
    onWorkerTrouble: options.onWorkerTrouble,
  });
  return {
    runners: new Map([...runners].map(([name, runner]) => [name, createRemoteRunner(runner, dispatching)])),
    desk,
    hasOut: (turn) => table.get(turn) !== null,
    async close() {
      unsubscribe();
      presence.close();
      trouble.close();
      await queue.close();
    },
  };
}

const PING_MS = 2_000;

/** Trouble is over when the queue answers, whether or not anything is sent to it meanwhile. */
function watchTrouble(
  effects: Effects,
  ping: () => Promise<void>,
  onTrouble: (error: unknown) => void,
): { note(error: unknown): void; close(): void } {
  let timer: Timer | null = null;
  let isClosed = false;
  const askLater = () => {
    if (isClosed) return;
    timer ??= effects.setTimer(
      PING_MS,
      () => {
        timer = null;
        ping().then(
          () => onTrouble(null),
          (error) => note(error),
        );
      },
      true,
    );
  };
  const note = (error: unknown) => {
    onTrouble(error);
    if (error !== null) askLater();
  };
  return {
    note,
    close() {
      isClosed = true;
      timer?.cancel();
    },
  };
}
