// What comes before the agent of a task's turn: the file is read and observed once more, the task is marked doing, and its agent gets
// its folder, its context and its prompt.
import { resolve } from 'node:path';
import { outcomeFor, stopReason } from '../../../agents/runner.ts';
import type { AgentConfig } from '../../../core/config/agent-config.ts';
import type { TurnContext } from '../../../core/context/context-shape.ts';
import type { PromptChecks } from '../../../core/context/services-section.ts';
import { type Face, faceOf, type PromptBridge } from '../../../core/context/services-section.ts';
import { parseDocument, setKey } from '../../../core/document/document.ts';
import { newTag, type TurnId, taskOfThread } from '../../../core/ids.ts';
import { failuresBefore } from '../../../core/rules/checks.ts';
import { decide } from '../../../core/rules/decide.ts';
import { budgetPause, wakesOnce } from '../../../core/rules/turn-end.ts';
import { readProgress } from '../../../core/task/body/entries.ts';
import { readTask } from '../../../core/task/read-task.ts';
import { isFinished, statusWord } from '../../../core/task/status.ts';
import { checksThatCount } from '../../../store/files/trusted-words.ts';
import type { TurnRecord } from '../../../store/ledger/turns/turns.ts';
import { hashBytes } from '../../../store/write/stable-read.ts';
import { whyUnsaid } from '../../../tasks/observe/handed-over.ts';
import { readAgentWaits, usedUpBudget } from '../../../tasks/obstacles.ts';
import type { TaskRoom } from '../../../tasks/task-room.ts';
import { atWork } from '../../../tasks/views/agent-folder.ts';
import { contextOf } from '../../../tasks/views/turn-context.ts';
import type { Loop, TurnSlot } from '../../state/loop.ts';
import {
  contextFile,
  lookAgain,
  noteInFile,
  observe,
  type TaskText,
  turnDir,
  workHash,
  wroteNothingBefore,
} from '../turn-files.ts';
import { type Ready, recordStart, subjectOf, type TurnKind } from '../turn-kind.ts';

export type TaskKind = TurnKind<TurnContext, TaskText>;

/** Looks once more before the start: a task that was paused, blocked or finished meanwhile does not start. */
export const lookAtTask: TaskKind['look'] = async (loop, request) => {
  const id = taskOfThread(request.thread)!;
  const found = loop.agents.find(request.agent);
  const read = await lookAgain(loop, id);
  if (read === null || typeof found === 'string') return null;
  const { deps } = loop;
  await loop.agents.lookAt(request.agent);
  const memory = deps.ledger.tasks.get(id)!;
  const now = deps.effects.now();
  const agentProblem = whyUnsaid(deps, id) ?? loop.agents.problem(request.agent, memory);
  const { due } = decide({
    ...memory,
    waiting: deps.ledger.questions.isWaiting(id),
    wakes: request.forced ? [...request.reasons, 'run_forced'] : request.reasons,
    ...{ agentProblem, retryAt: now, held: false, running: false, inTurn: false, editedOutside: true, now },
  });
  if (!due) {
    // What asked for it asks again once its agent can run.
    if (agentProblem !== null)
      for (const wake of wakesOnce(request.reasons)) deps.ledger.wakes.add(id, wake, now);
    return null;
  }
  const { loopGuard } = deps.config();
  const isLoop = !request.outside && loopGuard > 0 && memory.loops >= loopGuard;
  const budget = request.forced ? null : usedUpBudget(deps, id, 'next');
  if (!isLoop && budget === null) return { ...found, read };
  const reason = isLoop
    ? `${memory.loops} turns in a row had no cause but the task's own last turn or the heartbeat; resume it when that is right`
    : budgetPause(budget!);
  await loop.tasks.call('pause', { ref: id, reason }, { kind: 'runtime' });
  if (isLoop) deps.ledger.tasks.update(id, { loops: 0 });
  return null;
};

/** Joins the commit that begins the turn: its checks count as they stand now. */
export const beginTaskTurn: TaskKind['begin'] = ({ deps }, { read: { task }, runner }, request) => {
  const { tasks, questions, checks, told } = deps.ledger;
  const { outside, reasons, agent, thread } = request;
  const id = taskOfThread(thread)!;
  const { attempted, attempts, loops } = tasks.get(id)!;
  const turn = recordStart(deps, request, runner, {
    attempt: (attempted === task.revision ? attempts : 0) + 1,
    revision: task.revision,
    description: task.title ?? task.name,
  });
  if (turn === null) return null;
  tasks.update(id, { loops: outside ? 0 : loops + (reasons.includes('retry') ? 0 : 1), retryAt: null });
  checks.begin({
    ...{ turn: turn.id, task: id, revision: turn.revision, state: 'open', results: [] },
    commands: checksThatCount(deps.ledger, id, deps.agents().get(agent)),
    failures: failuresBefore(checks.newest(id), turn.revision),
    beganAt: turn.startedAt,
  });
  questions.show(id, turn.id);
  // They stand among the comments that it is given.
  told.deleteAll({ task: id });
  return turn;
};

export const layOutTask: TaskKind['layOut'] = async (loop, ready, turn, slot) => {
  const { agent: own, read: before } = ready;
  const { deps } = loop;
  const { jobs, turns, together } = deps.ledger;
  const owner = before.task.owner ?? deps.config().defaultAgent;
  const noted = turn.agent === owner ? before : await noteFallback(loop, turn, before, owner);
  const read = await markDoing(loop, turn.id, noted);
  const entered = own.workspace === null ? own : await enterWorkspace(loop, turn, ready, slot);
  if ('outcome' in entered) return entered;
  const agent = atWork(deps, entered, turn.thread);
  const cwd = resolve(deps.room.dir, agent.cwd ?? '.');
  const endedJobs = jobs.untold(taskOfThread(turn.thread)!).map((job) => job.id);
  return {
    agent,
    ...contextOf(deps, read.task, read.text, newTag(deps.effects.randomBytes), {
      ...{ ...reportingOf(loop, turn), cwd, wroteNothing: wroteNothingBefore(deps, turn) },
      access: deps.agents().get(turn.agent)?.access ?? 'readonly',
      ...(turn.attempt > 1 && attemptBefore(deps, turn, read)),
      ...checksOf(deps, turn),
    }),
    record() {
      jobs.updateAll(endedJobs, { told: true });
      return together(() => void turns.update(turn.id, { workHash: workHash(read.text) }));
    },
  };
};

/** Notes in the file that another agent takes the turn of one that waits; returns the file as it stands then. */
async function noteFallback(loop: Loop, turn: TurnRecord, read: TaskText, owner: string): Promise<TaskText> {
  const wait = readAgentWaits(loop.deps).agents.get(owner);
  if (wait === undefined) return read;
  const id = taskOfThread(turn.thread)!;
  const until = new Date(wait.until).toISOString();
  const text = `Until ${until} ${wait.text}; agent ${turn.agent} takes its turns.`;
  const key = `stand-in:${id}:${owner}:${wait.until}`;
  await loop.tasks.call('note', { ref: id, text, key }, { kind: 'runtime', turn: turn.id });
  return (await lookAgain(loop, id)) ?? read;
}

/** Marks the task doing, unless it was finished meanwhile; returns the file as it stands then. */
async function markDoing(loop: Loop, turn: TurnId, read: TaskText): Promise<TaskText> {
  const { deps } = loop;
  const { path, id, status } = read.task;
  if (status === 'doing') return read;
  // A done that its checks never let count is no end.
  const isHeld = id !== null && status === 'done' && deps.ledger.tasks.get(id)?.status !== 'done';
  const edit = (text: string) => {
    const reading = readTask(path, text, deps.config);
    const isOpen = reading.ok && (isHeld || !isFinished(reading.task.status));
    return isOpen ? setKey(text, 'status', 'doing', path) : text;
  };
  const from = { ...read.row, stat: read.row.stamp };
  const row = await loop.dirtyPaths.whileHeld(path, async () => {
    const { after, stamp } = await deps.writer.edit(path, { actor: 'runtime', task: id, read: from, edit });
    if (!stamp) return observe(loop, path);
    const bytes = Buffer.from(after);
    const hash = hashBytes(bytes);
    const reading = readTask(path, after, deps.config, hash);
    return observe(loop, path, { path, stamp, hash, reading, text: after, bytes });
  });
  if (!row?.reading.ok) return read;
  const parsed = parseDocument(read.text, path);
  const statusBefore = parsed.ok && Object.hasOwn(parsed.doc.data, 'status') ? statusWord(read.task) : '';
  deps.ledger.turns.update(turn, { statusBefore });
  return { task: row.reading.task, text: row.text, row };
}

/** Leaves the workspace, unless the runtime stops: then the next start does it. */
export const leaveWorkspace: NonNullable<TaskKind['leave']> = async (loop, turn, agent, slot) => {
  if (agent.workspace === null || loop.isStopping()) return;
  const about = { ...workspaceTurn(loop, turn, agent, slot), signal: slot.checking() };
  const fault = await loop.workspaces.leave(about);
  if (fault !== null) await noteInFile(loop, turn, { text: fault, key: `${turn.id}:after_run` });
};

/** The agent as it is to run, or how the turn ended before it could. */
async function enterWorkspace(loop: Loop, turn: TurnRecord, ready: Ready<TaskText>, slot: TurnSlot) {
  const { agent, runner, read } = ready;
  const { signal } = slot;
  const { base, repositories } = read.task;
  const about = { ...workspaceTurn(loop, turn, agent, slot), base, repositories, signal };
  const entered = await loop.workspaces.enter({ ...about, isRemote: runner.isRemote === true });
  if (entered.ok) return entered.agent;
  const reason = signal.aborted ? stopReason(signal) : entered.reason;
  const outcome = outcomeFor(reason, entered.message);
  return { outcome, counts: reason === 'interrupted' && !loop.isStopping(), isSeen: true };
}

function workspaceTurn({ deps }: Loop, turn: TurnRecord, agent: AgentConfig, slot: TurnSlot) {
  const { name } = subjectOf(deps, turn);
  const about = { turn: turn.id, task: taskOfThread(turn.thread)!, name, dir: turnDir(deps.room, turn.id) };
  return { ...about, agent, alive: () => slot.output(0) };
}

/** How the agent of a turn reports. One that reports by tools and may run no programs has no use for program and context file. */
export function reportingOf(
  { deps: { room, agents }, bridges: { program } }: Pick<Loop, 'deps' | 'bridges'>,
  turn: Pick<TurnRecord, 'id' | 'agent'>,
): { bridge: PromptBridge | null; face: Face } {
  const agent = agents().get(turn.agent);
  const face = faceOf(agent);
  if (face === 'mcp' && agent?.permissions === 'edit') return { bridge: null, face };
  return { bridge: { program, contextFile: contextFile(room, turn.id) }, face };
}

/** The task's file as it stands now is as the attempt before left it, but for what people did since. */
function attemptBefore({ ledger }: TaskRoom, { id, thread, attempt }: TurnRecord, { task, text }: TaskText) {
  const { steps } = task;
  const last = ledger.turns.list({ thread, limit: 2 }).find((turn) => turn.id !== id);
  if (last === undefined) return {};
  const entries = readProgress(text);
  const at = entries.findLast((entry) => entry.at !== null)?.at;
  const done = steps.filter((step) => step.done).length;
  const ticked = steps.length === 0 ? 'no steps' : `${done} of ${steps.length} steps ticked`;
  const progress =
    entries.length === 0
      ? 'no progress'
      : `${entries.length} progress entries${at ? `, the last of ${at}` : ''}`;
  const ended = [last.reason ?? 'interrupted', last.message ?? ''].filter((part) => part !== '').join(': ');
  return { attempt: { number: attempt, ended, file: `${ticked} and ${progress}` } };
}

function checksOf({ ledger, config }: TaskRoom, turn: TurnRecord): { checks?: PromptChecks } {
  const checks = ledger.checks.get(turn.id);
  if (checks === null) return {};
  const before = ledger.checks.before(checks.task, turn.id);
  const hasFailed = before?.state === 'failed' || before?.state === 'gave_up';
  const failed = (hasFailed ? before.results.at(-1) : undefined) ?? null;
  const { commands, failures } = checks;
  return { checks: { commands, failed, failures, maxRounds: config().maxCheckRounds } };
}
