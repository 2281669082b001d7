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
import { createKnownChores } from '../chores/known-chores.ts';
import { dreamOfThread, taskOfThread } from '../core/ids.ts';
import type { Feedback } from './feedback.ts';
import { createIdleWatch } from './idle-watch.ts';
import { createIntake, type Intake } from './intake/intake.ts';
import { createPersistence } from './persistence.ts';
import { createAgents } from './runnable-agents.ts';
import { type ChoreStages, createChoreStages } from './stages/chore-stages.ts';
import { createDecisionStages, type DecisionStages } from './stages/decision-stages.ts';
import type { Base, LoopOptions } from './stages/loop-base.ts';
import { createTurnStages, type TurnStages } from './stages/turn-stages.ts';

export interface Loop
  extends Pick<Base, 'agents' | 'firstLook' | 'idle' | 'persistence'>,
    TurnStages,
    ChoreStages,
    DecisionStages {
  intake: Intake;
}

export function createLoop(options: LoopOptions): Loop {
  const { dependencies, mode, onIdle, onTrouble } = options;
  const { deps, runners } = dependencies;
  const persistence = createPersistence(deps.effects, onTrouble, () => idle.check());
  const idle = createIdleWatch(onIdle, persistence.keep);
  const agents = createAgents(deps, runners);
  const firstLook = { isOver: false };
  const feedback: Feedback = {
    lookAtTask: (id) => loop.intake.lookAtTask(id),
    observed: (observation) => loop.observations.take(observation),
    unreadFiles: () => loop.intake.unread(),
    hearOfAll: () => loop.intake.hearOfAll(),
    cameToNothing: (id) => loop.settling.cameToNothing(id),
    turnOver(thread) {
      const task = taskOfThread(thread);
      if (task !== null) {
        for (const id of [task, ...dependencies.deps.ledger.makers.openTasksOf(thread)])
          loop.settling.decide(id);
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
  const base: Base = {
    ...options,
    persistence,
    agents,
    known: createKnownChores(deps),
    firstLook,
    idle,
    feedback,
  };

  const turnStages = createTurnStages(base);
  const choreStages = createChoreStages(base, turnStages);
  const decisionStages = createDecisionStages(base, turnStages, choreStages);
  const { settling, observations } = decisionStages;
  const intake = createIntake({ deps, settling, observations, idle, onTrouble });
  const loop: Loop = {
    ...turnStages,
    ...choreStages,
    ...decisionStages,
    ...{ intake, agents, firstLook, idle, persistence },
  };
  return loop;
}
