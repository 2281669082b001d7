// A turn in its workspace at a worker, before and after its agent: entered with its hooks, left with its branch handed over. A
// branch that can't be handed over fails the turn, since nobody would see what it did.
import { isRoomError } from '../../core/errors.ts';
import { type Effects, sleep } from '../../effects.ts';
import { stateOf } from '../../runners/process/turn-outcome.ts';
import { type Outcome, StopTurn } from '../../runners/runner.ts';
import type { ClaimedTurn, ClaimedWorkspace } from '../worker-protocol.ts';
import type { Reporter } from './reporter.ts';
import type { InWorkspace, WorkerWorkspaces } from './workspace/worker-workspaces.ts';

export interface SessionRun {
  claimed: ClaimedTurn;
  dir: string;
  reporter: Reporter;
  signal: AbortSignal;
  handBack: AbortSignal;
  workspaces: WorkerWorkspaces;
  branch: Pick<InWorkspace, 'send' | 'fetch'>;
  effects: Effects;
}

/** The host hears this often that a turn lives which has nothing else to say. */
const ALIVE_MS = 20_000;

export function openWorkspaceSession(run: SessionRun, workspace: ClaimedWorkspace) {
  const { claimed, dir, reporter, signal, handBack, workspaces, branch } = run;
  const turn: InWorkspace = {
    ...{ claimed: { ...claimed, workspace }, dir, reporter, signal, handBack, ...branch },
    alive: () => {},
  };
  let agent = claimed.agent;
  return {
    async enter() {
      const entered = await telling(run, () => workspaces.enter(turn));
      if (!entered.ok) return { end: endBefore(signal, entered) };
      agent = entered.agent;
      return { cwd: agent.cwd! };
    },
    // One that is stopped has its hook ended with it.
    /** Before what the agent told last is up. Returns what went wrong; null for nothing. */
    afterRun: () =>
      telling(run, async () => {
        const fault = await workspaces.leave({ ...turn, signal: handBack }, agent);
        await workspaces.prepare(turn);
        return fault;
      }),
    async leave(outcome: Outcome) {
      try {
        await telling(run, () => workspaces.handOver(turn));
        return outcome;
      } catch (error) {
        if (!isRoomError(error) || error.code === 'gone') throw error;
        return { ...outcome, ...failed(outcome, error.message) };
      }
    },
  };
}

function failed({ state, message }: Outcome, why: string): Partial<Outcome> {
  if (state !== 'completed') return { message: message === '' ? why : `${message}; ${why}` };
  return { state: 'failed', reason: 'refused', message: why };
}

function endBefore(
  { aborted, reason: why }: AbortSignal,
  { reason, message }: { reason: 'refused' | 'exit'; message: string },
): Outcome {
  const ended = aborted && why instanceof StopTurn ? why.reason : reason;
  return { state: stateOf(ended), reason: ended, exitCode: null, signal: null, message };
}

/** Cloning, hooks and handing over may take longer than a silent turn is given. */
async function telling<T>({ reporter, effects }: SessionRun, work: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  void (async () => {
    while (!over.signal.aborted) {
      await sleep(effects, ALIVE_MS, over.signal);
      if (!over.signal.aborted)
        await reporter.report({ kind: 'output', offset: 0, data: '' }).catch(() => over.abort());
    }
  })();
  try {
    return await work();
  } finally {
    over.abort();
  }
}
