// A runner whose turns run on other machines: it sends one job to the queue, and yields what the worker that took it reports as if it ran
// here. A turn that is out survives this process, which takes it up again where the ledger says it stands.
import { randomUUID } from 'node:crypto';
import { agentProblem } from '../../../agents/process/launch.ts';
import type { Outcome, RunInput, Runner, RunnerEvent } from '../../../agents/runner.ts';
import { outcomeFor, stopReason } from '../../../agents/runner.ts';
import { unseenByWorkers } from '../../../core/config/workspace-source.ts';
import { RoomError } from '../../../core/errors.ts';
import { taskOfThread } from '../../../core/ids.ts';
import { createSerialQueue } from '../../../core/keyed-mutex.ts';
import type { Origin } from '../../../core/rules/dispatch.ts';
import type { TurnReason } from '../../../core/rules/turn.ts';
import { type Effects, sleep } from '../../../effects.ts';
import type { Ledger } from '../../../store/ledger/ledger.ts';
import type { TaskRoom } from '../../../tasks/task-room.ts';
import type { OpenBridges } from '../../bridge/turn-bridges.ts';
import type { WorkspaceRoom } from '../../workspaces/enter.ts';
import type { WorkQueue } from '../queue/pg-boss-queue.ts';
import type { WorkerRegistry } from './worker-registry.ts';

/** What the host's side of turns on workers shares, once for a room. */
export interface Dispatching {
  deps: TaskRoom;
  queue: WorkQueue;
  table: Ledger['dispatched']; // Turns that are out, as the ledger has them.
  workers: Ledger['workers'];
  remoteTurns: Map<string, RemoteTurn>; // Turns that are out, as this process follows them.
  registry: WorkerRegistry;
  bridges: Pick<OpenBridges, 'get'>;
  workspaces: WorkspaceRoom;
  roomId: string;
  variable: string; // Name of the variable that holds the queue's address.
  isStopping(): boolean; // While the room is being stopped, turns that are out stay out.
  /** What is wrong with the queue, and how long the call took that failed; null once the queue works again. */
  onTrouble(error: unknown, tookMs?: number): void;
  /** What is wrong with a worker; null once it is over. */
  onWorkerTrouble(worker: string, trouble: string | null): void;
}

export type RemoteTurn = ReturnType<typeof createRemoteTurn>;
type Report = RunnerEvent | { type: 'end'; outcome: Outcome };

/** A turn that is out, as the host follows it. What must outlive the host stands in the ledger. */
export function createRemoteTurn(input: RunInput) {
  const reports: Report[] = [];
  let arrival = Promise.withResolvers<void>();
  const tell = (report: Report) => {
    reports.push(report);
    arrival.resolve();
  };
  return {
    input,
    line: createSerialQueue(), // Reports of one turn are applied one after another.
    stop: null as TurnReason | null, // Why it is to stop; null while it may go on.
    tell: tell as (event: RunnerEvent) => void,
    end: (outcome: Outcome) => tell({ type: 'end', outcome }),
    /** Resolves with the worker's next report, or with null after `ms` and when `signal` aborts. An end is the last. */
    async next(effects: Effects, ms: number, signal?: AbortSignal): Promise<Report | null> {
      if (reports.length === 0) {
        arrival = Promise.withResolvers();
        await within(effects, ms, arrival.promise, signal);
      }
      return reports.shift() ?? null;
    },
  };
}

/** Waits for `work`, whether it succeeds or fails, but no longer than `ms` and until `signal` aborts. */
async function within(effects: Effects, ms: number, work: Promise<unknown>, signal?: AbortSignal) {
  const over = new AbortController();
  const ends = signal ? AbortSignal.any([over.signal, signal]) : over.signal;
  await Promise.race([work.catch(() => undefined), sleep(effects, ms, ends)]);
  over.abort();
}

/** @param local runs the turns that began here before turns were sent out */
export const createRemoteRunner = (local: Runner, dispatching: Dispatching): Runner => ({
  name: local.name,
  kind: 'remote',
  survives: true,
  isRemote: true,
  streams: (agent) => local.streams(agent),
  async check(agent) {
    const unseen = unseenByWorkers(agent.workspace);
    if (unseen !== null) return [agentProblem(agent, unseen.message, unseen.hint)];
    if (dispatching.registry.offers(agent.id)) return [];
    const hint = `start one: taskroom worker --url … --agents ${agent.id}`;
    return [agentProblem(agent, 'it waits for a worker that can run its agent', hint)];
  },
  run: (input) =>
    input.adopt && dispatching.table.get(input.turn.id) === null
      ? local.run(input)
      : runRemotely(input, dispatching),
});

type RemoteRun = Dispatching & { input: RunInput; remote: RemoteTurn };

const rowOf = ({ table, input }: RemoteRun) => table.get(input.turn.id)!;
const QUEUE_MS = 3_000;

async function* runRemotely(input: RunInput, dispatching: Dispatching) {
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
    // Where the queue can't be told that the job is over, the next worker that gets the job learns it here.
    const over = { id: job, agent: input.agent.id, turn: id, thread: '' };
    if (attempt !== null) await within(deps.effects, QUEUE_MS, queue.complete({ ...over, attempt }));
    return outcome;
  } finally {
    // The turn may have been taken up again meanwhile.
    if (remoteTurns.get(id) === remote) remoteTurns.delete(id);
  }
}

const RANK: Readonly<Record<Origin, number>> = { chat: 2, task: 1, chore: 0 };
const SEND_AGAIN_MS = 500;

/** Returns null once the job is in the queue, or a worker has it. */
async function sendOut(run: RemoteRun): Promise<Outcome | null> {
  const { deps, queue, registry, onTrouble, input } = run;
  const { effects, ledger } = deps;
  const { id, thread, agent, origin } = ledger.turns.get(input.turn.id)!;
  const task = taskOfThread(thread);
  const wanted = task === null ? 1 : (ledger.tasks.get(task)?.priority ?? 1);
  const priority = RANK[origin] * 10 + (9 - wanted);
  for (;;) {
    if (input.signal.aborted) return rowOf(run).worker === null ? stopWaiting(run) : null;
    const beganMs = effects.monotonicMs();
    try {
      const isSent = await queue.send({ id: rowOf(run).job, agent, turn: id, thread, priority });
      onTrouble(null);
      if (isSent) break;
    } catch (error) {
      onTrouble(error, effects.monotonicMs() - beganMs);
    }
    await sleep(effects, SEND_AGAIN_MS, input.signal);
  }
  registry.announce(agent);
  return null;
}

const LOOK_MS = 1_000; // Between two looks at a turn that nobody works on.
const ASK_EVERY = 5; // The queue itself is asked in every so many looks.
/** A worker that was told to stop has this long to end the program (TERM, 5 s, KILL) and to say so. */
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
      // A turn at a worker is over when that worker says so, and not before: its agent runs.
      if (run.isStopping() || rowOf(run).worker === null) return await stopWaiting(run);
      stoppedAt = deps.effects.monotonicMs();
      remote.stop = stopReason(input.signal);
    }
    if (stoppedAt !== null && deps.effects.monotonicMs() - stoppedAt > STOP_MS) return await stopWaiting(run);
    const lost = await lookAfter(run, looks % ASK_EVERY === 0);
    if (lost !== null) return lost;
  }
}

/** Wakes a worker for a turn that nobody works on, tells the turn's worker to stop, and notices that the queue lost the job. */
async function lookAfter(run: RemoteRun, asksQueue: boolean): Promise<Outcome | null> {
  const { registry, queue, remote } = run;
  const agent = run.input.agent.id;
  const { worker, job } = rowOf(run);
  // The queue may have taken the turn back from a worker that is not heard of.
  if (!registry.isHeard(worker)) registry.announce(agent);
  if (remote.stop !== null && worker !== null) registry.nudge(worker);
  if (!asksQueue) return null;
  const standing = await queue.find({ id: job, agent }).catch(() => undefined);
  if (standing === null) return outcomeFor('interrupted', 'the queue lost the turn');
  if (standing?.state === 'over') return outcomeFor('interrupted', 'too many workers lost the turn');
  // A worker that lives may have lost the turn all the same.
  if (standing?.state === 'waiting') registry.announce(agent);
  return null;
}

/** Takes the job back; a worker that claims it from now on is refused, since the turn is over.
 * @throws RoomError `interrupted` while the room is stopped: the turn stays on record as running, and is taken up at the next start */
async function stopWaiting(run: RemoteRun): Promise<Outcome> {
  const { queue, remote, deps, input } = run;
  const { job, worker } = rowOf(run);
  if (run.isStopping()) {
    const where = worker === null ? 'waits for a worker' : 'goes on at its worker';
    throw new RoomError('interrupted', `turn ${input.turn.id} ${where} while the room is stopped`);
  }
  const reason = stopReason(input.signal);
  remote.stop = reason;
  await within(deps.effects, QUEUE_MS, queue.cancel({ id: job, agent: input.agent.id }));
  return outcomeFor(reason, worker === null ? '' : 'its worker did not answer any more');
}
