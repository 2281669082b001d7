// The stages between an observation and a request: what it leads to, when edits have settled, which tasks are due, and
// what comes back by time.

import { createDecider, type Decider } from '../decide/decider.ts';
import { createObservations, type Observations } from '../decide/observations.ts';
import { createRetries, type Retries } from '../decide/retries.ts';
import { createSettling, type Settling } from '../decide/settling.ts';
import type { ChoreStages } from './chore-stages.ts';
import type { Base } from './loop-base.ts';
import type { TurnStages } from './turn-stages.ts';

export interface DecisionStages {
  observations: Observations;
  settling: Settling;
  decider: Decider;
  retries: Retries;
}

export function createDecisionStages(
  base: Base,
  { scheduler, running }: TurnStages,
  { pushes }: ChoreStages,
): DecisionStages {
  const { mode, agents, firstLook, holdsRoom, idle, onTrouble } = base;
  const { deps } = base.dependencies;
  const { once } = mode;
  const { keep } = base.persistence;
  const decider = createDecider({ deps, agents, running, scheduler, keep });
  const trying = { keep, onTrouble };
  const settling = createSettling({
    deps,
    decider,
    firstLook,
    idle,
    feedback: base.feedback,
    once,
    ...trying,
  });
  const retries = createRetries({ deps, settling, ...trying });
  const observations = createObservations({
    deps,
    decider,
    settling,
    running,
    pushes,
    firstLook,
    holdsRoom,
    idle,
    feedback: base.feedback,
    onTrouble,
    note: base.note,
  });
  return { observations, settling, decider, retries };
}
