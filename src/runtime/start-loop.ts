// Starts the loop with everything it is made of. What only the loop needs (watcher, runners) is loaded here.
import { noteListening } from '../chores/webhook-health.ts';
import type { RunnerName } from '../core/config/agent-config.ts';
import type { RoomError } from '../core/errors.ts';
import type { Client } from '../operations/client.ts';
import type { Runner } from '../runners/runner.ts';
import type { Settings } from '../store/settings.ts';
import type { HeardPaths } from '../tasks/observe/room-files.ts';
import { RoomIndex } from '../tasks/read/room-index.ts';
import type { RoomHandle } from '../tasks/room-handle.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import type { OpenBridges } from './bridge/turn-bridges.ts';
import type { WorkerApi } from './dispatch/worker-api.ts';
import { mirrorPorts } from './mirror-ports.ts';
import type { LazyMirrors } from './mirrors-on-demand.ts';
import { providersOf, withholdSecrets, withholdWebhookSecrets } from './room-providers.ts';
import { turnPrograms } from './turn-programs.ts';
import { createWebhookReceiver, type WebhookReceiver } from './webhooks/webhook-receiver.ts';
import type { RoomWorkspaces } from './workspaces/workspaces.ts';

/** How the loop is to run. */
export interface PulseOptions {
  /** What the process is, for the lock: `up` or `once`. */
  command: 'up' | 'once';
  /** Resolve `finished` when no request, turn or retry is left. */
  exitWhenIdle?: boolean;
  /** Resolve `finished` when all that was due has run; retries are left for later. */
  once?: boolean;
  /** Runs when all has ended, while the room is still held. */
  beforeRelease?: () => Promise<void>;
}

/** The running loop of a room. */
export interface Pulse {
  /** Resolves when it ends by itself (once, exitWhenIdle) or was stopped. */
  readonly finished: Promise<{ turns: number; failed: number }>;
  /** No new turns; running ones get `graceMs` and are then interrupted. Called again with 0 it stops at once. Idempotent. */
  stop(graceMs: number): Promise<void>;
  /** The task files of which something was heard, read or not. */
  readonly heard: HeardPaths;
  /** Trouble that lasts until it is noted as over (null), for whoever asks how the room stands. */
  note(about: string, trouble: RoomError | null): void;
  /** Tells of trouble that nobody waits for. */
  onTrouble(error: unknown): void;
  /** The tasks of the room, as lists want them. */
  readonly index: RoomIndex;
  /** Takes what trackers send; asks for what it names. */
  readonly webhooks: WebhookReceiver;
  /** What workers on other machines come to; null in a room that runs its turns itself. */
  readonly workers: WorkerApi | null;
}

/** What only a loop needs. */
async function loadParts() {
  const [
    { startPulse },
    { createRunners },
    { leftBehind },
    { createTurnBridges },
    { takeInArtifacts },
    { createJobs },
  ] = await Promise.all([
    import('../pulse/pulse.ts'),
    import('../runners/registry.ts'),
    import('./left-behind.ts'),
    import('./bridge/turn-bridges.ts'),
    import('../tasks/plans/take-in-artifacts.ts'),
    import('./jobs/jobs.ts'),
  ]);
  return {
    ...{ startPulse, createRunners, leftBehind, createTurnBridges, takeInArtifacts, createJobs },
  };
}

export async function startLoop(
  handle: RoomHandle,
  mirrors: LazyMirrors,
  tasks: Client,
  settings: Settings,
  mode: PulseOptions,
): Promise<Pulse> {
  const { deps } = handle;
  const parts = await loadParts();
  await withholdSecrets(deps);
  const programs = await turnPrograms(deps);
  const jobs = parts.createJobs({ deps, tasks, workspaces: programs.workspaces });
  // Changes that were made while nothing ran go up without waiting for the next sync.
  if (!deps.ledger.mirrors.isEmpty()) await mirrors.open();
  noteListening(deps.ledger, null);
  const open: OpenBridges = new Map();
  const local = parts.createRunners();
  const dispatcher = await openDispatcher(deps, local, open, programs.workspaces);
  const pulse = await parts.startPulse(
    {
      deps,
      tasks,
      runners: dispatcher?.runners ?? local,
      isOut: dispatcher?.isOut ?? (() => false),
      reloadSettings: () => {
        const isGood = reload(settings, deps);
        withholdWebhookSecrets(deps);
        return isGood;
      },
      ...programs,
      jobs,
      ...parts.leftBehind(deps),
      takeInArtifacts: (options) => parts.takeInArtifacts(handle, options),
      ...mirrorPorts(deps, mirrors),
      bridges: parts.createTurnBridges({ deps, tasks, endJobs: jobs.endOf, open }),
      sendNotice: async (notice) => (await import('./send-notice.ts')).sendNotice(deps, notice),
    },
    {
      ...mode,
      once: mode.once === true,
      exitWhenIdle: mode.exitWhenIdle === true,
      async beforeRelease() {
        await mode.beforeRelease?.();
        await dispatcher?.close();
      },
    },
  );
  dispatcher?.started(pulse);
  const webhooks = createWebhookReceiver({ deps, providers: providersOf(deps), told: pulse.told });
  const index = new RoomIndex(handle, pulse.heard);
  return { ...pulse, webhooks, index, workers: dispatcher?.api ?? null };
}

/** Where the room's settings name a queue. @throws RoomError `bad_input` for one whose address is not set */
async function openDispatcher(
  deps: TaskRoom,
  ...parts: [ReadonlyMap<RunnerName, Runner>, OpenBridges, RoomWorkspaces]
) {
  const variable = deps.config().queue.postgres;
  if (variable === null) return null;
  const { createDispatcher } = await import('./dispatch/dispatcher.ts');
  return createDispatcher(deps, variable, ...parts);
}

function reload(settings: Settings, { events }: TaskRoom): boolean {
  const problems = settings.reload();
  events.emit(problems.length > 0 ? { type: 'config.invalid', problems } : { type: 'config.reloaded' });
  // Good agents count although a neighbour is bad.
  return !problems.some((problem) => problem.path === 'room.yaml');
}
