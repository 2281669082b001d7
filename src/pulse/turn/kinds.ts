// The three kinds of turns: of a task, of a chore with a prompt, and of the summary of a task's old entries.
import type { Chore } from '../../core/chore/chore.ts';
import type { ChoreContext, SummaryContext } from '../../core/chore/chore-prompt.ts';
import type { TurnContext } from '../../core/context/context-shape.ts';
import { choreOfThread, summaryOfThread, type ThreadId, taskOfThread } from '../../core/ids.ts';
import type { Loop } from '../state/loop.ts';
import { createDriver, type Driver } from './drive-turn.ts';
import { endChoreTurn } from './finish/chore-end.ts';
import { endSummaryTurn } from './finish/summary-end.ts';
import { endTaskTurn } from './finish/task-end.ts';
import { beginChoreTurn, layOutChore, lookAtChore } from './prepare/chore.ts';
import { beginSummaryTurn, layOutSummary, lookAtOldEntries, type OldEntries } from './prepare/summary.ts';
import { beginTaskTurn, layOutTask, leaveWorkspace, lookAtTask } from './prepare/task.ts';
import { createTurnServices } from './run/turn-services.ts';
import type { TaskText } from './task-file.ts';
import { subjectOf, type TurnKind } from './turn-kind.ts';

const TASK: TurnKind<TurnContext, TaskText> = {
  look: lookAtTask,
  begin: beginTaskTurn,
  layOut: layOutTask,
  agentOf: ({ workspaces }, { thread }, agent) => workspaces.agentIn(taskOfThread(thread)!, agent),
  subject({ deps, tasks }, turn, { access }, context) {
    const id = taskOfThread(turn.thread)!;
    const reporter = { id: turn.id, task: id, agent: turn.agent, access };
    const servicesFor = (request?: string) => createTurnServices(deps, tasks, reporter, request);
    return {
      ...{ context, servicesFor, services: servicesFor() },
      task: { id, name: subjectOf(deps, turn).name },
    };
  },
  leave: leaveWorkspace,
  end: endTaskTurn,
};

const CHORE: TurnKind<ChoreContext, Chore> = {
  look: lookAtChore,
  begin: beginChoreTurn,
  layOut: layOutChore,
  subject: (_loop, _turn, _agent, context) => ({
    chore: { name: context.chore.name, prompt: context.chore.prompt },
    context,
  }),
  end: endChoreTurn,
};

const SUMMARY: TurnKind<SummaryContext, OldEntries> = {
  look: lookAtOldEntries,
  begin: beginSummaryTurn,
  layOut: layOutSummary,
  subject: (_loop, { description }, _agent, context) => ({
    chore: { name: description, prompt: '' },
    context,
  }),
  // What it read before is no part of the record any more.
  forgets: true,
  end: endSummaryTurn,
};

/** The driver of the turns of a thread. */
export function createDrivers(loop: Loop): (thread: ThreadId) => Driver {
  const [task, chore, summary] = [
    createDriver(loop, TASK),
    createDriver(loop, CHORE),
    createDriver(loop, SUMMARY),
  ];
  return (thread) => {
    if (summaryOfThread(thread) !== null) return summary;
    return choreOfThread(thread) === null ? task : chore;
  };
}
