// One turn from request to record: look at the file again, record the turn, lay out its folder, mark the task doing,
// run the agent, write the end. Every step is durable before the next, so that a crash anywhere can be taken up.
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { TurnContext } from '../../core/context/context-shape.ts';
import { type ErrorCode, RoomError } from '../../core/errors.ts';
import { newTag, type TaskId, taskOfThread } from '../../core/ids.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import type { Outcome, Runner, TaskRunInput } from '../../runners/runner.ts';
import type { TurnRequest } from '../../store/ledger/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns.ts';
import { contextOf } from '../../tasks/read/turn-context.ts';
import { checksForPrompt } from './checks.ts';
import type { DriverOptions } from './driver-options.ts';
import { wroteNothingBefore } from './nothing-written.ts';
import type { TurnDriver, TurnResult, TurnSlot } from './turn-contract.ts';
import { finishDurably, interruptTurn, putOff } from './turn-finish.ts';
import { bridgeDir, readTurnContext, turnDir, writeFileHash, writeTurnFolder } from './turn-folder.ts';
import { followRun, interrupted, startEvent } from './turn-run.ts';
import { createTurnServices } from './turn-services.ts';
import { begin, lookAgain, markDoing, overLoopGuard, stillDue } from './turn-start.ts';
import { enterWorkspace, leaveWorkspace } from './workspace.ts';

/** Drives turns of tasks. */
export function createTaskTurnDriver(options: DriverOptions): TurnDriver {
  return {
    drive: (request, running, slot) => driveTurn(options, request, running, slot),
    adopt: (turn, slot, lived) => adoptTurn(options, turn, slot, lived),
    interrupt: (turn) => void interruptTurn(options, turn),
  };
}

async function driveTurn(
  options: DriverOptions,
  request: TurnRequest,
  running: RunningTurn,
  slot: TurnSlot,
): Promise<TurnResult> {
  const ready = await prepare(options, request, running, slot);
  if (ready === null) return 'skipped';
  if (typeof ready === 'string') return ready;
  return runToEnd(options, ready.turn, ready.input, ready.runner, slot, true);
}

async function adoptTurn(
  options: DriverOptions,
  turn: TurnRecord,
  slot: TurnSlot,
  lived: boolean,
): Promise<TurnResult> {
  const found = options.agents.find(turn.agent);
  const context = readTurnContext(options.deps.room, turn.id);
  if (typeof found === 'string' || context === null) {
    if (!lived) return interruptTurn(options, turn);
    const outcome = interrupted(context === null ? "the turn's folder is gone" : String(found));
    return finishDurably(options, turn, { outcome, counts: true });
  }
  const task = taskOfThread(turn.thread)!;
  const name = options.deps.ledger.tasks.get(task)?.name ?? task;
  const agent = options.workspaces.agentIn(task, found.agent);
  const input = makeInput(options, turn, { id: task, name }, agent, context, '', true);
  options.deps.events.emit(startEvent(turn, { id: task, name, adopted: true }));
  return runToEnd(options, turn, input, found.runner, slot, lived);
}

interface Prepared {
  turn: TurnRecord;
  input: RunInputBeforeSignal;
  runner: Runner;
}

type RunInputBeforeSignal = Omit<TaskRunInput, 'signal'>;

async function prepare(
  options: DriverOptions,
  request: TurnRequest,
  running: RunningTurn,
  slot: TurnSlot,
): Promise<Prepared | TurnResult | null> {
  const { deps, queue } = options;
  const drop = () => {
    queue.drop(request.thread);
    return null;
  };
  const id = taskOfThread(request.thread);
  const found = options.agents.find(request.agent);
  const read = id === null ? null : await lookAgain(options, id);
  if (id === null || read === null || typeof found === 'string') return drop();
  if (!stillDue(deps, id, request)) return drop();
  if (await overLoopGuard(options, id, request)) return drop();
  const turn = await begin(options, id, request, running, found, read.task);
  if (turn === null) return null;
  deps.events.emit(startEvent(turn, { id, name: read.task.name, adopted: false }));
  try {
    const { task, text } = await markDoing(options, read);
    const tag = newTag(deps.effects.randomBytes);
    const before = { wroteNothing: wroteNothingBefore(deps, turn), ...checksForPrompt(deps, turn) };
    const { context, prompt } = contextOf(deps, task, text, tag, before);
    writeTurnFolder(deps.room, turn.id, context, prompt, options.binDir);
    writeFileHash(deps.room, turn.id, deps.ledger.tasks.get(id)!.hash);
    const entered = await enterWorkspace(options, turn, found.agent, slot);
    if ('end' in entered) return await finishDurably(options, turn, entered.end);
    const input = makeInput(
      options,
      turn,
      { id, name: read.task.name },
      entered.agent,
      context,
      prompt,
      false,
    );
    return { turn, input, runner: found.runner };
  } catch (error) {
    if (!(error instanceof RoomError)) throw error;
    if (OUTSIDE.has(error.code)) {
      options.onTrouble(error);
      putOff(options, turn, error.message);
    } else await finishDurably(options, turn, { outcome: refusal(error.message), counts: false });
    return null;
  }
}

// What passes by itself when the disk or another process lets go; anything else is the task's own and needs a person.
const OUTSIDE: ReadonlySet<ErrorCode> = new Set(['io', 'locked', 'room_gone', 'conflict', 'not_found']);

function refusal(message: string): Outcome {
  return { state: 'failed', reason: 'refused', exitCode: null, signal: null, message };
}

function makeInput(
  options: DriverOptions,
  turn: TurnRecord,
  task: { id: TaskId; name: string },
  agent: AgentConfig,
  context: TurnContext,
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
    bridgeDir: bridgeDir(deps.room, turn.id),
    withheldEnv: options.withheldEnv,
    session: deps.ledger.tasks.get(task.id)?.session ?? null,
    effects: deps.effects,
  };
}

async function runToEnd(
  options: DriverOptions,
  turn: TurnRecord,
  input: RunInputBeforeSignal,
  runner: Runner,
  slot: TurnSlot,
  lived: boolean,
): Promise<TurnResult> {
  const { deps } = options;
  const run = runner.run({ ...input, signal: slot.signal });
  const onSession = (session: string) => deps.ledger.tasks.update(input.task.id, { session });
  const end = await followRun(deps.ledger, turn, run, slot, lived, onSession);
  await leaveWorkspace(options, turn, input.agent, slot);
  return finishDurably(options, turn, end, { agent: input.agent, slot });
}
