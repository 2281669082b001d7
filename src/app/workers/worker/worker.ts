// A worker: takes turns of a room on another machine from the room's queue, as many as it has slots, runs them here and
// reports them there. It holds nothing of the room but what a turn needs while it runs.
import { hostname } from 'node:os';
import { createRunners } from '../../../agents/registry.ts';
import type { Runner } from '../../../agents/runner.ts';
import { createGit } from '../../../agents/workspace/git.ts';
import type { AgentConfig, RunnerName } from '../../../core/config/agent-config.ts';
import { isRoomError } from '../../../core/errors.ts';
import { newTag } from '../../../core/ids.ts';
import type { Effects } from '../../../effects.ts';
import type { CallAnswer } from '../../worker-protocol.ts';
import { createPgBossQueue } from '../queue/pg-boss-queue.ts';
import { queueAddress } from '../queue/queue-address.ts';
import { createActiveTurns } from './active-turns.ts';
import { type Guard, watchOver } from './guard.ts';
import { createHost, type Host, messageOf, untilItWorks } from './host.ts';
import { createJobPoller } from './job-poller.ts';
import { sendUnsent } from './report-recovery.ts';
import { runClaimedTurn } from './run-turn.ts';
import { takeWorkerFolder, type WorkerFolder } from './worker-folder.ts';
import { createWorkerWorkspaces } from './workspace/worker-workspaces.ts';

interface WorkerOptions {
  url: string;
  token: string;
  withoutTls: boolean;
  /** Null for the machine's. */
  name: string | null;
  /** Turns at once. */
  slots: number;
  /** The only agents to take turns of; null for all that can run here. */
  agents: readonly string[] | null;
  /** Its own folder, absolute. */
  dir: string;
  /** Name of the variable that holds the queue's address here; null for the host's name of it. */
  queue: string | null;
  version: string;
  effects: Effects;
  /** Program and arguments that end what turns in `dir` left running. */
  clean: readonly string[];
  /** In place of those that taskroom has. */
  runners?: ReadonlyMap<RunnerName, Runner>;
  say(line: string): void;
}

interface Worker extends WorkerOptions {
  id: string;
  name: string;
  folder: WorkerFolder;
  guard: Guard;
  host: Host;
  runners: ReadonlyMap<RunnerName, Runner>;
  /** Aborts when nothing new is to be taken. */
  ending: AbortController;
  /** Aborts when what it has is to be given back. */
  givingBack: AbortController;
}

/** @throws RoomError as the host or the queue refuse it; a host that is away is waited for */
export async function startWorker(options: WorkerOptions) {
  const { effects, dir } = options;
  const folder = await takeWorkerFolder(dir, effects);
  const guard = watchOver(options.clean, dir);
  const machine = hostname().replaceAll(/[^A-Za-z0-9_.-]/g, '-');
  const id = newTag(effects.randomBytes);
  const worker: Worker = {
    ...options,
    ...{ id, folder, guard, name: options.name ?? (machine.slice(0, 64) || 'worker') },
    runners: options.runners ?? createRunners(),
    host: createHost({ ...options, id }),
    ...{ ending: new AbortController(), givingBack: new AbortController() },
  };
  return {
    name: worker.name,
    /** Takes nothing new; resolves when the turns it has are over. */
    drain: () => worker.ending.abort(),
    /** Gives back what it has, at once. */
    handBack() {
      worker.ending.abort();
      worker.givingBack.abort();
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
  const met = await meet(worker);
  if (met === null) return;
  const { agents, greeting } = met;
  const room = folder.room(greeting.room);
  const queue = openQueue(worker, greeting);
  const workspaces = createWorkerWorkspaces(room, folder.repositories, effects, say);
  const onTrouble = (error: unknown) => say(messageOf(error));
  const turns = createActiveTurns({
    ...{ effects, host, queue, guard, onTrouble },
    run: (claimed, job, reporter, signals) =>
      runClaimedTurn({
        ...{ claimed, job, reporter, ...signals, host, effects, workspaces, room, runners, onTrouble },
        worker: id,
        dir: folder.turn(greeting.room, claimed.turn),
        cwd: folder.work(greeting.room, job.thread),
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
      folder.forget(greeting.room, job.turn);
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
    const hostAs = (before: string) => greetAs(worker, before);
    await sendUnsent({ queue, effects, say, signal: ending.signal, room, hostAs });
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

/** Says hello until the host is there; null when it was to end before. */
async function meet(worker: Worker) {
  const { effects, ending, say, name } = worker;
  let isFirst = true;
  const met = await untilItWorks(
    { effects, signal: ending.signal },
    [500, 5_000],
    () => introduce(worker),
    (error) => {
      const isAway = isRoomError(error, 'unavailable');
      if (isAway && isFirst) say(`${error.message}; it is asked again`);
      isFirst = false;
      return isAway;
    },
  );
  const none = 'no agent that its token is for: see what is missing with taskroom doctor, run here';
  if (met !== null) say(`worker ${name} takes turns of ${met.agents.join(', ') || none}`);
  return met;
}

/** @returns what the host answered, and the agents that can run here, of those that the token is for */
async function introduce(worker: Worker) {
  const { id, name, version, slots, effects, host, runners, say } = worker;
  const self = { id, name, version, slots };
  const greeting = await host('hello', { ...self, agents: null });
  const agents: string[] = [];
  for (const agent of greeting.agents) {
    if (worker.agents !== null && !worker.agents.includes(agent.id)) continue;
    const problems = await runners.get(agent.runner)?.check(agent, effects);
    const missing = problems?.length === 0 ? await missingGit(agent, effects) : problems?.[0]?.message;
    if (missing === null) agents.push(agent.id);
    else say(`agent ${agent.id} can't run here: ${missing ?? agent.runner}`);
  }
  await host('hello', { ...self, agents });
  return { greeting, agents };
}

/** The host, asked as a worker before this one. */
async function greetAs(worker: Worker, id: string): Promise<Host> {
  const { name, version } = worker;
  const host = createHost({ ...worker, id });
  await host('hello', { id, name, version, slots: 1, agents: [] });
  return host;
}

async function missingGit({ workspace }: AgentConfig, effects: Effects): Promise<string | null> {
  if (workspace === null) return null;
  const { ok, message } = await createGit(effects)('/', 'version');
  return ok ? null : message;
}

function openQueue({ queue, effects, say }: Worker, greeting: CallAnswer<'hello'>) {
  const variable = queue ?? greeting.queue;
  // What leads to the room and its queue is the worker's own.
  for (const name of ['TASKROOM_URL', 'TASKROOM_TOKEN', variable]) effects.withheld.add(name);
  const onTrouble = (error: unknown) => say(messageOf(error));
  return createPgBossQueue({
    ...{ url: queueAddress(variable, effects), room: greeting.room, role: 'worker', onTrouble },
  });
}
