// A worker: takes turns of a room on another machine from the room's queue, as many as it has slots, runs them here and
// reports them there. It holds nothing of the room but what a turn needs while it runs.
import { hostname } from 'node:os';
import type { AgentConfig, RunnerName } from '../../core/config/agent-config.ts';
import { isRoomError } from '../../core/errors.ts';
import { newTag } from '../../core/ids.ts';
import { type Effects, sleep } from '../../effects.ts';
import { createRunners } from '../../runners/registry.ts';
import type { Runner } from '../../runners/runner.ts';
import { createGit } from '../../runners/workspace/git.ts';
import { createPgBossQueue, type WorkQueue } from '../work-queue/pg-boss-queue.ts';
import { queueAddress } from '../work-queue/queue-address.ts';
import type { Job } from '../work-queue/work-queue.ts';
import type { CallAnswer, ClaimedTurn } from '../worker-protocol.ts';
import { type ActiveTurns, createActiveTurns } from './active-turns.ts';
import { type Guard, watchOver } from './guard.ts';
import { createHost, type Host } from './host.ts';
import { createJobPoller, messageOf } from './job-poller.ts';
import { sendUnsent } from './report-recovery.ts';
import { runClaimedTurn } from './run-turn.ts';
import { takeWorkerFolder, type WorkerFolder } from './worker-folder.ts';
import { createWorkerWorkspaces, type WorkerWorkspaces } from './workspace/worker-workspaces.ts';

export interface WorkerOptions {
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

const AWAY_REST_MS = 500;
const LONGEST_REST_MS = 5_000;

/** @throws RoomError as the host or the queue refuse it; a host that is away is waited for */
export async function startWorker(options: WorkerOptions) {
  const { effects, dir } = options;
  const folder = await takeWorkerFolder(dir, effects);
  const guard = watchOver(options.clean, dir);
  const name =
    options.name ??
    (hostname()
      .replaceAll(/[^A-Za-z0-9_.-]/g, '-')
      .slice(0, 64) ||
      'worker');
  const ending = new AbortController();
  const work = createWork({ ...options, name, folder, guard, ending });
  const release = () => {
    guard.close();
    folder.release();
  };
  return {
    name,
    /** Takes nothing new; resolves when the turns it has are over. */
    drain: () => ending.abort(),
    /** Gives back what it has, at once. */
    handBack() {
      ending.abort();
      work.handBack();
    },
    /** Resolves when it has ended. */
    finished: work.run().finally(release),
  };
}

type Greeting = CallAnswer<'hello'>;

interface WorkOptions extends WorkerOptions {
  name: string;
  folder: WorkerFolder;
  guard: Guard;
  /** Aborts when nothing new is to be taken. */
  ending: AbortController;
}

function createWork(options: WorkOptions) {
  const { effects, ending, say } = options;
  const id = newTag(effects.randomBytes);
  const host = createHost({ ...options, id });
  let hand: ActiveTurns | null = null;
  return {
    handBack: () => hand?.handBack(),
    async run(): Promise<void> {
      const met = await meet(options, host, id);
      if (met === null) return;
      const queue = openQueue(options, met.greeting);
      const workspaces = openWorkspaces(options, met.greeting);
      hand = openHand(options, { id, host, queue, workspaces }, met.greeting, () => poller.freed());
      const poller = createJobPoller({
        ...{ effects, host, queue, hand, slots: options.slots, agents: met.agents, ending, say, workspaces },
        introduce: async () => (await introduce(options, host, id)).agents,
      });
      try {
        await sendLeft(options, queue, met.greeting);
        await poller.run();
        if (hand.count() > 0) say(`no new turns; ${hand.count()} running`);
        const listening = poller.listen();
        await hand.settled();
        listening.abort();
      } finally {
        hand.close();
        ending.abort();
        await host('bye', {}).catch(() => undefined);
        await queue.close();
      }
    },
  };
}

interface Met {
  greeting: Greeting;
  /** Those it can run, of those its token is for. */
  agents: string[];
}

/** Says hello until the host is there; null when it was to end before. */
async function meet(options: WorkOptions, host: Host, id: string): Promise<Met | null> {
  const { effects, ending, say, name } = options;
  for (let restMs = AWAY_REST_MS; !ending.signal.aborted; restMs = Math.min(restMs * 2, LONGEST_REST_MS)) {
    try {
      const met = await introduce(options, host, id);
      const none = 'no agent that its token is for: see what is missing with taskroom doctor, run here';
      say(`worker ${name} takes turns of ${met.agents.join(', ') || none}`);
      return met;
    } catch (error) {
      if (!isRoomError(error, 'unavailable')) throw error;
      if (restMs === AWAY_REST_MS) say(`${error.message}; it is asked again`);
      await sleep(effects, restMs, ending.signal);
    }
  }
  return null;
}

async function introduce(options: WorkOptions, host: Host, id: string): Promise<Met> {
  const { name, version, slots, effects } = options;
  const self = { id, name, version, slots };
  const greeting = await host('hello', { ...self, agents: null });
  const runners = runnersOf(options);
  const agents: string[] = [];
  for (const agent of greeting.agents) {
    if (options.agents !== null && !options.agents.includes(agent.id)) continue;
    const problems = await runners.get(agent.runner)?.check(agent, effects);
    const missing = problems?.length === 0 ? await missingGit(agent, effects) : problems?.[0]?.message;
    if (missing === null) agents.push(agent.id);
    else options.say(`agent ${agent.id} can't run here: ${missing ?? agent.runner}`);
  }
  await host('hello', { ...self, agents });
  return { greeting, agents };
}

/** Before anything new is taken: the same turns may come here again. */
function sendLeft(options: WorkOptions, queue: WorkQueue, { room }: Greeting): Promise<void> {
  const { effects, folder, ending, say, name, version } = options;
  return sendUnsent({
    ...{ queue, effects, say, signal: ending.signal, room: folder.room(room) },
    async hostAs(id) {
      const host = createHost({ ...options, id });
      await host('hello', { id, name, version, slots: 1, agents: [] });
      return host;
    },
  });
}

async function missingGit({ workspace }: AgentConfig, effects: Effects): Promise<string | null> {
  if (workspace === null) return null;
  const { ok, message } = await createGit(effects)('/', 'version');
  return ok ? null : message;
}

function openQueue({ queue, effects, say }: WorkOptions, greeting: Greeting): WorkQueue {
  const variable = queue ?? greeting.queue;
  // What leads to the room and its queue is the worker's own.
  for (const name of ['TASKROOM_URL', 'TASKROOM_TOKEN', variable]) effects.withheld.add(name);
  const url = queueAddress(variable, effects);
  return createPgBossQueue({
    url,
    room: greeting.room,
    role: 'worker',
    onTrouble: (error) => say(messageOf(error)),
  });
}

function openWorkspaces(options: WorkOptions, greeting: Greeting): WorkerWorkspaces {
  const { effects, folder, say } = options;
  const { repositories } = folder;
  return createWorkerWorkspaces({
    effects,
    say,
    room: folder.room(greeting.room),
    repositories,
  });
}

interface HandParts {
  id: string;
  host: Host;
  queue: WorkQueue;
  workspaces: WorkerWorkspaces;
}

function openHand(
  options: WorkOptions,
  { id, host, queue, workspaces }: HandParts,
  greeting: Greeting,
  onFree: () => void,
): ActiveTurns {
  const { effects, folder, guard, say } = options;
  const { room: roomId } = greeting;
  const runners = runnersOf(options);
  const onTrouble = (error: unknown) => say(messageOf(error));
  return createActiveTurns({
    ...{ effects, host, queue, guard, onTrouble },
    run: (claimed, job, reporter, signals) =>
      runClaimedTurn({
        ...{ claimed, reporter, ...signals, runners, effects, onTrouble, workspaces },
        branch: {
          send: (piece, closing) => host('keepBranch', { ...inHand(job), ...piece }, closing),
          fetch: (offset) => host('readBranch', { ...inHand(job), offset }, signals.signal),
        },
        head: { worker: id, job },
        room: folder.room(roomId),
        dir: folder.turn(roomId, claimed.turn),
        cwd: folder.work(roomId, job.thread),
      }),
    onRefused() {
      if (!options.ending.signal.aborted)
        say('the host refuses what this worker asks: see that both have the same version of taskroom');
      options.ending.abort();
    },
    onBegun: (claimed) => say(`${claimed.turn}  ${nameOf(claimed)}  @${claimed.agent.id}`),
    onOver(job, how) {
      folder.forget(roomId, job.turn);
      if (how !== 'over') say(`${job.turn}  ${how === 'back' ? 'given back' : 'lost to another worker'}`);
      onFree();
    },
  });
}

const runnersOf = ({ runners }: WorkerOptions) => runners ?? createRunners();

const inHand = ({ turn, attempt }: Job) => ({ turn, attempt });

function nameOf({ subject }: ClaimedTurn): string {
  return subject.kind === 'task' ? subject.task.name : subject.chore.name;
}
