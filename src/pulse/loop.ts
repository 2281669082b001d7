// The stations of the loop, made from the last to the first, so that each gets those below it and no others. The way of a
// change, downward:
//
//   watch/     a file event, or a sweep, names a path
//   intake/    the path is read at rest; what it says now is recorded as an observation
//   decide/    an observation stops turns and names tasks; once edits have settled, the core says which tasks are due, and
//              those become requests on record
//   schedule/  the best request that may start becomes a running turn; what a dead runtime left running is taken up
//   turn/      the turn is driven from its start to its end on record
//   chore/     prompts join as requests, and are driven likewise; syncs run by their own schedule
//   sync/      what changed here goes upstream, and what webhooks told of is fetched
//
// What goes the other way (what a turn reads of its file, and its end) is Feedback in base.ts. upkeep/ does what time asks
// for. Starting and stopping all of it in order is pulse.ts's.
import { createKnownChores } from '../chores/known-chores.ts';
import { dreamOfThread, taskOfThread } from '../core/ids.ts';
import { readAgentWaits } from '../tasks/read/agent-waits.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import { createAlarm } from './alarm.ts';
import type { Base, Feedback } from './base.ts';
import { createChoreLoop } from './chore/chore-loop.ts';
import { createChoreTurnDriver } from './chore/chore-turns.ts';
import { createDecider } from './decide/decider.ts';
import { createObservations } from './decide/observations.ts';
import { createRetries } from './decide/retries.ts';
import { createSettling } from './decide/settling.ts';
import { createDreamDriver } from './dream/dream-turns.ts';
import { createDreams } from './dream/dreams.ts';
import { createIdleWatch } from './idle-watch.ts';
import { createIntake } from './intake/intake.ts';
import { createPersistence } from './persistence.ts';
import { createAgents } from './runnable-agents.ts';
import { createRunningTurns, type RunningTurns } from './schedule/running-turns.ts';
import { createScheduler } from './schedule/scheduler.ts';
import { createWaitingAgents } from './schedule/waiting-agents.ts';
import { createUpstreamPushes } from './sync/upstream-pushes.ts';
import { createWebhookNews } from './sync/webhook-news.ts';
import { createTaskTurnDriver } from './turn/task-turns.ts';
import { createTurns } from './turn/turns.ts';
import { createArtifactLooks } from './upkeep/artifact-looks.ts';
import { createInboxNews } from './upkeep/inbox-news.ts';
import { createNotices } from './upkeep/notices.ts';

interface LoopOptions extends Pick<Base, 'dependencies' | 'mode' | 'holdsRoom' | 'onTrouble' | 'note'> {
  /** Nothing is asked for, running or waiting for a retry. */
  onIdle(): void;
}

export type Loop = ReturnType<typeof createLoop>;

export function createLoop({ onIdle, ...options }: LoopOptions) {
  const { dependencies, mode, onTrouble } = options;
  const { deps } = dependencies;
  const persistence = createPersistence(deps.effects, onTrouble, () => idle.check());
  const idle = createIdleWatch(onIdle, persistence.keep);
  const agents = createAgents(deps, dependencies.runners);
  const feedback: Feedback = {
    lookAtTask: (id) => intake.lookAtTask(id),
    observed: (observation) => observations.take(observation),
    unreadFiles: () => intake.unread(),
    hearOfAll: () => intake.hearOfAll(),
    cameToNothing: (id) => settling.cameToNothing(id),
    turnOver(thread) {
      const task = taskOfThread(thread);
      if (task !== null) {
        for (const id of [task, ...deps.ledger.makers.openTasksOf(thread)]) settling.decide(id);
        void dreams.look(task);
      } else if (dreamOfThread(thread) === null) chores.turnOver();
      pushes.look();
      waiting.look();
      retries.wait();
      idle.check();
    },
    async synced() {
      if (mode.once || mode.exitWhenIdle) await intake.sweep();
    },
  };
  const base: Base = {
    ...{ ...options, deps, agents, idle, feedback, keep: persistence.keep, once: mode.once },
    known: createKnownChores(deps),
    firstLook: { isOver: false },
  };

  const turns = createTurnStations(base);
  const beside = createStationsBeside(base, turns);
  const { dreams, waiting } = turns;
  const { chores, pushes } = beside;
  const below = { ...base, ...turns, pushes };
  const decider = createDecider(below);
  const settling = createSettling({ ...base, decider });
  const retries = createRetries({ ...base, settling });
  const observations = createObservations({ ...below, decider, settling });
  const intake = createIntake({ ...base, settling, observations });
  return {
    ...{ agents, firstLook: base.firstLook, idle, persistence },
    ...turns,
    ...beside,
    ...{ decider, settling, retries, observations, intake },
  };
}

/** Which request starts, what runs, and turns of every kind to their record. */
function createTurnStations(base: Base) {
  const { dependencies, deps, agents } = base;
  const { ledger, effects } = deps;
  const running = createRunningTurns(effects, agents.limits(), () => waiting.look());
  const driving = { ...base, ...dependencies, isStopping: running.isDraining };
  const drivers = {
    task: createTaskTurnDriver(driving),
    chore: createChoreTurnDriver(driving),
    dream: createDreamDriver(driving),
  };
  const turns = createTurns({ ...driving, drivers });
  const scheduler = createScheduler({
    ...{ ...base, effects, running, turns, requests: ledger.requests },
    agentWaits: () => readAgentWaits(deps, agentsOfStarting(deps, running)),
    letsPass: ({ thread, forced }) => forced || ledger.limitWaits.passes(thread),
  });
  const below = { ...base, running, scheduler };
  const waiting = createWaitingAgents(below);
  return { running, turns, scheduler, waiting, dreams: createDreams(below) };
}

/** Beside the turns of tasks: chores, what goes upstream, what webhooks told, notices and the documents in artifacts/. */
function createStationsBeside(
  base: Base,
  { running, scheduler }: Pick<ReturnType<typeof createTurnStations>, 'running' | 'scheduler'>,
) {
  const { dependencies, deps, feedback } = base;
  const { effects } = deps;
  const notices = createNotices({
    ...base,
    alarm: createAlarm(effects, base.onTrouble),
    send: dependencies.sendNotice,
  });
  return {
    chores: createChoreLoop({ ...base, running, scheduler }),
    pushes: createUpstreamPushes({
      ...{ ...base, effects, mirrors: dependencies },
      push: (chore, signal) => dependencies.pushChore(chore, signal).finally(feedback.synced),
    }),
    webhookNews: createWebhookNews({
      ...{ ...base, effects, chores: base.known.list },
      sync: (chore, issues, signal) => dependencies.syncTold(chore, issues, signal).finally(feedback.synced),
    }),
    notices,
    inboxNews: createInboxNews({ ...base, tasks: dependencies.tasks, notices }),
    artifacts: createArtifactLooks({ ...base, takeIn: dependencies.takeInArtifacts }),
  };
}

/** One for each turn that starts and is not on record yet: what a budget of turns has left is taken by it already. */
function agentsOfStarting({ ledger }: TaskRoom, running: Pick<RunningTurns, 'turns'>): string[] {
  return [...running.turns().values()]
    .filter(({ turn }) => ledger.turns.get(turn) === null)
    .map(({ agent }) => agent);
}
