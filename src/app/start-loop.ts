// Starts the loop with everything it is made of. Watcher, runners and all else that only the loop needs are loaded with this file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimUnstarted } from '../agents/process/process-identity.ts';
import { endTurn } from '../agents/process/terminate.ts';
import { createRunners } from '../agents/registry.ts';
import type { Runner } from '../agents/runner.ts';
import { noteListening } from '../chores/webhook-health.ts';
import type { RunnerName } from '../core/config/agent-config.ts';
import type { RoomError } from '../core/errors.ts';
import type { Client } from '../operations/client.ts';
import type { PulseDependencies, RunChecks } from '../pulse/ports.ts';
import { type RunningPulse, startPulse } from '../pulse/pulse.ts';
import { syncChoreWith } from '../pulse/sync/chore-sync.ts';
import type { Settings } from '../store/files/settings.ts';
import { takeInArtifacts } from '../tasks/plans/take-in-artifacts.ts';
import type { RoomHandle } from '../tasks/room-handle.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import { RoomIndex } from '../tasks/views/room-index.ts';
import { createTurnBridges, type OpenBridges } from './bridge/turn-bridges.ts';
import { createJobs } from './jobs/jobs.ts';
import type { LazyMirrors } from './mirrors/mirrors-on-demand.ts';
import { providersOf, withholdSecrets, withholdWebhookSecrets } from './mirrors/room-providers.ts';
import { createWebhookReceiver, type WebhookReceiver } from './mirrors/webhook-receiver.ts';
import type { WorkerApi } from './workers/host/worker-api.ts';
import { createWorkspaces, type RoomWorkspaces } from './workspaces/workspaces.ts';

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
export interface Pulse extends Pick<RunningPulse, 'finished' | 'heard' | 'onTrouble'> {
  /** No new turns; running ones get `graceMs` and are then interrupted. Called again with 0 it stops at once. Idempotent. */
  stop(graceMs: number): Promise<void>;
  /** Trouble that lasts until it is noted as over (null), for whoever asks how the room stands. */
  note(about: string, trouble: RoomError | null): void;
  /** The tasks of the room, as lists want them. */
  readonly index: RoomIndex;
  /** Takes what trackers send; asks for what it names. */
  readonly webhooks: WebhookReceiver;
  /** What workers on other machines come to; null in a room that runs its turns itself. */
  readonly workers: WorkerApi | null;
}

export async function startLoop(
  handle: RoomHandle,
  mirrors: LazyMirrors,
  tasks: Client,
  settings: Settings,
  mode: PulseOptions,
): Promise<Pulse> {
  const { deps } = handle;
  await withholdSecrets(deps);
  const workspaces = createWorkspaces(deps);
  const jobs = createJobs({ deps, tasks, workspaces });
  // Changes that were made while nothing ran go up without waiting for the next sync.
  if (!deps.ledger.mirrors.isEmpty()) await mirrors.open();
  noteListening(deps.ledger, null);
  const open: OpenBridges = new Map();
  const local = createRunners();
  const dispatcher = await openDispatcher(deps, local, open, workspaces);
  const pulse = await startPulse(
    {
      ...{ deps, tasks, jobs, workspaces, runners: dispatcher?.runners ?? local },
      isOut: dispatcher?.isOut ?? (() => false),
      reloadSettings: () => {
        const isGood = reload(settings, deps);
        withholdWebhookSecrets(deps);
        return isGood;
      },
      runChecks: checksIn(deps, workspaces),
      ...orphanPorts(deps),
      ...mirrorPorts(deps, mirrors),
      takeInArtifacts: (options) => takeInArtifacts(handle, options),
      bridges: createTurnBridges({ deps, tasks, endJobs: jobs.endOf, open }),
      sendNotice: async (notice) => (await import('./send-notice.ts')).sendNotice(deps, notice),
    },
    {
      ...{ command: mode.command, once: mode.once === true, exitWhenIdle: mode.exitWhenIdle === true },
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
  const { createDispatcher } = await import('./workers/host/dispatcher.ts');
  return createDispatcher(deps, variable, ...parts);
}

function reload(settings: Settings, { events }: TaskRoom): boolean {
  const problems = settings.reload();
  events.emit(problems.length > 0 ? { type: 'config.invalid', problems } : { type: 'config.reloaded' });
  // Good agents count although a neighbour is bad.
  return !problems.some((problem) => problem.path === 'room.yaml');
}

function checksIn({ room, effects }: TaskRoom, workspaces: RoomWorkspaces): RunChecks {
  return async ({ turn, task, dir, ...checks }) => {
    const { runChecks } = await import('../agents/process/run-check.ts');
    const { agent, signal, commands } = checks;
    const about = { turn, task, name: task, agent, dir, signal, alive: () => {} };
    const fault = agent.workspace === null ? null : await workspaces.show(about);
    // The folder that the checks look at could not be made.
    if (fault !== null) {
      const ended = signal.aborted ? 'stopped' : 'unstarted';
      return [{ command: commands[0] ?? '', ended, exitCode: null, tookMs: 0, output: fault }];
    }
    const who = { turn: { id: turn }, task: { id: task }, room: room.dir, dir };
    return runChecks({ ...checks, ...who, commandsDir: join(dir, 'checks'), effects, reach: null });
  };
}

type Ports<Name extends keyof PulseDependencies> = Pick<PulseDependencies, Name>;

/** What a runtime that died left of its turns: claimed, ended, marked as over. */
function orphanPorts({
  room,
  effects,
}: TaskRoom): Ports<'claimUnstarted' | 'endProcesses' | 'closeTurnFolder'> {
  return {
    claimUnstarted: async (dir) => (await claimUnstarted(dir)) === 'claimed',
    async endProcesses(turn) {
      await endTurn(room.dir, join(room.turnsDir, turn), turn, effects);
    },
    closeTurnFolder(turn) {
      const result = '{"state":"failed","reason":"interrupted"}\n';
      writeFileSync(join(room.turnsDir, turn, 'result.json'), result);
    },
  };
}

type MirrorPorts = Ports<'syncChore' | 'isMirrored' | 'dirtySources' | 'pushChore' | 'syncTold'>;

function mirrorPorts({ ledger, effects }: TaskRoom, mirrors: LazyMirrors): MirrorPorts {
  return {
    syncChore: async (chore, signal) => syncChoreWith((await mirrors.open()).sync)(chore, signal),
    isMirrored: () => mirrors.opened() !== null,
    dirtySources: () => mirrors.opened()?.sync.dirtySources() ?? [],
    async pushChore(chore, signal) {
      const { sync } = await mirrors.open();
      await sync.syncChore(chore, { pull: false, push: true, wait: true }, signal);
    },
    async syncTold(chore, issues, signal) {
      const { sync } = await mirrors.open();
      const wish = { pull: true, push: true, wait: true, ...(issues === null ? {} : { issues }) };
      let isServed = false;
      try {
        isServed = (await sync.syncChore(chore, wish, signal)).error === null;
      } finally {
        // The chore's next listing, soon again, fills the gap.
        if (!isServed) ledger.webhooks.mark(chore, 'gapAt', effects.now());
      }
    },
  };
}
