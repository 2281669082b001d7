// Turns of tasks: the file is looked at again, the task marked doing, its workspace entered, and what came of it written into the file.
import { resolve } from 'node:path';
import type { Runner } from '../../agents/runner.ts';
import type { TurnContext } from '../../core/context/context-shape.ts';
import { newTag, type TaskId, taskOfThread } from '../../core/ids.ts';
import { failuresBefore } from '../../core/rules/checks.ts';
import { decide } from '../../core/rules/decide.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import { budgetPause } from '../../core/rules/turn-end.ts';
import type { Task } from '../../core/task/task.ts';
import { checksThatCount } from '../../store/files/trusted-words.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { whyUnsaid } from '../../tasks/observe/handed-over.ts';
import { usedUpBudget } from '../../tasks/task-budget.ts';
import { atWork } from '../../tasks/views/agent-folder.ts';
import { readAgentWaits } from '../../tasks/views/agent-waits.ts';
import { untoldJobs } from '../../tasks/views/around.ts';
import { contextOf } from '../../tasks/views/turn-context.ts';
import type { Base } from '../base.ts';
import { type Begun, createTurnDriver, type TurnDriver } from './drive-turn.ts';
import { endTaskTurn } from './task-end.ts';
import { lookAgain, markDoing, type TaskText, workHash } from './task-file.ts';
import { promptFacts } from './task-prompt.ts';
import { writeTurnFolder } from './turn-folder.ts';
import { beginTurn } from './turn-record.ts';
import { createTurnServices } from './turn-services.ts';
import { enterWorkspace, leaveWorkspace } from './workspace.ts';

export function createTaskDriver(base: Base): TurnDriver {
  const { deps } = base;
  const named = ({ thread }: TurnRecord) => {
    const id = taskOfThread(thread)!;
    return { id, name: deps.ledger.tasks.get(id)?.name ?? id };
  };
  return createTurnDriver<Begun & { read: TaskText }, TurnContext>(base, {
    async begin(request, running) {
      const id = taskOfThread(request.thread);
      const found = base.agents.find(request.agent);
      const read = id === null ? null : await lookAgain(base, id);
      if (id === null || read === null || typeof found === 'string' || !(await mayStart(base, id, request))) {
        deps.ledger.requests.drop(request.thread);
        return null;
      }
      const turn = await begin(base, id, request, running, found.runner, read.task);
      return turn === null ? null : { turn, ...found, read };
    },
    async layOut({ turn, agent: own, runner, read: before }, slot) {
      const read = await markDoing(base, await sayStandIn(base, turn, before));
      const tag = newTag(deps.effects.randomBytes);
      const entered = await enterWorkspace(base, turn, own, slot, runner.isElsewhere === true);
      if ('outcome' in entered) return entered;
      const agent = atWork(deps, entered, turn.thread);
      const cwd = resolve(deps.room.dir, agent.cwd ?? '.');
      const endedJobs = untoldJobs(deps, named(turn).id);
      const facts = { ...promptFacts(base, turn, read), cwd };
      const { context, prompt } = contextOf(deps, read.task, read.text, tag, facts);
      writeTurnFolder(deps.room, turn.id, context, prompt);
      deps.ledger.jobs.setTold(endedJobs);
      const recorded = deps.ledger.together(
        () => void deps.ledger.turns.update(turn.id, { workHash: workHash(read.text) }),
      );
      return { agent, context, prompt, recorded };
    },
    named,
    agentOf: (turn, agent) => base.workspaces.agentIn(named(turn).id, agent),
    subject(turn, agent, context) {
      const task = named(turn);
      const reporter = { id: turn.id, task: task.id, agent: turn.agent, access: agent.access };
      const servicesFor = (request?: string) => createTurnServices(deps, base.tasks, reporter, request);
      return { task, context, services: servicesFor(), servicesFor };
    },
    leave: (turn, agent, slot) => leaveWorkspace(base, turn, agent, slot),
    end: (turn, end, ran) => endTaskTurn(base, turn, end, ran),
  });
}

/** Reconciled before dispatch: a task that was paused, blocked or finished meanwhile does not start. */
async function mayStart(base: Base, id: TaskId, request: TurnRequest): Promise<boolean> {
  const { deps } = base;
  const memory = deps.ledger.tasks.get(id)!;
  const now = deps.effects.now();
  const { due } = decide({
    ...memory,
    waiting: deps.ledger.questions.isWaiting(id),
    wakes: request.forced ? [...request.reasons, 'run_forced'] : request.reasons,
    agentProblem: whyUnsaid(deps, id),
    ...{ retryAt: now, held: false, running: false, inTurn: false, editedOutside: true, now },
  });
  if (!due) return false;
  const { loopGuard } = deps.config();
  const isLoop = !request.outside && loopGuard > 0 && memory.loops >= loopGuard;
  const budget = request.forced ? null : usedUpBudget(deps, id, 'next');
  if (!isLoop && budget === null) return true;
  const reason = isLoop
    ? `${memory.loops} turns in a row had no cause but the task's own last turn or the heartbeat; resume it when that is right`
    : budgetPause(budget!);
  await base.tasks.call('pause', { ref: id, reason }, { kind: 'runtime' });
  if (isLoop) deps.ledger.tasks.update(id, { loops: 0 });
  return false;
}

/** Puts the turn on record; null when its request is gone. What it counts from is read in the same commit. */
function begin(
  { deps }: Base,
  id: TaskId,
  request: TurnRequest,
  running: RunningTurn,
  runner: Runner,
  task: Task,
): Promise<TurnRecord | null> {
  const { tasks, questions, together } = deps.ledger;
  return together(() => {
    const memory = tasks.get(id)!;
    const turn = beginTurn(deps, request, running, runner, {
      attempt: (memory.attempted === task.revision ? memory.attempts : 0) + 1,
      revision: task.revision,
      description: task.title ?? task.name,
    });
    if (turn === null) return null;
    const loops = request.outside ? 0 : memory.loops + (request.reasons.includes('retry') ? 0 : 1);
    tasks.update(id, { loops, retryAt: null });
    const { checks } = deps.ledger;
    // The checks of the turn, as they stand now.
    checks.begin({
      ...{ turn: turn.id, task: id, revision: task.revision, state: 'open', results: [] },
      commands: checksThatCount(deps.ledger, id, deps.agents().get(request.agent)),
      failures: failuresBefore(checks.newest(id), task.revision),
      beganAt: turn.startedAt,
    });
    questions.show(id, turn.id);
    return turn;
  });
}

/** Says so where another agent takes the turn; returns the file as it stands then. */
async function sayStandIn(base: Base, turn: TurnRecord, read: TaskText): Promise<TaskText> {
  const { deps, tasks } = base;
  const owner = read.task.owner ?? deps.config().defaultAgent;
  const wait = turn.agent === owner ? undefined : readAgentWaits(deps).agents.get(owner);
  if (wait === undefined) return read;
  const id = taskOfThread(turn.thread)!;
  const until = new Date(wait.until).toISOString();
  const text = `Until ${until} ${wait.text}; agent ${turn.agent} takes its turns.`;
  const key = `stand-in:${id}:${owner}:${wait.until}`;
  await tasks.call('note', { ref: id, text, key }, { kind: 'runtime', turn: turn.id });
  return (await lookAgain(base, id)) ?? read;
}
