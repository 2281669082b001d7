// The stages of the loop, made from the last to the first, so that each gets the ones below it and no others. The way of a
// change, downward:
//
//   watch/     a file event, or a sweep, names a path
//   intake/    the path is read at rest; what it says now is recorded as an observation
//   decide/    an observation stops turns and names tasks; once edits have settled, the core says which tasks are due, and
//              those become requests on record in the queue
//   schedule/  the best request that may start becomes a running turn; what a dead runtime left running is taken up
//   turn/      the turn is driven from its start to its end on record
//   chore/     prompts join as requests, and are driven likewise; syncs run by their own schedule
//
// What goes the other way (what a turn reads of its file, and its end) goes through feedback.ts alone. upkeep/ does what
// time asks for. Starting and stopping all of it in order is pulse.ts's.
import type { Chores } from '../chores/chores.ts';
import { createKnownChores, type KnownChores } from '../chores/known-chores.ts';
import type { RoomError } from '../core/errors.ts';
import { dreamOfThread, taskOfThread } from '../core/ids.ts';
import { readAgentWaits } from '../tasks/read/agent-waits.ts';
import { createAlarm } from './alarm.ts';
import { createChoreLoop } from './chore/chore-loop.ts';
import { createChoreTurnDriver } from './chore/chore-turn-driver.ts';
import { createDecider, type Decider } from './decide/decider.ts';
import { createObservations, type Observations } from './decide/observations.ts';
import { createRetries, type Retries } from './decide/retries.ts';
import { createSettling, type Settling } from './decide/settling.ts';
import { createDreamDriver } from './dream/dream-driver.ts';
import { createDreams, type Dreams } from './dream/dreams.ts';
import type { Feedback } from './feedback.ts';
import { createIdleWatch, type IdleWatch } from './idle-watch.ts';
import { createIntake, type Intake } from './intake/intake.ts';
import type { PulseDependencies, PulseMode } from './pulse-dependencies.ts';
import { type Agents, createAgents } from './runnable-agents.ts';
import { createRunningTurns, type RunningTurns } from './schedule/running-turns.ts';
import { createScheduler, type Scheduler } from './schedule/scheduler.ts';
import { createWaitingAgents, type WaitingAgents } from './schedule/waiting-agents.ts';
import { createTaskTurnDriver } from './turn/turn-driver.ts';
import { createTurns, type Turns } from './turn/turns.ts';
import { createNotices, type Notices } from './upkeep/notices.ts';
import { createUpstreamPushes, type Pushes } from './upstream-pushes.ts';

export interface LoopOptions {
  dependencies: PulseDependencies;
  mode: PulseMode;
  /** Whether the room is still this process's. */
  holdsRoom(): boolean;
  /** Nothing is asked for, running or waiting for a retry. */
  onIdle(): void;
  onTrouble(error: unknown): void;
  /** Trouble that lasts until it is noted as over (null). */
  note(about: string, trouble: RoomError | null): void;
}

/** What every stage may use. */
interface Base extends LoopOptions {
  agents: Agents;
  known: KnownChores;
  /** Ended once, by whoever takes that look. */
  firstLook: { isOver: boolean };
  idle: IdleWatch;
  feedback: Feedback;
}

interface TurnStages {
  scheduler: Scheduler;
  running: RunningTurns;
  turns: Turns;
  waiting: WaitingAgents;
  dreams: Dreams;
}

/** What runs by itself beside the turns of tasks. */
interface ChoreStages {
  chores: Chores;
  pushes: Pushes;
  notices: Notices;
}

interface DecisionStages {
  observations: Observations;
  settling: Settling;
  decider: Decider;
  retries: Retries;
}

export interface Loop
  extends Pick<Base, 'agents' | 'firstLook' | 'idle'>,
    TurnStages,
    ChoreStages,
    DecisionStages {
  intake: Intake;
}

export function createLoop(options: LoopOptions): Loop {
  const { dependencies, mode, onIdle, onTrouble } = options;
  const { deps, runners } = dependencies;
  const idle = createIdleWatch(onIdle);
  const agents = createAgents(deps, runners);
  const firstLook = { isOver: false };
  const feedback: Feedback = {
    lookAtTask: (id) => loop.intake.lookAtTask(id),
    observed: (observation) => loop.observations.take(observation),
    cameToNothing: (id) => loop.settling.cameToNothing(id),
    turnOver(thread) {
      const task = taskOfThread(thread);
      if (task !== null) {
        loop.settling.decide(task);
        void loop.dreams.look(task);
      } else if (dreamOfThread(thread) === null) loop.chores.turnOver();
      loop.pushes.look();
      loop.waiting.look();
      loop.retries.wait();
      idle.check();
    },
    async synced() {
      if (mode.once || mode.exitWhenIdle) await loop.intake.sweep();
    },
  };
  const base: Base = { ...options, agents, known: createKnownChores(deps), firstLook, idle, feedback };

  const turnStages = createTurnStages(base);
  const choreStages = createChoreStages(base, turnStages);
  const decisionStages = createDecisionStages(base, turnStages, choreStages);
  const { settling, observations } = decisionStages;
  const intake = createIntake({ deps, settling, observations, idle, onTrouble });
  const loop: Loop = { ...turnStages, ...choreStages, ...decisionStages, intake, agents, firstLook, idle };
  return loop;
}

function createTurnStages(base: Base): TurnStages {
  const { agents, known, firstLook, holdsRoom, feedback, onTrouble } = base;
  const { deps, tasks, queue, bridges, withheldEnv, runChecks, workspaces } = base.dependencies;
  const running = createRunningTurns(deps.effects, agents.limits(), () => waiting.look());
  const isStopping = running.isDraining;
  const driving = { deps, queue, agents, bridges, withheldEnv, isStopping, onTrouble };
  const task = createTaskTurnDriver({ ...driving, tasks, feedback, runChecks, workspaces });
  const chore = createChoreTurnDriver({ ...driving, known });
  const dream = createDreamDriver({ ...driving, feedback });
  const turns = createTurns({ deps, drivers: { task, chore, dream }, feedback, isStopping, onTrouble });
  const { effects } = deps;
  const scheduler = createScheduler({
    queue,
    effects,
    agents,
    running,
    turns,
    firstLook,
    agentWaits: () => readAgentWaits(deps),
    letsPass: ({ thread, forced }) => forced || deps.ledger.limitWaits.passes(thread),
    holdsRoom,
    feedback,
  });
  const waiting = createWaitingAgents({ deps, running, scheduler, onTrouble });
  const dreams = createDreams({ deps, queue, scheduler, idle: base.idle, onTrouble });
  return { scheduler, running, turns, waiting, dreams };
}

function createChoreStages(base: Base, { scheduler, running }: TurnStages): ChoreStages {
  const { dependencies, mode, known, idle, feedback, onTrouble } = base;
  const { deps, queue, syncChore, pushChore } = dependencies;
  const { once } = mode;
  const chores = createChoreLoop({
    deps,
    known,
    queue,
    running,
    scheduler,
    syncChore,
    feedback,
    idle,
    once,
    onTrouble,
  });
  const pushes = createUpstreamPushes({
    effects: deps.effects,
    mirrors: dependencies,
    push: (chore, signal) => pushChore(chore, signal).finally(feedback.synced),
    idle,
    onTrouble,
  });
  const alarm = createAlarm(deps.effects, onTrouble);
  const notices = createNotices({ deps, alarm, send: dependencies.sendNotice, idle, onTrouble });
  return { chores, pushes, notices };
}

function createDecisionStages(
  base: Base,
  { scheduler, running }: TurnStages,
  { pushes }: ChoreStages,
): DecisionStages {
  const { mode, agents, firstLook, holdsRoom, idle, onTrouble } = base;
  const { deps, queue } = base.dependencies;
  const { once } = mode;
  const decider = createDecider({ deps, queue, agents, running, scheduler });
  const settling = createSettling({ deps, decider, firstLook, idle, once });
  const retries = createRetries({ deps, settling, onTrouble });
  const observations = createObservations({
    deps,
    decider,
    settling,
    running,
    pushes,
    firstLook,
    holdsRoom,
    idle,
    onTrouble,
    note: base.note,
  });
  return { observations, settling, decider, retries };
}
