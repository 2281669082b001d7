// Turns on other machines: their queue, the runners that send them out, and the API that workers ask. Loaded only where a room names a queue.

import type { Runner } from '../../../agents/runner.ts';
import type { RunnerName } from '../../../core/config/agent-config.ts';
import { RoomError } from '../../../core/errors.ts';
import type { Effects, Timer } from '../../../effects.ts';
import type { RunningPulse } from '../../../pulse/pulse.ts';
import { keepRoomId } from '../../../store/files/room-id.ts';
import type { TaskRoom } from '../../../tasks/task-room.ts';
import type { OpenBridges } from '../../bridge/turn-bridges.ts';
import type { RoomWorkspaces } from '../../workspaces/workspaces.ts';
import { createPgBossQueue, unreachable } from '../queue/pg-boss-queue.ts';
import { queueAddress } from '../queue/queue-address.ts';
import { createRemoteRunner, type Dispatching } from './remote-runner.ts';
import { createWorkerApi } from './worker-api.ts';
import { createWorkerRegistry } from './worker-registry.ts';

type Loop = Pick<RunningPulse, 'agentsChanged' | 'note'>;

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
    (error) => loop?.note('queue', error === null ? null : unreachable(error)),
  );
  const onTrouble = trouble.note;
  const onWorkerTrouble = (name: string, why: string | null) => {
    const message = `worker ${name} takes no turns: ${why}`;
    const trouble = why === null ? null : new RoomError('unavailable', message, 'taskroom worker list');
    loop?.note(`worker ${name}`, trouble);
  };
  const onFreed = (agent: string) => registry.announce(agent);
  const queue = createPgBossQueue({ url, room: roomId, role: 'host', onTrouble, onFreed });
  const table = ledger.dispatched;
  const workers = ledger.workers;
  table.prune();
  const registry = createWorkerRegistry(workers, effects, (gone) => {
    if (gone !== null && gone.trouble !== null) onWorkerTrouble(gone.name, null);
    loop?.agentsChanged();
  });
  const unsubscribe = deps.events.subscribe(({ type }) => {
    if (type === 'room.stopping') isStopping = true;
    // Workers ask again, and learn which agents there are now.
    if (type === 'config.reloaded' || type === 'config.invalid') registry.nudgeAll();
  });
  const dispatching: Dispatching = {
    ...{ deps, queue, table, workers, registry, bridges, roomId, variable, onTrouble, onWorkerTrouble },
    ...{ remoteTurns: new Map(), workspaces: workspaces.room, isStopping: () => isStopping },
  };
  return {
    runners: new Map([...local].map(([name, runner]) => [name, createRemoteRunner(runner, dispatching)])),
    api: createWorkerApi(dispatching),
    /** Whether a worker has the turn, or the turn waits for one. */
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

const PING_MS = 2_000;

/** Notes what is wrong with the queue, and asks the queue until it answers: trouble ends although nothing is sent to it meanwhile. */
export function watchTrouble(
  effects: Effects,
  ping: () => Promise<void>,
  onTrouble: (error: unknown) => void,
) {
  let timer: Timer | null = null;
  let isClosed = false;
  let answeredMs = -Infinity;
  /** @param tookMs how long the call took that failed: one that began before the last good answer says nothing of now */
  function note(error: unknown, tookMs = 0): void {
    const nowMs = effects.monotonicMs();
    if (error === null) answeredMs = nowMs;
    else if (isClosed || nowMs - tookMs < answeredMs) return;
    else timer ??= effects.setTimer(PING_MS, askAgain, true);
    onTrouble(error);
  }
  function askAgain(): void {
    timer = null;
    ping().then(() => note(null), note);
  }
  return {
    note,
    close() {
      isClosed = true;
      timer?.cancel();
    },
  };
}
