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
import { createSerialQueue, type SerialQueue } from '../../../core/keyed-mutex.ts';
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
  remoteTurns: RemoteTurns;
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
type RemoteTurns = ReturnType<typeof createRemoteTurns>;
type Told = RunnerEvent | { type: 'end'; outcome: Outcome };

export function createRemoteTurns() {
  const remoteTurns = new Map<string, RemoteTurn>();
  return {
    open(input: RunInput) {
      const remote = createRemoteTurn(input);
      remoteTurns.set(input.turn.id, remote);
      return remote;
    },
    get: (turn: string) => remoteTurns.get(turn) ?? null,
    /** One that was opened for the turn since stays. */
    close(remote: RemoteTurn) {
      const { id } = remote.input.turn;
      if (remoteTurns.get(id) === remote) remoteTurns.delete(id);
    },
  };
}

function createRemoteTurn(input: RunInput) {
  const told: Told[] = [];
  let news = Promise.withResolvers<void>();
  const tell = (event: Told) => {
    told.push(event);
    news.resolve();
  };
  return {
    input,
    /** Reports of one turn are applied one after another. */
    line: createSerialQueue() as SerialQueue,
    /** Why it is to stop; null while it may go on. */
    stop: null as TurnReason | null,
    tell: tell as (event: RunnerEvent) => void,
    end: (outcome: Outcome) => tell({ type: 'end', outcome }),
    /** Resolves with what the worker told next, or with null after `ms` and when `signal` aborts. An end is the last. */
    async next(effects: Effects, ms: number, signal?: AbortSignal): Promise<Told | null> {
      if (told.length === 0) {
        news = Promise.withResolvers();
        const over = new AbortController();
        const either = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
        await Promise.race([news.promise, sleep(effects, ms, either)]);
        over.abort();
      }
      return told.shift() ?? null;
    },
  };
}

/** Between two looks at a turn that nobody works on. */
const LOOK_MS = 1_000;
/** Every so many of them the queue itself is asked. */
const ASK_EVERY = 5;
const SEND_AGAIN_MS = 500;
/** A worker that was told to stop and says nothing for so long is taken for gone: TERM, 5 s, KILL, and its way. */
const STOP_MS = 20_000;
const COMPLETE_MS = 3_000;

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

async function* runRemotely(
  input: RunInput,
  dispatching: Dispatching,
): AsyncGenerator<RunnerEvent, Outcome, void> {
  const { table, remoteTurns, deps } = dispatching;
  const turn = input.turn.id;
  if (table.get(turn) === null) await deps.ledger.together(() => table.add(turn, randomUUID()));
  const remote = remoteTurns.open(input);
  try {
    const known = endOnRecord(table, turn);
    const refused = known === null ? await sendOut(input, dispatching) : null;
    const outcome = known ?? refused ?? (yield* follow(input, remote, dispatching));
    await settle(dispatching, input);
    return outcome;
  } finally {
    remoteTurns.close(remote);
  }
}

function endOnRecord(table: DispatchedTable, turn: string): Outcome | null {
  const ended = table.get(turn)?.ended ?? null;
  return ended === null ? null : (JSON.parse(ended) as Outcome);
}

const RANK: Readonly<Record<Origin, number>> = { chat: 2, task: 1, chore: 0 };

/** Null once the job is in the queue, or where a worker has it. */
async function sendOut(input: RunInput, dispatching: Dispatching): Promise<Outcome | null> {
  const { deps, queue, table, registry, onTrouble } = dispatching;
  const record = deps.ledger.turns.get(input.turn.id)!;
  const { thread, agent, origin } = record;
  const task = taskOfThread(thread);
  const wanted = task === null ? 1 : (deps.ledger.tasks.get(task)?.priority ?? 1);
  const job = { id: table.get(record.id)!.job, agent, turn: record.id, thread };
  for (;;) {
    if (input.signal.aborted) return isAtWorker(input, table) ? null : stoppedWaiting(input, dispatching);
    try {
      const isSent = await queue.send({ ...job, priority: RANK[origin] * 10 + (9 - wanted) });
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

async function* follow(
  input: RunInput,
  remote: RemoteTurn,
  dispatching: Dispatching,
): AsyncGenerator<RunnerEvent, Outcome, void> {
  const { table, deps } = dispatching;
  let stoppedAt: number | null = null;
  for (let looks = 1; ; looks += 1) {
    const told = await remote.next(deps.effects, LOOK_MS, stoppedAt === null ? input.signal : undefined);
    if (told?.type === 'end') return told.outcome;
    if (told !== null) {
      yield told;
      looks = 0;
      continue;
    }
    if (input.signal.aborted && stoppedAt === null) {
      if (dispatching.isStopping()) throw goesOn(input, table);
      if (!isAtWorker(input, table)) return stoppedWaiting(input, dispatching);
      stoppedAt = deps.effects.monotonicMs();
      remote.stop = stopReason(input.signal);
    }
    const given = stoppedAt === null ? null : deps.effects.monotonicMs() - stoppedAt;
    if (given !== null && given > STOP_MS) return stoppedWaiting(input, dispatching);
    const lost = await lookAfter(input, dispatching, looks % ASK_EVERY === 0);
    if (lost !== null) return lost;
  }
}

/** Then it is over when that worker says so, and not before: its agent runs. */
function isAtWorker({ turn }: RunInput, table: DispatchedTable): boolean {
  return (table.get(turn.id)?.worker ?? null) !== null;
}

/** Wakes somebody for a turn that nobody works on, tells its worker to stop, and notices a job that is no more. */
async function lookAfter(
  { turn, agent }: RunInput,
  { table, registry, queue, remoteTurns }: Dispatching,
  asksQueue: boolean,
): Promise<Outcome | null> {
  const row = table.get(turn.id)!;
  // The queue may have taken a turn back already from a worker that is not heard of.
  if (!registry.isHeard(row.worker)) registry.announce(agent.id);
  if (remoteTurns.get(turn.id)?.stop != null && row.worker !== null) registry.nudge(row.worker);
  if (!asksQueue) return null;
  const standing = await queue.find({ id: row.job, agent: agent.id }).catch(() => undefined);
  // The queue can't be asked now.
  if (standing === undefined) return null;
  if (standing === null) return lostOutcome('the queue lost the turn');
  if (standing.state === 'over') return lostOutcome('too many workers lost the turn');
  // Its worker lives, and lost the turn all the same: the next is waiting for somebody.
  if (standing.state === 'waiting') registry.announce(agent.id);
  return null;
}

function lostOutcome(message: string): Outcome {
  return { state: 'failed', reason: 'interrupted', exitCode: null, signal: null, message };
}

/** Takes the job back; whoever claims it from now on is refused, since the turn is over. */
async function stoppedWaiting(input: RunInput, dispatching: Dispatching): Promise<Outcome> {
  const { table, queue, remoteTurns, deps } = dispatching;
  if (dispatching.isStopping()) throw goesOn(input, table);
  const reason = stopReason(input.signal);
  const remote = remoteTurns.get(input.turn.id);
  if (remote !== null) remote.stop = reason;
  const { job, worker } = table.get(input.turn.id)!;
  await forAWhile(deps.effects, queue.cancel({ id: job, agent: input.agent.id }));
  const message = worker === null ? '' : 'its worker did not answer any more';
  return { state: stateOf(reason), reason, exitCode: null, signal: null, message };
}

/** The job is over with the turn; where the queue can't be told now, the next that is handed it learns so here. */
async function settle({ table, queue, deps }: Dispatching, input: RunInput): Promise<void> {
  const { job, attempt } = table.get(input.turn.id)!;
  if (attempt === null) return;
  const { id: turn } = input.turn;
  await forAWhile(
    deps.effects,
    queue.complete({ id: job, agent: input.agent.id, turn, thread: '', attempt }),
  );
}

/** Waits for what may fail, and not for ever. */
async function forAWhile(effects: Effects, told: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  await Promise.race([told.catch(() => undefined), sleep(effects, COMPLETE_MS, over.signal)]);
  over.abort();
}

/** The turn stays on record as running, and is taken up at the next start. */
function goesOn(input: RunInput, table: DispatchedTable): RoomError {
  const where = isAtWorker(input, table) ? 'goes on at its worker' : 'waits for a worker';
  return new RoomError('interrupted', `turn ${input.turn.id} ${where} while the room is stopped`);
}
