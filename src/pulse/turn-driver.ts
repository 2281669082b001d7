// One turn from request to record: look at the file again, record the turn, lay out its folder, mark the task doing,
// run the agent, write the end. Every step is durable before the next, so that a crash anywhere can be taken up.
import type { AgentConfig } from '../core/agent-config.ts';
import { decide } from '../core/decide.ts';
import type { RunningTurn } from '../core/dispatch.ts';
import { setKey } from '../core/document.ts';
import { RoomError } from '../core/errors.ts';
import { newTag, type TaskId, taskOfThread } from '../core/ids.ts';
import type { Task } from '../core/task.ts';
import { endOfTurn } from '../core/turn-end.ts';
import type { Outcome, RunInput, Runner } from '../runners/runner.ts';
import type { TurnRecord, TurnRequest } from '../store/ledger/turns.ts';
import { recordReading } from '../tasks/observer.ts';
import type { Operations } from '../tasks/operations.ts';
import { readFileRow } from '../tasks/read-file-row.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import { contextOf } from '../tasks/turn-context.ts';
import type { Queue } from './queue.ts';
import type { TurnSlot } from './scheduler.ts';
import { readTurnContext, turnDir, writeTurnFolder, writeTurnResult } from './turn-folder.ts';
import { createTurnServices } from './turn-services.ts';

export interface DriverOptions {
  deps: TaskRoom;
  tasks: Operations;
  queue: Queue;
  /** The agent and its runner, or what is wrong with them. */
  agentOf(id: string): { agent: AgentConfig; runner: Runner } | string;
  binDir: string;
  withheldEnv: readonly string[];
  /** A file could not be written or read for a reason outside. */
  onTrouble(error: unknown): void;
}

export type TurnFate = 'skipped' | 'completed' | 'failed' | 'killed';

/** Runs the turn of a request, or finds that it need not run. */
export async function driveTurn(options: DriverOptions, request: TurnRequest, running: RunningTurn, slot: TurnSlot): Promise<TurnFate> {
  const ready = await prepare(options, request, running);
  if (ready === null) return 'skipped';
  return runToEnd(options, ready.turn, ready.input, ready.runner, slot);
}

/** Takes up a turn that was running when the runtime ended. */
export async function adoptTurn(options: DriverOptions, turn: TurnRecord, slot: TurnSlot): Promise<TurnFate> {
  const found = options.agentOf(turn.agent);
  const context = readTurnContext(options.deps.room, turn.id);
  if (typeof found === 'string' || context === null) return interruptTurn(options, turn);
  const task = taskOfThread(turn.thread)!;
  const name = options.deps.ledger.tasks.get(task)?.name ?? task;
  const input = makeInput(options, turn, { id: task, name }, found.agent, context, '', true);
  emitStart(options, turn, task, name, true);
  return runToEnd(options, turn, input, found.runner, slot);
}

/** Records that a turn was lost with its runtime; its request comes back. */
export function interruptTurn(options: DriverOptions, turn: TurnRecord): TurnFate {
  finish(options, turn, {
    state: 'killed',
    reason: 'interrupted',
    exitCode: null,
    signal: null,
    message: 'the runtime ended during the turn',
  });
  return 'killed';
}

interface Prepared {
  turn: TurnRecord;
  input: RunInputBeforeSignal;
  runner: Runner;
}

type RunInputBeforeSignal = Omit<RunInput, 'signal'>;

async function prepare(options: DriverOptions, request: TurnRequest, running: RunningTurn): Promise<Prepared | null> {
  const { deps, queue } = options;
  const drop = () => {
    queue.drop(request.thread);
    return null;
  };
  const id = taskOfThread(request.thread);
  const found = options.agentOf(request.agent);
  const read = id === null ? null : await lookAgain(deps, id);
  if (id === null || read === null || typeof found === 'string') return drop();
  if (!stillDue(deps, id, request)) return drop();
  if (await overLoopGuard(options, id, request)) return drop();
  const turn = begin(options, id, request, running, found, read.task);
  if (turn === null) return null;
  emitStart(options, turn, id, read.task.name, false);
  try {
    const { context, prompt } = await contextOf(deps, read.task, read.text, newTag(deps.effects.randomBytes));
    writeTurnFolder(deps.room, turn.id, context, prompt);
    await markDoing(deps, read.task);
    const input = makeInput(options, turn, { id, name: read.task.name }, found.agent, context, prompt, false);
    return { turn, input, runner: found.runner };
  } catch (error) {
    if (!(error instanceof RoomError)) throw error;
    options.onTrouble(error);
    finish(options, turn, { state: 'killed', reason: 'interrupted', exitCode: null, signal: null, message: error.message });
    return null;
  }
}

/** The file as it stands now, observed; null when it is gone, invalid or another task's. */
async function lookAgain(deps: TaskRoom, id: TaskId): Promise<{ task: Task; text: string } | null> {
  const path = deps.ledger.tasks.get(id)?.path ?? null;
  const row = path === null ? null : await readFileRow(deps, path);
  if (row === null || row === 'unstable') return null;
  recordReading(deps, row);
  if (!row.reading.ok || row.reading.task.id !== id) return null;
  return { task: row.reading.task, text: row.text };
}

// Reconcile before dispatch: a task that was paused, blocked or finished meanwhile does not start.
function stillDue(deps: TaskRoom, id: TaskId, request: TurnRequest): boolean {
  const memory = deps.ledger.tasks.get(id)!;
  const { status, paused, blocked, revision, consumed, attempted } = memory;
  const wakes = request.forced ? [...request.reasons, 'run_forced' as const] : request.reasons;
  const facts = { status, paused, blocked, revision, consumed, attempted, wakes };
  const now = deps.effects.now();
  const decision = decide({ ...facts, agentProblem: null, retryAt: now, held: false, running: false, editedOutside: true, now });
  return decision.due;
}

async function overLoopGuard(options: DriverOptions, id: TaskId, request: TurnRequest): Promise<boolean> {
  const { deps } = options;
  const { loops } = deps.ledger.tasks.get(id)!;
  const limit = deps.config().loopGuard;
  if (request.outside || limit === 0 || loops < limit) return false;
  const reason = `${loops} turns in a row had no cause but the task's own last turn or the heartbeat; resume it when that is right`;
  await options.tasks.pause(id, { kind: 'runtime' }, reason);
  deps.ledger.tasks.update(id, { loops: 0 });
  return true;
}

function begin(
  options: DriverOptions,
  id: TaskId,
  request: TurnRequest,
  running: RunningTurn,
  found: { agent: AgentConfig; runner: Runner },
  task: Task,
): TurnRecord | null {
  const { deps, queue } = options;
  const memory = deps.ledger.tasks.get(id)!;
  const attempt = (memory.attempted === task.revision ? memory.attempts : 0) + 1;
  const { thread, origin, agent, reasons, outside, askedAt } = request;
  const started = {
    id: running.turn,
    thread,
    origin,
    agent,
    runner: found.runner.name,
    reasons,
    attempt,
    revision: task.revision,
    description: task.title ?? task.name,
    outside,
    askedAt,
    startedAt: deps.effects.now(),
  };
  const begun = deps.ledger.transaction(() => {
    if (!queue.begin(started)) return false;
    const loops = outside ? 0 : memory.loops + (reasons.includes('retry') ? 0 : 1);
    deps.ledger.tasks.update(id, { loops, retryAt: null });
    return true;
  });
  return begun ? deps.ledger.turns.get(running.turn) : null;
}

async function markDoing(deps: TaskRoom, task: Task): Promise<void> {
  if (task.status === 'doing') return;
  await deps.writer.edit(task.path, {
    actor: 'runtime',
    task: task.id,
    edit: (text) => setKey(text, 'status', 'doing'),
  });
  const row = await readFileRow(deps, task.path);
  if (row !== null && row !== 'unstable') recordReading(deps, row);
}

function makeInput(
  options: DriverOptions,
  turn: TurnRecord,
  task: { id: TaskId; name: string },
  agent: AgentConfig,
  context: RunInput['context'],
  prompt: string,
  adopt: boolean,
): RunInputBeforeSignal {
  const { deps } = options;
  return {
    turn: { id: turn.id, attempt: turn.attempt },
    task,
    dir: turnDir(deps.room, turn.id),
    room: deps.room.dir,
    prompt,
    context,
    agent,
    services: createTurnServices(deps, options.tasks, { id: turn.id, task: task.id, agent: turn.agent }),
    adopt,
    binDir: options.binDir,
    withheldEnv: options.withheldEnv,
    session: deps.ledger.tasks.get(task.id)?.session ?? null,
    effects: deps.effects,
  };
}

async function runToEnd(options: DriverOptions, turn: TurnRecord, input: RunInputBeforeSignal, runner: Runner, slot: TurnSlot): Promise<TurnFate> {
  const { deps } = options;
  const run = runner.run({ ...input, signal: slot.signal });
  for (;;) {
    const next = await run.next();
    if (next.done) return finishDurably(options, turn, next.value);
    const event = next.value;
    if (event.type === 'started') deps.ledger.turns.setPid(turn.id, event.pid);
    else if (event.type === 'output') slot.output(event.bytes);
    else deps.ledger.tasks.update(input.task.id, { session: event.id });
  }
}

// The pause is written into the file before the turn is recorded as over: a crash between repeats both, by its key.
async function finishDurably(options: DriverOptions, turn: TurnRecord, outcome: Outcome): Promise<TurnFate> {
  const { deps } = options;
  const end = endFor(options, turn, outcome);
  if (end?.pause) {
    const id = taskOfThread(turn.thread)!;
    try {
      await options.tasks.pause(id, { kind: 'agent', agent: turn.agent, turn: turn.id }, end.pause);
    } catch (error) {
      if (!(error instanceof RoomError)) throw error;
      options.onTrouble(error);
    }
  }
  try {
    writeTurnResult(deps.room, turn.id, outcome, deps.effects.now());
  } catch (error) {
    options.onTrouble(error);
  }
  return finish(options, turn, outcome);
}

function endFor(options: DriverOptions, turn: TurnRecord, outcome: Outcome) {
  const { deps } = options;
  const memory = deps.ledger.tasks.get(taskOfThread(turn.thread) ?? '');
  if (memory === null) return null;
  return endOfTurn({
    ...outcome,
    revision: turn.revision,
    reasons: turn.reasons,
    consumed: memory.consumed,
    attempted: memory.attempted,
    attempts: memory.attempts,
    maxAttempts: deps.config().maxAttempts,
    now: deps.effects.now(),
    random: deps.effects.randomBytes(1)[0]! / 256,
  });
}

function finish(options: DriverOptions, turn: TurnRecord, outcome: Outcome): TurnFate {
  const { deps } = options;
  const id = taskOfThread(turn.thread)!;
  const now = deps.effects.now();
  const end = endFor(options, turn, outcome);
  const first = options.queue.end(turn.id, { ...outcome, endedAt: now }, () => {
    if (end === null) return;
    deps.ledger.tasks.update(id, end.memory);
    for (const wake of end.wakesAgain) deps.ledger.tasks.addWake(id, wake, now);
  });
  const name = deps.ledger.tasks.get(id)?.name ?? id;
  if (!first) return outcome.state;
  const { state, reason, exitCode, message } = outcome;
  deps.events.emit({ type: 'turn.ended', turn: turn.id, id, name, state, reason, exitCode, tookMs: now - turn.startedAt, message });
  if (end?.pause) deps.events.emit({ type: 'task.paused', id, name, reason: end.pause });
  const at = end?.memory.retryAt ?? null;
  if (at !== null && reason !== 'interrupted') deps.events.emit({ type: 'turn.retrying', id, name, attempt: turn.attempt + 1, at });
  return state;
}

function emitStart(options: DriverOptions, turn: TurnRecord, id: TaskId, name: string, adopted: boolean): void {
  const { id: turnId, agent, attempt, reasons } = turn;
  options.deps.events.emit({ type: 'turn.started', turn: turnId, id, name, agent, attempt, reasons, adopted });
}
