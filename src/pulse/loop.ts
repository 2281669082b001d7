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
  const { deps, endProcesses } = dependencies;
  const persistence = createPersistence(deps.effects, onTrouble, () => idle.check());
  const { keep } = persistence;
  const idle = createIdleWatch(onIdle, keep);
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
  const { once } = mode;
  const known = createKnownChores(deps);
  const base: Base = {
    ...options,
    deps,
    once,
    agents,
    known,
    firstLook: { isOver: false },
    idle,
    keep,
    feedback,
  };

  const running = createRunningTurns(deps.effects, agents.limits(), () => waiting.look());
  const driving = { ...base, ...dependencies, isStopping: running.isDraining };
  const turns = createTurns({
    ...driving,
    endProcesses,
    drivers: {
      task: createTaskTurnDriver(driving),
      chore: createChoreTurnDriver(driving),
      dream: createDreamDriver(driving),
    },
  });
  const scheduler = createScheduler({
    ...base,
    requests: deps.ledger.requests,
    effects: deps.effects,
    running,
    turns,
    agentWaits: () => readAgentWaits(deps, agentsOfStarting(deps, running)),
    letsPass: ({ thread, forced }) => forced || deps.ledger.limitWaits.passes(thread),
  });
  const below = { ...base, running, scheduler };
  const waiting = createWaitingAgents(below);
  const dreams = createDreams(below);

  const chores = createChoreLoop(below);
  const { effects } = deps;
  const pushes = createUpstreamPushes({
    ...base,
    effects,
    mirrors: dependencies,
    push: (chore, signal) => dependencies.pushChore(chore, signal).finally(feedback.synced),
  });
  const webhookNews = createWebhookNews({
    ...base,
    effects,
    chores: known.list,
    sync: (chore, issues, signal) => dependencies.syncTold(chore, issues, signal).finally(feedback.synced),
  });
  const notices = createNotices({
    ...base,
    alarm: createAlarm(effects, onTrouble),
    send: dependencies.sendNotice,
  });
  const inboxNews = createInboxNews({ ...base, tasks: dependencies.tasks, notices });
  const artifacts = createArtifactLooks({ ...base, takeIn: dependencies.takeInArtifacts });

  const decider = createDecider(below);
  const settling = createSettling({ ...base, decider });
  const retries = createRetries({ ...base, settling });
  const observations = createObservations({ ...below, decider, settling, pushes });
  const intake = createIntake({ ...base, settling, observations });
  return {
    ...{ agents, firstLook: base.firstLook, idle, persistence, running, turns, scheduler, waiting, dreams },
    ...{ chores, pushes, webhookNews, notices, inboxNews, artifacts },
    ...{ decider, settling, retries, observations, intake },
  };
}

/** One for each turn that starts and is not on record yet: what a budget of turns has left is taken by it already. */
function agentsOfStarting({ ledger }: TaskRoom, running: Pick<RunningTurns, 'turns'>): string[] {
  return [...running.turns().values()]
    .filter(({ turn }) => ledger.turns.get(turn) === null)
    .map(({ agent }) => agent);
}
