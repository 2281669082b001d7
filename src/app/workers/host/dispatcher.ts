// Turns on other machines, put together: the queue they go through, the runners that send them, and what workers ask of it.
// A room that names no queue loads nothing of it.

import type { Runner } from '../../../agents/runner.ts';
import type { RunnerName } from '../../../core/config/agent-config.ts';
import { RoomError } from '../../../core/errors.ts';
import type { Effects, Timer } from '../../../effects.ts';
import { keepRoomId } from '../../../store/files/room-id.ts';
import { createDispatchedTable, createWorkersTable } from '../../../store/ledger/turns/jobs.ts';
import type { TaskRoom } from '../../../tasks/task-room.ts';
import type { OpenBridges } from '../../bridge/turn-bridges.ts';
import type { RoomWorkspaces } from '../../workspaces/workspaces.ts';
import { createPgBossQueue } from '../queue/pg-boss-queue.ts';
import { queueAddress } from '../queue/queue-address.ts';
import { createRemoteRunner, type Dispatching } from './remote-runner.ts';
import { createWorkerApi } from './worker-api.ts';
import { createWorkerRegistry } from './worker-registry.ts';

/** What of the running loop it tells. */
interface Loop {
  agentsChanged(): void;
  note(about: string, trouble: RoomError | null): void;
}

/** @throws RoomError `bad_input` for a queue whose address is not set */
export function createDispatcher(
  deps: TaskRoom,
  variable: string,
  local: ReadonlyMap<RunnerName, Runner>,
  bridges: OpenBridges,
  workspaces: RoomWorkspaces,
) {
  const { ledger, effects, room } = deps;
  let loop: Loop | null = null;
  let isStopping = false;
  const roomId = keepRoomId(room, ledger, effects);
  const url = queueAddress(variable, effects);
  const trouble = watchTrouble(
    effects,
    () => queue.ping(),
    (error) => loop?.note('queue', error === null ? null : queueTrouble(error)),
  );
  const onTrouble = trouble.note;
  const onWorkerTrouble = (name: string, why: string | null) =>
    loop?.note(`worker ${name}`, why === null ? null : workerTrouble(name, why));
  const onFreed = (agent: string) => registry.announce(agent);
  const queue = createPgBossQueue({ url, room: roomId, role: 'host', onTrouble, onFreed });
  const table = createDispatchedTable(ledger.database);
  const workers = createWorkersTable(ledger.database);
  table.prune();
  const registry = createWorkerRegistry(workers, effects, (gone) => {
    if (gone !== null && gone.trouble !== null) onWorkerTrouble(gone.name, null);
    loop?.agentsChanged();
  });
  const unsubscribe = deps.events.subscribe(({ type }) => {
    if (type === 'room.stopping') isStopping = true;
    // They ask anew, and are told what agents there are now.
    if (type === 'config.reloaded' || type === 'config.invalid') registry.nudgeAll();
  });
  const dispatching: Dispatching = {
    ...{ deps, queue, table, workers, registry, bridges, roomId, variable, onTrouble, onWorkerTrouble },
    ...{ remoteTurns: new Map(), workspaces: workspaces.room, isStopping: () => isStopping },
  };
  return {
    runners: new Map([...local].map(([name, runner]) => [name, createRemoteRunner(runner, dispatching)])),
    api: createWorkerApi(dispatching),
    /** Whether a turn is out at a worker, or waits for one. */
    isOut: (turn: string) => table.get(turn) !== null,
    started(running: Loop) {
      loop = running;
      loop.agentsChanged();
    },
    async close() {
      unsubscribe();
      registry.close();
      trouble.close();
      await queue.close();
    },
  };
}

function workerTrouble(name: string, trouble: string): RoomError {
  const hint = 'taskroom workers';
  return new RoomError('unavailable', `worker ${name} takes no turns: ${trouble}`, { hint });
}

function queueTrouble(error: unknown): RoomError {
  if (error instanceof RoomError) return error;
  const said = error instanceof Error ? error.message : String(error);
  return new RoomError('unavailable', `the queue on PostgreSQL: ${said}`, { cause: error });
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
  const askAgain = () => {
    timer = null;
    ping().then(() => onTrouble(null), note);
  };
  function note(error: unknown): void {
    onTrouble(error);
    if (error !== null && !isClosed) timer ??= effects.setTimer(PING_MS, askAgain, true);
  }
  return {
    note,
    close() {
      isClosed = true;
      timer?.cancel();
    },
  };
}
