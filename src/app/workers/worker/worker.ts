// A worker: takes turns of a room on another machine from the room's queue, as many as it has slots, runs them here and reports them there. It
// keeps of the room only what a turn needs while it runs.
import { hostname } from 'node:os';
import { createRunners } from '../../../agents/registry.ts';
import type { Runner } from '../../../agents/runner.ts';
import { createGit } from '../../../agents/workspace/git.ts';
import type { RunnerName } from '../../../core/config/agent-config.ts';
import { isRoomError } from '../../../core/errors.ts';
import { newTag } from '../../../core/ids.ts';
import type { Effects } from '../../../effects.ts';
import { createPgBossQueue } from '../queue/pg-boss-queue.ts';
import { queueAddress } from '../queue/queue-address.ts';
import { createActiveTurns } from './active-turns.ts';
import { watchOver } from './guard.ts';
import { createHost, type HostOptions, messageOf, untilItWorks } from './host.ts';
import { createJobPoller } from './job-poller.ts';
import { sendUnsent } from './report-recovery.ts';
import { runClaimedTurn } from './run-turn.ts';
import { takeWorkerFolder } from './worker-folder.ts';
import { createWorkerWorkspaces } from './workspace/worker-workspaces.ts';

interface WorkerOptions extends Omit<HostOptions, 'id'> {
  name: string | null; // Null for the machine's.
  slots: number; // Turns at once.
  agents: readonly string[] | null; // The only agents to take turns of; null for all that can run here.
  dir: string; // Its own folder, absolute.
  /** Name of the variable that holds the queue's address here; null for the host's name of it. */
  queue: string | null;
  version: string;
  clean: readonly string[]; // Program and arguments that end what turns in `dir` left running.
  runners?: ReadonlyMap<RunnerName, Runner>; // In place of taskroom's own.
  say(line: string): void;
}

type Worker = Awaited<ReturnType<typeof prepare>>;

async function prepare(options: WorkerOptions) {
  const { effects, dir, clean, name, runners = createRunners() } = options;
  const folder = await takeWorkerFolder(dir, effects);
  const guard = watchOver(clean, dir);
  const machine = hostname().replaceAll(/[^A-Za-z0-9_.-]/g, '-');
  const id = newTag(effects.randomBytes);
  return {
    ...{ ...options, id, folder, guard, runners, name: name ?? (machine.slice(0, 64) || 'worker') },
    host: createHost({ ...options, id }),
    ending: new AbortController(), // Aborts when nothing new is to be taken.
    givingBack: new AbortController(), // Aborts when the turns it has are to be given back.
  };
}

/** @throws RoomError as the host or the queue refuse the worker; it waits for a host that is away */
export async function startWorker(options: WorkerOptions) {
  const worker = await prepare(options);
  const { name, ending, givingBack, guard, folder } = worker;
  return {
    name,
    drain: () => ending.abort(), // Takes nothing new; resolves when the turns it has are over.
    handBack() {
      ending.abort();
      givingBack.abort();
    },
    /** Resolves when it has ended. */
    finished: work(worker).finally(() => {
      guard.close();
      folder.release();
    }),
  };
}

async function work(worker: Worker): Promise<void> {
  const { id, effects, host, folder, guard, runners, slots, ending, givingBack, say } = worker;
  const greeted = await greet(worker);
  if (greeted === null) return;
  const { agents, roomId } = greeted;
  const room = folder.room(roomId);
  const onTrouble = (error: unknown) => say(messageOf(error));
  const url = queueUrl(worker.queue ?? greeted.queue, effects);
  const queue = createPgBossQueue({ url, room: roomId, role: 'worker', onTrouble });
  const workspaces = createWorkerWorkspaces(room, folder.repositories, effects, say);
  const turns = createActiveTurns({
    ...{ effects, host, queue, guard, onTrouble },
    run: (claimed, job, reporter, signals) =>
      runClaimedTurn({
        ...{ claimed, job, reporter, ...signals, host, effects, workspaces, room, runners, onTrouble },
        worker: id,
        dir: folder.turn(roomId, claimed.turn),
        cwd: folder.work(roomId, job.thread),
      }),
    onRefused() {
      if (!ending.signal.aborted)
        say('the host refuses what this worker asks: see that both have the same version of taskroom');
      ending.abort();
    },
    onBegun({ turn, subject, agent }) {
      say(`${turn}  ${subject.kind === 'task' ? subject.task.name : subject.chore.name}  @${agent.id}`);
    },
    onOver(job, how) {
      folder.forget(roomId, job.turn);
      if (how !== 'over') say(`${job.turn}  ${how === 'back' ? 'given back' : 'lost to another worker'}`);
      poller.freed();
    },
  });
  givingBack.signal.addEventListener('abort', turns.handBack);
  const poller = createJobPoller({
    ...{ effects, host, queue, turns, slots, agents, ending, say, workspaces },
    introduce: async () => (await introduce(worker)).agents,
  });
  try {
    // Before anything new is taken: the same turns may come here again.
    const { signal } = ending;
    await sendUnsent({ queue, effects, say, signal, room, hostAs: (old) => hostAs(worker, old) });
    await poller.run();
    if (turns.count() > 0) say(`no new turns; ${turns.count()} running`);
    const listening = poller.listen();
    await turns.settled();
    listening.abort();
  } finally {
    turns.close();
    ending.abort();
    await host('bye', {}).catch(() => undefined);
    await queue.close();
  }
}

/** No agent's program gets to see what leads to the room and its queue. */
function queueUrl(variable: string, effects: Effects): string {
  for (const secret of ['TASKROOM_URL', 'TASKROOM_TOKEN', variable]) effects.withheld.add(secret);
  return queueAddress(variable, effects);
}

/** Introduces the worker once the host is there; null when it was to end before. */
async function greet(worker: Worker) {
  const { effects, ending, say, name } = worker;
  let isFirst = true;
  const isAway = (error: unknown) => {
    if (!isRoomError(error, 'unavailable')) return false;
    if (isFirst) say(`${error.message}; it is asked again`);
    isFirst = false;
    return true;
  };
  const on = { effects, signal: ending.signal };
  const greeted = await untilItWorks(on, [500, 5_000], () => introduce(worker), isAway);
  const none = 'no agent that its token is for: see what is missing with taskroom doctor, run here';
  if (greeted !== null) say(`worker ${name} takes turns of ${greeted.agents.join(', ') || none}`);
  return greeted;
}

/** Returns what the host answered, and the agents that can run here, of those that the token is for. */
async function introduce(worker: Worker) {
  const { id, name, version, slots, effects, host, runners, say } = worker;
  const self = { id, name, version, slots };
  const greeting = await host('hello', { ...self, agents: null });
  const agents: string[] = [];
  for (const agent of greeting.agents) {
    if (worker.agents !== null && !worker.agents.includes(agent.id)) continue;
    const problems = await runners.get(agent.runner)?.check(agent, effects, null);
    let missing = problems === undefined ? agent.runner : (problems[0]?.message ?? null);
    if (missing === null && agent.workspace !== null) {
      const { ok, message } = await createGit(effects)('/', 'version');
      if (!ok) missing = message;
    }
    if (missing === null) agents.push(agent.id);
    else say(`agent ${agent.id} can't run here: ${missing}`);
  }
  await host('hello', { ...self, agents });
  return { agents, roomId: greeting.room, queue: greeting.queue };
}

/** The host, asked as a worker before this one. */
async function hostAs(worker: Worker, id: string) {
  const { name, version } = worker;
  const host = createHost({ ...worker, id });
  await host('hello', { id, name, version, slots: 1, agents: [] });
  return host;
}
