// A runner whose turns run on other machines: it sends one job, and tells what the worker that took it reports as if it ran
// here. A turn that is out survives this process: it is taken up again where the ledger says it stands.
import { randomUUID } from 'node:crypto';
import { agentProblem } from '../../../agents/process/launch.ts';
import { stopReason } from '../../../agents/process/run-process.ts';
import { stateOf } from '../../../agents/process/turn-outcome.ts';
import type { Outcome, RunInput, Runner, RunnerEvent } from '../../../agents/runner.ts';
import type { AgentConfig } from '../../../core/config/agent-config.ts';
import { type Problem, RoomError } from '../../../core/errors.ts';
import { taskOfThread } from '../../../core/ids.ts';
import { createSerialQueue } from '../../../core/keyed-mutex.ts';
import type { Origin } from '../../../core/rules/dispatch.ts';
import type { TurnReason } from '../../../core/rules/turn.ts';
import { type Effects, sleep } from '../../../effects.ts';
import type { DispatchedTable, WorkersTable } from '../../../store/ledger/turns/jobs.ts';
import type { TaskRoom } from '../../../tasks/task-room.ts';
import type { OpenBridges } from '../../bridge/turn-bridges.ts';
import type { WorkspaceRoom } from '../../workspaces/enter.ts';
import { unseenByWorkers } from '../../workspaces/remote-workspace.ts';
import type { WorkQueue } from '../queue/pg-boss-queue.ts';
import type { WorkerRegistry } from './worker-registry.ts';

/** What everything about turns on workers is made with, once for a room. */
export interface Dispatching {
  deps: TaskRoom;
  queue: WorkQueue;
  /** Turns that are out, and workers, as the ledger has them. */
  table: DispatchedTable;
  workers: WorkersTable;
  /** Turns that are out, as this process follows them. */
  remoteTurns: Map<string, RemoteTurn>;
  registry: WorkerRegistry;
  bridges: Pick<OpenBridges, 'get'>;
  workspaces: WorkspaceRoom;
  roomId: string;
  /** Name of the variable that holds the queue's address. */
  variable: string;
  /** The room is being stopped: what is out stays out. */
  isStopping(): boolean;
  /** What is wrong with the queue; null once it works again. */
  onTrouble(error: unknown): void;
  /** What is wrong with a worker; null once it is not. */
  onWorkerTrouble(worker: string, trouble: string | null): void;
}

/** A turn that is out, as the host follows it. What must outlive the host stands in the ledger. */
export type RemoteTurn = ReturnType<typeof createRemoteTurn>;
type Report = RunnerEvent | { type: 'end'; outcome: Outcome };

export function createRemoteTurn(input: RunInput) {
  const reports: Report[] = [];
  let arrival = Promise.withResolvers<void>();
  const tell = (report: Report) => {
    reports.push(report);
    arrival.resolve();
  };
  return {
    input,
    /** Reports of one turn are applied one after another. */
    line: createSerialQueue(),
    /** Why it is to stop; null while it may go on. */
    stop: null as TurnReason | null,
    tell: tell as (event: RunnerEvent) => void,
    end: (outcome: Outcome) => tell({ type: 'end', outcome }),
    /** Resolves with what the worker told next, or with null after `ms` and when `signal` aborts. An end is the last. */
    async next(effects: Effects, ms: number, signal?: AbortSignal): Promise<Report | null> {
      if (reports.length === 0) {
        arrival = Promise.withResolvers();
        const over = new AbortController();
        await Promise.race([
          arrival.promise,
          sleep(effects, ms, signal ? AbortSignal.any([over.signal, signal]) : over.signal),
        ]);
        over.abort();
      }
      return reports.shift() ?? null;
    },
  };
}

/** @param local runs what began here before turns were sent out */
export function createRemoteRunner(local: Runner, dispatching: Dispatching): Runner {
  return {
    name: local.name,
    kind: 'remote',
    survives: true,
    isElsewhere: true,
    streams: (agent) => local.streams(agent),
    check: async (agent) => waitsForWorker(agent, dispatching),
    run: (input) =>
      input.adopt && dispatching.table.get(input.turn.id) === null
        ? local.run(input)
        : runRemotely(input, dispatching),
  };
}

function waitsForWorker(agent: AgentConfig, { registry }: Dispatching): Problem[] {
  const { id, workspace } = agent;
  const unseen = unseenByWorkers(workspace);
  if (unseen !== null) return [agentProblem(agent, unseen.message, unseen.hint)];
  if (registry.offers(id)) return [];
  const hint = `start one: taskroom worker --url … --agents ${id}`;
  return [agentProblem(agent, 'it waits for a worker that can run its agent', hint)];
}

interface RemoteRun extends Dispatching {
  input: RunInput;
  remote: RemoteTurn;
}

const rowOf = ({ table, input }: RemoteRun) => table.get(input.turn.id)!;
const failed = (message: string): Outcome => ({
  ...{ state: 'failed', reason: 'interrupted', exitCode: null, signal: null, message },
});

async function* runRemotely(
  input: RunInput,
  dispatching: Dispatching,
): AsyncGenerator<RunnerEvent, Outcome, void> {
  const { table, remoteTurns, deps, queue } = dispatching;
  const { id } = input.turn;
  if (table.get(id) === null) await deps.ledger.together(() => table.add(id, randomUUID()));
  const remote = createRemoteTurn(input);
  const run: RemoteRun = { ...dispatching, input, remote };
  remoteTurns.set(id, remote);
  try {
    const { ended } = rowOf(run);
    const outcome: Outcome =
      ended === null ? ((await sendOut(run)) ?? (yield* follow(run))) : JSON.parse(ended);
    const { job, attempt } = rowOf(run);
    // The job is over with the turn; where the queue can't be told now, the next that is handed it learns so here.
    const over = { id: job, agent: input.agent.id, turn: id, thread: '' };
    if (attempt !== null) await forAWhile(deps.effects, queue.complete({ ...over, attempt }));
    return outcome;
  } finally {
    // One that was opened for the turn since stays.
    if (remoteTurns.get(id) === remote) remoteTurns.delete(id);
  }
}

const RANK: Readonly<Record<Origin, number>> = { chat: 2, task: 1, chore: 0 };
const SEND_AGAIN_MS = 500;

/** Null once the job is in the queue, or where a worker has it. */
async function sendOut(run: RemoteRun): Promise<Outcome | null> {
  const { deps, queue, registry, onTrouble, input } = run;
  const { id, thread, agent, origin } = deps.ledger.turns.get(input.turn.id)!;
  const task = taskOfThread(thread);
  const wanted = task === null ? 1 : (deps.ledger.tasks.get(task)?.priority ?? 1);
  const priority = RANK[origin] * 10 + (9 - wanted);
  for (;;) {
    if (input.signal.aborted) return rowOf(run).worker === null ? stopWaiting(run) : null;
    try {
      const isSent = await queue.send({ id: rowOf(run).job, agent, turn: id, thread, priority });
      onTrouble(null);
      if (isSent) break;
    } catch (error) {
      onTrouble(error);
    }
    await sleep(deps.effects, SEND_AGAIN_MS, input.signal);
  }
  registry.announce(agent);
  return null;
}

/** Between two looks at a turn that nobody works on. */
const LOOK_MS = 1_000;
/** Every so many of them the queue itself is asked. */
const ASK_EVERY = 5;
/** A worker that was told to stop and says nothing for so long is taken for gone: TERM, 5 s, KILL, and its way. */
const STOP_MS = 20_000;

async function* follow(run: RemoteRun): AsyncGenerator<RunnerEvent, Outcome, void> {
  const { deps, input, remote } = run;
  let stoppedAt: number | null = null;
  for (let looks = 1; ; looks += 1) {
    const report = await remote.next(deps.effects, LOOK_MS, stoppedAt === null ? input.signal : undefined);
    if (report?.type === 'end') return report.outcome;
    if (report !== null) {
      yield report;
      looks = 0;
      continue;
    }
    if (input.signal.aborted && stoppedAt === null) {
      // One that is at a worker is over when that worker says so, and not before: its agent runs.
      if (run.isStopping() || rowOf(run).worker === null) return await stopWaiting(run);
      stoppedAt = deps.effects.monotonicMs();
      remote.stop = stopReason(input.signal);
    }
    if (stoppedAt !== null && deps.effects.monotonicMs() - stoppedAt > STOP_MS) return await stopWaiting(run);
    const lost = await lookAfter(run, looks % ASK_EVERY === 0);
    if (lost !== null) return lost;
  }
}

/** Wakes somebody for a turn that nobody works on, tells its worker to stop, and notices a job that is no more. */
async function lookAfter(run: RemoteRun, asksQueue: boolean): Promise<Outcome | null> {
  const { registry, queue, remote } = run;
  const agent = run.input.agent.id;
  const { worker, job } = rowOf(run);
  // The queue may have taken a turn back already from a worker that is not heard of.
  if (!registry.isHeard(worker)) registry.announce(agent);
  if (remote.stop !== null && worker !== null) registry.nudge(worker);
  if (!asksQueue) return null;
  const standing = await queue.find({ id: job, agent }).catch(() => undefined);
  if (standing === null) return failed('the queue lost the turn');
  if (standing?.state === 'over') return failed('too many workers lost the turn');
  // Its worker lives, and lost the turn all the same: the next is waiting for somebody.
  if (standing?.state === 'waiting') registry.announce(agent);
  return null;
}

/**
 * Takes the job back; whoever claims it from now on is refused, since the turn is over.
 * @throws RoomError `interrupted` while the room is stopped: the turn stays on record as running, and is taken up at the next start
 */
async function stopWaiting(run: RemoteRun): Promise<Outcome> {
  const { queue, remote, deps, input } = run;
  const { job, worker } = rowOf(run);
  if (run.isStopping()) {
    const where = worker === null ? 'waits for a worker' : 'goes on at its worker';
    throw new RoomError('interrupted', `turn ${input.turn.id} ${where} while the room is stopped`);
  }
  const reason = stopReason(input.signal);
  remote.stop = reason;
  await forAWhile(deps.effects, queue.cancel({ id: job, agent: input.agent.id }));
  const message = worker === null ? '' : 'its worker did not answer any more';
  return { state: stateOf(reason), reason, exitCode: null, signal: null, message };
}

const COMPLETE_MS = 3_000;

/** Waits for what may fail, and not for ever. */
async function forAWhile(effects: Effects, told: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  await Promise.race([told.catch(() => undefined), sleep(effects, COMPLETE_MS, over.signal)]);
  over.abort();
}
