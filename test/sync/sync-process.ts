// One process on a room as sync needs it: ledger, writer, operations and engine over given effects and one provider.
import type { Chore } from '../../src/core/chore/chore.ts';
import type { RoomConfig } from '../../src/core/config/room-config.ts';
import { createEventBus } from '../../src/core/events.ts';
import type { Effects } from '../../src/effects.ts';
import { createClient } from '../../src/operations/client.ts';
import type { ProviderFactory } from '../../src/providers/provider.ts';
import { defaultRoomConfig, readAgents } from '../../src/store/files/config-files.ts';
import { openLedger } from '../../src/store/ledger/ledger.ts';
import { openRoom } from '../../src/store/room.ts';
import { createWriter } from '../../src/store/write/writer.ts';
import { createSync, type SyncPoint } from '../../src/sync/sync.ts';
import { freshTaskId } from '../../src/tasks/observe/give-id.ts';
import { refresh } from '../../src/tasks/observe/refresh.ts';
import type { TaskRoom } from '../../src/tasks/task-room.ts';

export interface SyncProcessOptions {
  dir: string;
  effects: Effects;
  chores: readonly Chore[];
  factory: ProviderFactory;
  config?: Partial<RoomConfig>;
  /** Called wherever a test may stop the process: at the engine's points, and at the writer's. */
  probe?: (point: SyncPoint | 'file', ledger: TaskRoom['ledger']) => void;
  /** Commits need not survive a power cut. */
  quick?: boolean;
}

export type SyncProcess = ReturnType<typeof openSyncProcess>;

export function openSyncProcess(options: SyncProcessOptions) {
  const { dir, effects, chores, factory, probe } = options;
  const room = openRoom(dir);
  const ledger = openLedger(room.ledgerPath, { effects });
  if (options.quick) ledger.database.run('PRAGMA synchronous = OFF');
  const pass = (point: SyncPoint | 'file') => probe?.(point, ledger);
  const writer = createWriter({ room, database: ledger.database, effects, probe: () => pass('file') });
  const events = createEventBus((fault) => {
    throw fault;
  });
  const config = { ...defaultRoomConfig(), ...options.config };
  const agents = readAgents(dir).agents;
  const read = { config: () => config, agents: () => agents };
  const deps: TaskRoom = { room, ledger, writer, effects, events, ...read };
  const ports = { daemonRuns: () => false, ring: () => undefined, killOrphan: async () => undefined };
  const handle = Object.assign(deps, { ports });
  const takeIn = (): Promise<void> => refresh(handle);
  const sync = createSync({
    ...deps,
    chores: () => chores,
    factory: async () => factory,
    freshTaskId: () => freshTaskId(deps),
    refresh: takeIn,
    announce: takeIn,
    probe: pass,
  });
  return {
    deps,
    tasks: createClient(handle),
    sync,
    /** Takes in what changed on disk. */
    takeIn,
    async close() {
      await sync.close();
      await writer.close();
      ledger.close();
    },
  };
}
