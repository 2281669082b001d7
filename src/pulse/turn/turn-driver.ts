// One turn from request to record: look at the file again, record the turn, lay out its folder, mark the task doing,
// run the agent, write the end. Every step is durable before the next, so that a crash anywhere can be taken up.
import { resolve } from 'node:path';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { TurnContext } from '../../core/context/context-shape.ts';
import { type ErrorCode, RoomError } from '../../core/errors.ts';
import { newTag, type TaskId, taskOfThread } from '../../core/ids.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import type { Outcome, Runner, TaskRunInput } from '../../runners/runner.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { atWork } from '../../tasks/agent-folder.ts';
import { untoldJobs } from '../../tasks/read/around.ts';
import { contextOf } from '../../tasks/read/turn-context.ts';
import { checksForPrompt } from './checks.ts';
import type { DriverOptions } from './driver-options.ts';
import { workHash } from './nothing-written.ts';
import { sayStandIn } from './stand-in.ts';
import { promptFacts } from './turn-before.ts';
import type { TurnBridge } from './turn-bridge.ts';
import type { TurnDriver, TurnResult, TurnSlot } from './turn-contract.ts';
import { finishDurably, interruptTurn, putOff } from './turn-finish.ts';
import { readTurnContext, writeTurnFolder } from './turn-folder.ts';
import { followRun, interrupted, reportThenRecord, runBasics, startEvent } from './turn-run.ts';
import { createTurnServices } from './turn-services.ts';
import { begin, lookAgain, markDoing, overBudget, overLoopGuard, stillDue } from './turn-start.ts';
import { enterWorkspace, leaveWorkspace } from './workspace.ts';

/** Drives turns of tasks. */
export function createTaskTurnDriver(options: DriverOptions): TurnDriver {
  return {
    drive: (request, running, slot) => driveTurn(options, request, running, slot),
    adopt: (turn, slot, lived) => adoptTurn(options, turn, slot, lived),
    interrupt: (turn, fault) => interruptTurn(options, turn, fault),
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
  return runToEnd(options, ready.turn, ready, slot, true);
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
  const bridge = await options.bridges.open(turn.id, options.onTrouble, found.runner.isElsewhere);
  const task = taskOfThread(turn.thread)!;
  const name = options.deps.ledger.tasks.get(task)?.name ?? task;
  const agent = atWork(options.deps, options.workspaces.agentIn(task, found.agent), turn.thread);
  const input = makeInput(options, turn, bridge, { id: task, name }, agent, context, '', true);
  options.deps.events.emit(startEvent(turn, { id: task, name, adopted: true }));
  return runToEnd(options, turn, { input, runner: found.runner, bridge }, slot, lived);
}

/** What a turn runs with. */
interface Equipped {
  input: RunInputBeforeSignal;
  runner: Runner;
  bridge: TurnBridge;
}

interface Prepared extends Equipped {
  turn: TurnRecord;
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
  if (await overBudget(options, id, request)) return drop();
  const turn = await begin(options, id, request, running, found, read.task);
  if (turn === null) return null;
  deps.events.emit(startEvent(turn, { id, name: read.task.name, adopted: false }));
  try {
    const { task, text } = await markDoing(options, await sayStandIn(options, turn, read));
    const tag = newTag(deps.effects.randomBytes);
    const entered = await enterWorkspace(options, turn, found.agent, slot, found.runner.isElsewhere === true);
    if ('end' in entered) return await finishDurably(options, turn, entered.end);
    const agent = atWork(deps, entered.agent, turn.thread);
    const facts = { ...promptFacts(options, turn, task, text), ...checksForPrompt(deps, turn) };
    const cwd = resolve(deps.room.dir, agent.cwd ?? '.');
    const endedJobs = untoldJobs(deps, id);
    const { context, prompt } = contextOf(deps, task, text, tag, { ...facts, cwd });
    writeTurnFolder(deps.room, turn.id, context, prompt);
    deps.ledger.jobs.setTold(endedJobs);
    const bridge = await openBridge(options, turn, workHash(text), found.runner.isElsewhere);
    const about = { id, name: read.task.name };
    const input = makeInput(options, turn, bridge, about, agent, context, prompt, false);
    return { turn, input, runner: found.runner, bridge };
  } catch (error) {
    if (!(error instanceof RoomError)) throw error;
    if (OUTSIDE.has(error.code)) {
      options.onTrouble(error);
      putOff(options, turn, error.message);
    } else await finishDurably(options, turn, { outcome: refusal(error.message), counts: false });
    return null;
  }
}

/** Opens the turn's bridge, and keeps what its file says of the work now. */
async function openBridge(
  { deps, bridges, onTrouble }: DriverOptions,
  turn: TurnRecord,
  hash: string,
  elsewhere?: boolean,
): Promise<TurnBridge> {
  const [kept, opened] = await Promise.allSettled([
    deps.ledger.together(() => deps.ledger.turns.setWorkHash(turn.id, hash)),
    bridges.open(turn.id, onTrouble, elsewhere),
  ]);
  if (opened.status === 'rejected') throw opened.reason;
  if (kept.status === 'fulfilled') return opened.value;
  await opened.value.close();
  throw kept.reason;
}

// What passes by itself when the disk or another process lets go; anything else is the task's own and needs a person.
const OUTSIDE: ReadonlySet<ErrorCode> = new Set(['io', 'locked', 'room_gone', 'conflict', 'not_found']);

function refusal(message: string): Outcome {
  return { state: 'failed', reason: 'refused', exitCode: null, signal: null, message };
}

function makeInput(
  options: DriverOptions,
  turn: TurnRecord,
  bridge: TurnBridge,
  task: { id: TaskId; name: string },
  agent: AgentConfig,
  context: TurnContext,
  prompt: string,
  adopt: boolean,
): RunInputBeforeSignal {
  const { deps, tasks } = options;
  const reporter = { id: turn.id, task: task.id, agent: turn.agent, access: agent.access };
  const services = createTurnServices(deps, tasks, reporter);
  const servicesFor = (request: string) => createTurnServices(deps, tasks, reporter, request);
  const basics = runBasics(options, turn, bridge, { agent, prompt, adopt });
  return { ...basics, task, context, services, servicesFor };
}

function runToEnd(
  options: DriverOptions,
  turn: TurnRecord,
  { input, runner, bridge }: Equipped,
  slot: TurnSlot,
  lived: boolean,
): Promise<TurnResult> {
  const { ledger } = options.deps;
  const onSession = (session: string | null) => ledger.sessions.set(turn.thread, turn.agent, session);
  return reportThenRecord(
    options,
    bridge,
    async () => {
      const run = runner.run({ ...input, signal: slot.signal });
      const end = await followRun(options.deps, turn, run, slot, lived, onSession);
      await leaveWorkspace(options, turn, input.agent, slot);
      return end;
    },
    (end) => finishDurably(options, turn, end, { agent: input.agent, slot }),
  );
}
