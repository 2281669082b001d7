// The composition root: opens a room and wires its layers. The only file that knows every layer. What only the
// loop needs (watcher, runners) is loaded when the loop starts, so that small commands start quickly.
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentConfig } from './core/agent-config.ts';
import { type Problem, RoomError } from './core/errors.ts';
import { createEventBus, type EventBus } from './core/events.ts';
import type { RoomConfig } from './core/room-config.ts';
import type { Effects } from './effects.ts';
import { recordKilled } from './pulse/killed.ts';
import { createLazyWriter } from './store/lazy-writer.ts';
import { type Ledger, openLedger } from './store/ledger/ledger.ts';
import { currentHolder, type LockHolder } from './store/lock.ts';
import { openRoom, type Room } from './store/room.ts';
import { loadSettings, type Settings } from './store/settings.ts';

import { createOperations } from './tasks/create-operations.ts';
import type { Operations } from './tasks/operations.ts';
import type { TaskRoom } from './tasks/task-room.ts';

export { findRoom } from './store/room.ts';

export interface PulseOptions {
  /** What the process is, for the lock: `up` or `once`. */
  command: 'up' | 'once';
  /** Resolve `finished` when no request, turn or retry is left. */
  exitWhenIdle?: boolean;
  /** Resolve `finished` when all that was due has run; retries are left for later. */
  once?: boolean;
}

/** The running loop of a room. */
export interface Pulse {
  /** Resolves when it ends by itself (once, exitWhenIdle) or was stopped. */
  readonly finished: Promise<{ turns: number; failed: number }>;
  /** No new turns; running ones get `graceMs` and are then interrupted. Called again with 0 it stops at once. Idempotent. */
  stop(graceMs: number): Promise<void>;
}

export interface Runtime {
  readonly room: Room;
  readonly events: EventBus;
  readonly tasks: Operations;
  config(): RoomConfig;
  agents(): ReadonlyMap<string, AgentConfig>;
  /** What is wrong with room.yaml and the agents' files. */
  problems(): readonly Problem[];
  /** What is missing on this machine to run the room's agents. */
  checkAgents(): Promise<Problem[]>;
  /** The daemon of this room, when one runs. */
  holder(): LockHolder | null;
  /** Asks the daemon to stop. */
  requestStop(now: boolean): void;
  /** @throws RoomError `locked` when another daemon holds the room, `invalid_file` when room.yaml can't be read */
  startPulse(options: PulseOptions): Promise<Pulse>;
  close(): Promise<void>;
}

export interface RuntimeOptions {
  /** A command that only reads: creates nothing in the room. */
  readOnly?: boolean;
}

/**
 * Opens a room.
 * @throws RoomError `no_room`, `io`
 */
export async function openRuntime(
  dir: string,
  effects: Effects,
  options: RuntimeOptions = {},
): Promise<Runtime> {
  const room = openRoom(dir);
  const settings = loadSettings(room);
  const ledger = openRoomLedger(room, options.readOnly === true);
  const writer = createLazyWriter({ room, database: ledger.database, effects });
  const events = createEventBus((fault) => process.stderr.write(`a subscriber failed: ${String(fault)}\n`));
  const deps: TaskRoom = {
    room,
    ledger,
    writer,
    effects,
    events,
    config: settings.config,
    agents: settings.agents,
  };
  let pulseRuns = false;
  const holder = () => currentHolder(room);
  const tasks = createOperations(deps, {
    daemonRuns: () => pulseRuns || holder() !== null,
    ring: () => ring(room, effects),
    async killOrphan(turn, reason) {
      const { endOrphan } = await import('./runners/orphan.ts');
      await endOrphan(room.dir, join(room.turnsDir, turn.id), turn.id, effects);
      recordKilled(deps, turn, reason);
    },
  });
  return {
    room,
    events,
    tasks,
    config: settings.config,
    agents: settings.agents,
    problems: settings.problems,
    async checkAgents() {
      const { createRunners } = await import('./runners/registry.ts');
      const runners = createRunners();
      const checks = [...settings.agents().values()].map(
        (agent) => runners.get(agent.runner)?.check(agent, effects) ?? [],
      );
      return (await Promise.all(checks)).flat();
    },
    holder,
    requestStop(now) {
      ledger.notes.send({ kind: 'stop', now }, effects.now());
      ring(room, effects);
    },
    async startPulse(mode) {
      assertReadable(settings);
      pulseRuns = true;
      try {
        return await startLoop(deps, tasks, settings, mode);
      } catch (error) {
        pulseRuns = false;
        throw error;
      }
    },
    async close() {
      await writer.close();
      ledger.close();
    },
  };
}

async function startLoop(
  deps: TaskRoom,
  tasks: Operations,
  settings: Settings,
  mode: PulseOptions,
): Promise<Pulse> {
  const [
    { startPulse },
    { createEmbeddedQueue },
    { createRunners },
    { claimUnstarted },
    { endOrphan },
    { installBin },
  ] = await Promise.all([
    import('./pulse/pulse.ts'),
    import('./pulse/queue.ts'),
    import('./runners/registry.ts'),
    import('./runners/identity.ts'),
    import('./runners/orphan.ts'),
    import('./pulse/bin-folder.ts'),
  ]);
  return startPulse(
    {
      deps,
      tasks,
      queue: createEmbeddedQueue(deps.ledger),
      runners: createRunners(),
      reloadSettings: () => reload(settings, deps.events),
      async endOrphan(turn) {
        await endOrphan(deps.room.dir, join(deps.room.turnsDir, turn), turn, deps.effects);
        writeFileSync(
          join(deps.room.turnsDir, turn, 'result.json'),
          '{"state":"failed","reason":"interrupted"}\n',
        );
      },
      claimUnstarted: async (dir) => (await claimUnstarted(dir)) === 'claimed',
      binDir: installBin(
        deps.room,
        new URL(`./faces/cli/bin${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url),
      ),
      withheldEnv: [],
    },
    { command: mode.command, once: mode.once === true, exitWhenIdle: mode.exitWhenIdle === true },
  );
}

function openRoomLedger(room: Room, readOnly: boolean): Ledger {
  // A reader makes no ledger; where there is none it works in memory.
  if (readOnly && !existsSync(room.ownDir)) return openLedger(':memory:');
  return openLedger(room.ledgerPath);
}

function assertReadable(settings: Settings): void {
  const problems = settings.problems().filter((problem) => problem.path === 'room.yaml');
  if (problems.length > 0)
    throw new RoomError('invalid_file', "room.yaml can't be read", {
      problems,
      hint: 'mend it, then start again',
    });
}

function reload(settings: Settings, events: EventBus): boolean {
  const problems = settings.reload();
  events.emit(problems.length > 0 ? { type: 'config.invalid', problems } : { type: 'config.reloaded' });
  // Good agents count although a neighbour is bad.
  return !problems.some((problem) => problem.path === 'room.yaml');
}

function ring(room: Room, effects: Effects): void {
  if (!existsSync(room.wakePath)) {
    mkdirSync(dirname(room.wakePath), { recursive: true });
    writeFileSync(room.wakePath, '');
  }
  const seconds = effects.now() / 1000;
  utimesSync(room.wakePath, seconds, seconds);
}
