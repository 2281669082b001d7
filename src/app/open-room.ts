// The composition root. What only the loop needs loads when it starts, so that small commands start quickly.
import { existsSync } from 'node:fs';
import { BUILT_IN_SECRETS } from '../core/config/names.ts';
import { isRoomError, RoomError } from '../core/errors.ts';
import { createEventBus, type EventBus } from '../core/events.ts';
import type { TaskId } from '../core/ids.ts';
import { createRedactor } from '../core/redact.ts';
import type { Effects } from '../effects.ts';
import { type Client, createClient } from '../operations/client.ts';
import type { BridgeCaller } from '../remote/protocol.ts';
import { loadSettings, type Settings } from '../store/files/settings.ts';
import { type Ledger, openLedger } from '../store/ledger/ledger.ts';
import { currentHolder } from '../store/lock/locks.ts';
import { onDisk, openRoom, type Room, secureOwnFolder } from '../store/room.ts';
import { createWriter } from '../store/write/writer.ts';
import { readServices } from '../sync/mirror-services.ts';
import { untroubled } from '../tasks/observe/refresh.ts';
import type { HeardPaths } from '../tasks/observe/room-files.ts';
import type {
  Actor,
  KeptIndex,
  MirrorPort,
  OperationPorts,
  RoomHandle,
  RoomStanding,
  TaskRoom,
} from '../tasks/task-room.ts';
import { daemonPorts, type OwnDaemon } from './daemon-ports.ts';
import { lazyMirrors } from './mirrors/mirrors-on-demand.ts';
import type { RoomApi } from './room-api.ts';
import type { Pulse, PulseOptions } from './start-loop.ts';

export type { OutputReader } from '../agents/command/output-reader.ts';
export { isDamage } from '../store/ledger/sqlite-file.ts';
export { findRoom } from '../store/room.ts';
export type { ApiToken } from '../tasks/room/tokens.ts';
export { bridgeOfCaller } from './caller-turn.ts';
export type { WebhookReceiver, WebhookRefusal } from './mirrors/webhook-receiver.ts';
export type { RoomApi } from './room-api.ts';
export type { Pulse, PulseOptions } from './start-loop.ts';
export type { WorkerApi } from './workers/host/worker-api.ts';

/** A room as a caller has it, wherever it is: its operations, and who calls. */
export interface RoomClient {
  readonly tasks: Client;
  /** The person, or the agent of the turn whose bridge this is. */
  readonly caller: Actor;
  /** The room itself, where this process opened it; null over HTTP and inside a turn. */
  readonly here: OpenRoom | null;
  /** Inside a turn: what is known of its agent. @throws RoomError `not_allowed` when that can't be read */
  turn?(): BridgeCaller;
  close(): Promise<void>;
}

export interface OpenRoom extends RoomClient, Pick<TaskRoom, 'room' | 'events' | 'config' | 'agents'> {
  readonly here: OpenRoom;
  /** What people call a task. @param name where nobody knows it */
  titleOf(task: TaskId, name: string): string;
  standing(): RoomStanding;
  /** The first of these chores, of all where none is named, whose tracker this process lacks something for while a daemon runs; null for none. */
  lacks(chores: readonly string[]): Promise<{ chore: string; what: string } | null>;
  api(): Promise<RoomApi>;
  /** For a process that stays open: lists come from an index in memory from now on, which reads only the files that changed. */
  keepIndex(heard: HeardPaths): Promise<KeptIndex>;
  /** Changes whenever another process changed the ledger. */
  ledgerVersion(): number;
  /** @throws RoomError `locked` when another daemon holds the room, `invalid_file` when room.yaml can't be read */
  startPulse(options: PulseOptions): Promise<Pulse>;
}

export interface RuntimeOptions {
  /** A command that only reads: creates nothing in the room. */
  readOnly?: boolean;
}

/** @throws RoomError `no_room`, `io` */
export async function openRuntime(dir: string, given: Effects, options: RuntimeOptions = {}) {
  // Two rooms of one process withhold different secrets.
  const effects: Effects = { ...given, withheld: new Set(given.withheld) };
  const room = openRoom(dir);
  const own: OwnDaemon = { runs: false, index: null };
  const ledger = openRoomLedger(room, options.readOnly === true, effects, () => own.runs);
  const settings = loadSettings(room, ledger);
  const writer = createWriter({ room, database: ledger.database, effects, words: settings.config });
  const events = createRedactedEvents(effects);
  const base: TaskRoom = {
    ...{ room, ledger, writer, effects, events, config: settings.config, agents: settings.agents },
    mirrorServices: (task) => readServices({ room, ledger }, task, ports.isGuest?.() ? null : effects.env),
  };
  const standing = (): RoomStanding => {
    const holder = currentHolder(room);
    const trouble = own.runs || holder ? JSON.parse(ledger.meta.get('trouble') ?? '[]') : [];
    return { holder, problems: settings.problems(), trouble };
  };
  const ports: OperationPorts = {
    ...daemonPorts(base, own),
    standing,
    examine: async () => (await import('./examine/examine.ts')).examine(deps),
    examineWebhooks: async () => (await import('./examine/examine-mirrors.ts')).examineWebhooks(deps),
    mirrors: async () => (await mirrors.open()).mirrors,
    review: async () => (await import('./workspaces/review.ts')).createReview(deps),
  };
  const deps: RoomHandle = Object.assign(base, { ports });
  const tasks = createClient(deps);
  if (options.readOnly !== true) await finishLeft(deps);
  const mirrors = lazyMirrors(deps);
  const opened: OpenRoom = {
    ...{ room, events, tasks, standing, config: settings.config, agents: settings.agents },
    caller: { kind: 'person' },
    get here() {
      return opened;
    },
    titleOf: (task, name) => ledger.tasks.get(task)?.title ?? name,
    lacks: async (chores) =>
      standing().holder === null ? null : lacks((await mirrors.open()).mirrors, chores),
    api: async () => (await import('./room-api.ts')).createRoomApi(deps),
    keepIndex: async (heard) =>
      (own.index = new (await import('../tasks/views/room-index.ts')).RoomIndex(deps, heard)),
    ledgerVersion: () => Number(Object.values(ledger.database.get('PRAGMA data_version')!)[0]),
    async startPulse(mode) {
      assertReadable(settings);
      const { startLoop } = await import('./start-loop.ts');
      return asDaemon(own, () => startLoop(deps, mirrors, tasks, settings, mode));
    },
    async close() {
      await mirrors.close();
      await writer.close();
      ledger.close();
    },
  };
  return opened;
}

/** This process is the daemon from before the loop starts. */
async function asDaemon(own: OwnDaemon, start: () => Promise<Pulse>): Promise<Pulse> {
  own.runs = true;
  try {
    const pulse = await start();
    own.index = pulse.index;
    return pulse;
  } catch (error) {
    own.runs = false;
    throw error;
  }
}

/** Carries out, or takes back, a change of several tasks whose process died. */
async function finishLeft(deps: RoomHandle): Promise<void> {
  if (!deps.ledger.bulks.hasOpen() || deps.ports.daemonRuns()) return;
  const { finishBulks } = await import('../tasks/bulk/carry-out-bulk.ts');
  await untroubled(deps, () => finishBulks(deps));
}

/** No event holds a secret of a built-in provider. */
function createRedactedEvents(effects: Effects): EventBus {
  const names = Object.values(BUILT_IN_SECRETS).flat();
  const redact = createRedactor(names.map((name) => effects.env[name]));
  return createEventBus(
    (fault) => process.stderr.write(`a subscriber failed: ${redact(String(fault))}\n`),
    redact,
  );
}

function openRoomLedger(room: Room, readOnly: boolean, effects: Effects, runsHere: () => boolean): Ledger {
  // A reader makes no ledger; where there is none it works in memory.
  if (readOnly && !existsSync(room.ownDir)) return openLedger(':memory:', { effects });
  if (!readOnly) onDisk(room.ownDir, () => secureOwnFolder(room));
  return openLedger(room.ledgerPath, {
    effects,
    mapped: readOnly,
    mayReplace: () => runsHere() || currentHolder(room) === null,
  });
}

function assertReadable(settings: Settings): void {
  const problems = settings.problems().filter((problem) => problem.path === 'room.yaml');
  const hint = 'mend it, then start again';
  if (problems.length > 0) throw new RoomError('invalid_file', "room.yaml can't be read", { problems, hint });
}

async function lacks({ sources, lacks }: MirrorPort, chores: readonly string[]) {
  for (const chore of chores.length > 0 ? chores : sources()) {
    // Syncing the chore says what is wrong with it.
    const what = await lacks(chore).catch((error: unknown) => {
      if (isRoomError(error)) return null;
      throw error;
    });
    if (what !== null) return { chore, what };
  }
  return null;
}
