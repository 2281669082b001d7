// Turns of tasks: the file is looked at again, the task marked doing, its workspace entered, and what came of it written into the file.
import { resolve } from 'node:path';
import { outcomeFor, type Runner, stopReason } from '../../agents/runner.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { TurnContext } from '../../core/context/context-shape.ts';
import { newTag, type TaskId, taskOfThread } from '../../core/ids.ts';
import { failuresBefore } from '../../core/rules/checks.ts';
import { decide } from '../../core/rules/decide.ts';
import { budgetPause } from '../../core/rules/turn-end.ts';
import { checksThatCount } from '../../store/files/trusted-words.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { whyUnsaid } from '../../tasks/observe/handed-over.ts';
import { usedUpBudget } from '../../tasks/task-budget.ts';
import { atWork } from '../../tasks/views/agent-folder.ts';
import { readAgentWaits } from '../../tasks/views/agent-waits.ts';
import { untoldJobs } from '../../tasks/views/around.ts';
import { contextOf } from '../../tasks/views/turn-context.ts';
import type { TurnSlot } from '../active-turns.ts';
import type { Base } from '../base.ts';
import type { WorkspaceTurn } from '../ports.ts';
import type { LaidOut, TurnKind } from './drive-turn.ts';
import { endTaskTurn } from './task-end.ts';
import { lookAgain, markDoing, noteInFile, promptFacts, type TaskText, workHash } from './task-file.ts';
import { turnDir } from './turn-folder.ts';
import { type RunEnd, subjectOf } from './turn-record.ts';
import { createTurnServices } from './turn-services.ts';

export function createTaskKind(base: Base): TurnKind<TurnContext> {
  const { deps } = base;
  const taskOf = ({ thread }: Pick<TurnRecord, 'thread'>) => taskOfThread(thread)!;
  return {
    async look(request) {
      const id = taskOf(request);
      const found = base.agents.find(request.agent);
      const read = await lookAgain(base, id);
      if (read === null || typeof found === 'string' || !(await mayStart(base, id, request))) return null;
      const { title, name, revision } = read.task;
      return {
        ...found,
        facts() {
          const { attempted, attempts } = deps.ledger.tasks.get(id)!;
          return {
            attempt: (attempted === revision ? attempts : 0) + 1,
            revision,
            description: title ?? name,
          };
        },
        begun: (turn) => recordStart(base, id, request, turn),
        layOut: (turn, slot) => layOut(base, turn, found, read, slot),
      };
    },
    agentOf: (turn, agent) => base.workspaces.agentIn(taskOf(turn), agent),
    subject(turn, agent, context) {
      const id = taskOf(turn);
      const reporter = { id: turn.id, task: id, agent: turn.agent, access: agent.access };
      const servicesFor = (request?: string) => createTurnServices(deps, base.tasks, reporter, request);
      const task = { id, name: subjectOf(deps, turn).name };
      return { task, context, services: servicesFor(), servicesFor };
    },
    /** Leaves the workspace, unless the runtime stops: then the next start does it. */
    async leave(turn, agent, slot) {
      if (agent.workspace === null || base.isStopping()) return;
      const about = workspaceTurn(base, turn, agent, slot, slot.checking());
      const fault = await base.workspaces.leave(about);
      if (fault !== null) await noteInFile(base, turn, { text: fault, key: `${turn.id}:after_run` });
    },
    end: (turn, end, ran) => endTaskTurn(base, turn, end, ran),
  };
}

async function layOut(
  base: Base,
  turn: TurnRecord,
  { agent: own, runner }: { agent: AgentConfig; runner: Runner },
  before: TaskText,
  slot: TurnSlot,
): Promise<LaidOut<TurnContext> | RunEnd> {
  const { deps } = base;
  const { jobs, turns, together } = deps.ledger;
  const read = await markDoing(base, await tellFallback(base, turn, before));
  const tag = newTag(deps.effects.randomBytes);
  const entered = await enterWorkspace(base, turn, own, slot, runner.isElsewhere === true);
  if ('outcome' in entered) return entered;
  const agent = atWork(deps, entered, turn.thread);
  const cwd = resolve(deps.room.dir, agent.cwd ?? '.');
  const endedJobs = untoldJobs(deps, taskOfThread(turn.thread)!);
  const facts = { ...promptFacts(base, turn, read), cwd };
  return {
    agent,
    ...contextOf(deps, read.task, read.text, tag, facts),
    record() {
      jobs.updateAll(endedJobs, { told: true });
      return together(() => void turns.update(turn.id, { workHash: workHash(read.text) }));
    },
  };
}

/** Looks once more before the start: a task that was paused, blocked or finished meanwhile does not start. */
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

/** Joins the commit that begins the turn: its checks count as they stand now. */
function recordStart({ deps }: Base, id: TaskId, request: TurnRequest, turn: TurnRecord): void {
  const { tasks, questions, checks } = deps.ledger;
  const { outside, reasons, agent } = request;
  const loops = outside ? 0 : tasks.get(id)!.loops + (reasons.includes('retry') ? 0 : 1);
  tasks.update(id, { loops, retryAt: null });
  checks.begin({
    ...{ turn: turn.id, task: id, revision: turn.revision, state: 'open', results: [] },
    commands: checksThatCount(deps.ledger, id, deps.agents().get(agent)),
    failures: failuresBefore(checks.newest(id), turn.revision),
    beganAt: turn.startedAt,
  });
  questions.show(id, turn.id);
}

/** Notes in the file that another agent takes the turn of one that waits; returns the file as it stands then. */
async function tellFallback(base: Base, turn: TurnRecord, read: TaskText): Promise<TaskText> {
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

/** The agent as it is to run, or how the turn ended before it could. */
async function enterWorkspace(
  base: Base,
  turn: TurnRecord,
  agent: AgentConfig,
  slot: TurnSlot,
  elsewhere: boolean,
): Promise<AgentConfig | RunEnd> {
  if (agent.workspace === null) return agent;
  const { signal } = slot;
  const about = workspaceTurn(base, turn, agent, slot, signal);
  const entered = await base.workspaces.enter({ ...about, elsewhere });
  if (entered.ok) return entered.agent;
  const reason = signal.aborted ? stopReason(signal) : entered.reason;
  const outcome = outcomeFor(reason, entered.message);
  return { outcome, counts: reason === 'interrupted' && !base.isStopping(), isSeen: true };
}

function workspaceTurn(
  { deps }: Base,
  turn: TurnRecord,
  agent: AgentConfig,
  slot: TurnSlot,
  signal: AbortSignal,
): WorkspaceTurn {
  const { name } = subjectOf(deps, turn);
  const about = { turn: turn.id, task: taskOfThread(turn.thread)!, name, dir: turnDir(deps.room, turn.id) };
  return { ...about, agent, signal, alive: () => slot.output(0) };
}
