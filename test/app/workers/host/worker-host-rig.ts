// The host's side of turns on workers, from its real parts: a room, its API on a port, the calls of workers, and the
// queue on PostgreSQL. Workers are given its address and a token.

import type { OpenBridges } from '../../../../src/app/bridge/turn-bridges.ts';
import type { OpenRoom } from '../../../../src/app/open-room.ts';
import { createRoomApi } from '../../../../src/app/room-api.ts';
import type { Dispatching } from '../../../../src/app/workers/host/remote-runner.ts';
import { createWorkerApi } from '../../../../src/app/workers/host/worker-api.ts';
import { createWorkerRegistry } from '../../../../src/app/workers/host/worker-registry.ts';
import type { WorkQueue } from '../../../../src/app/workers/queue/pg-boss-queue.ts';
import { createWorkspaces } from '../../../../src/app/workspaces/workspaces.ts';
import { answerMcp } from '../../../../src/mcp/serve-mcp.ts';
import { prepareApi } from '../../../../src/server/serve.ts';
import type { TestRoom } from '../../../tasks/test-room.ts';

export type WorkerHostRig = Awaited<ReturnType<typeof openWorkerHost>>;

export interface WorkerHostOptions {
  room: TestRoom;
  /** The host's end of it. */
  queue: WorkQueue;
  /** The room's id in the queue. */
  roomId: string;
  /** Name of the variable that holds the queue's address for workers. */
  variable: string;
  /** What it says it is: a worker of another version is offered nothing. */
  version?: string;
}

export async function openWorkerHost({ version = '0.0.0', ...options }: WorkerHostOptions) {
  const { room, queue, roomId, variable } = options;
  const { deps, tasks } = room;
  const { effects, events } = deps;
  const workers = deps.ledger.workers;
  const registry = createWorkerRegistry(workers, effects, () => undefined);
  const bridges: OpenBridges = new Map();
  const dispatching: Dispatching = {
    ...{ deps, queue, registry, workers, bridges, roomId, variable },
    workspaces: createWorkspaces(deps).room,
    table: deps.ledger.dispatched,
    remoteTurns: new Map(),
    isStopping: () => false,
    onTrouble(error) {
      if (error !== null) throw error;
    },
    onWorkerTrouble: () => undefined,
  };
  const workerApi = createWorkerApi(dispatching);
  const runtime = { tasks, events, api: async () => createRoomApi(deps) } as Partial<OpenRoom>;
  const tcp = { host: '127.0.0.1', port: 0, names: [], tls: null, withoutTls: false };
  const api = await prepareApi({ tcp, version, boardDir: null }, answerMcp);
  const served = await api.open({
    runtime: runtime as OpenRoom,
    effects,
    heard: () => 0,
    webhooks: null,
    workers: workerApi,
  });
  const { tokens } = await (runtime as OpenRoom).api();
  const given = { name: 'far', access: 'worker', tasks: null, agents: null, expiresAt: null } as const;
  return {
    ...{ dispatching, bridges, url: served.url ?? '' },
    /** Of a worker, for all agents. */
    token: tokens.create(given).token,
    async close(): Promise<void> {
      registry.close();
      await api.close();
    },
  };
}
