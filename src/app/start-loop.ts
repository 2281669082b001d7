// Starts the loop with everything it is made of; what only the loop needs is loaded with this file.
import { join } from 'node:path';
import { claimUnstarted } from '../agents/process/process-identity.ts';
import { endTurn } from '../agents/process/terminate.ts';
import { createRunners } from '../agents/registry.ts';
import { noteListening } from '../chores/due.ts';
import type { RoomError } from '../core/errors.ts';
import type { Client } from '../operations/client.ts';
import type { PulseDependencies, PulseMode, RunChecks } from '../pulse/ports.ts';
import { type RunningPulse, startPulse } from '../pulse/pulse.ts';
import type { Settings } from '../store/files/settings.ts';
import type { RoomHandle, TaskRoom } from '../tasks/task-room.ts';
import { RoomIndex } from '../tasks/views/room-index.ts';
import { createTurnBridges, type OpenBridges } from './bridge/turn-bridges.ts';
import { createJobs } from './jobs/jobs.ts';
import type { LazyMirrors } from './mirrors/mirrors-on-demand.ts';
import { providersOf, withholdSecrets, withholdWebhookSecrets } from './mirrors/room-providers.ts';
import { createWebhookReceiver, type WebhookReceiver } from './mirrors/webhook-receiver.ts';
import type { WorkerApi } from './workers/host/worker-api.ts';
import { createWorkspaces, type RoomWorkspaces } from './workspaces/workspaces.ts';

export type PulseOptions = Pick<PulseMode, 'command'> & Partial<PulseMode>;

export interface Pulse extends Pick<RunningPulse, 'finished' | 'heard' | 'onTrouble'> {
  /** No new turns; running ones get `graceMs` and are then interrupted. Called again with 0 it stops at once. Idempotent. */
  stop(graceMs: number): Promise<void>;
  /** Trouble that lasts until it is noted as over (null), for whoever asks how the room stands. */
  note(about: string, trouble: RoomError | null): void;
  readonly index: RoomIndex;
  readonly webhooks: WebhookReceiver;
  readonly workers: WorkerApi | null; // Null in a room that runs its turns itself.
}

export async function startLoop(
  deps: RoomHandle,
  mirrors: LazyMirrors,
  tasks: Client,
  settings: Settings,
  mode: PulseOptions,
): Promise<Pulse> {
  await withholdSecrets(deps);
  const workspaces = createWorkspaces(deps);
  const jobs = createJobs({ deps, tasks, workspaces });
  // Changes that were made while nothing ran go up without waiting for the next sync.
  if (deps.ledger.mirrors.has()) await mirrors.open();
  noteListening(deps.ledger, null);
  const open: OpenBridges = new Map();
  const local = createRunners();
  const queue = deps.config().queue.postgres;
  const dispatcher =
    queue === null
      ? null
      : (await import('./workers/host/dispatcher.ts')).createDispatcher(deps, queue, local, open, workspaces);
  const pulse = await startPulse(
    {
      ...{ deps, tasks, jobs, workspaces, mirrors, runners: dispatcher?.runners ?? local },
      isOut: dispatcher?.isOut ?? (() => false),
      reloadSettings: () => reload(settings, deps),
      runChecks: checksIn(deps, workspaces),
      ...orphanPorts(deps),
      bridges: createTurnBridges({ deps, tasks, endJobs: jobs.endOf, open }),
      sendNotice: async (notice) => (await import('./send-notice.ts')).sendNotice(deps, notice),
    },
    {
      ...{ once: false, exitWhenIdle: false, ...mode },
      async beforeRelease() {
        await mode.beforeRelease?.();
        await dispatcher?.close();
      },
    },
  );
  dispatcher?.started(pulse);
  const webhooks = createWebhookReceiver({ deps, providers: providersOf(deps), ...pulse });
  return { ...pulse, webhooks, index: new RoomIndex(deps, pulse.heard), workers: dispatcher?.api ?? null };
}

function reload(settings: Settings, deps: TaskRoom): boolean {
  const problems = settings.reload();
  withholdWebhookSecrets(deps);
  deps.events.emit(problems.length > 0 ? { type: 'config.invalid', problems } : { type: 'config.reloaded' });
  // Agents that can be read count although another one can't.
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

/** For the turns of a runtime that died. */
function orphanPorts({ room, effects }: TaskRoom) {
  return {
    claimUnstarted: async (dir) => (await claimUnstarted(dir)) === 'claimed',
    async endProcesses(turn) {
      await endTurn(room.dir, join(room.turnsDir, turn), turn, effects);
    },
  } satisfies Partial<PulseDependencies>;
}
