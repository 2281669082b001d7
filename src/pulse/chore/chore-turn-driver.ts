// One turn of a prompt chore from request to record, as turn-driver.ts does for tasks. It has no task file: what it is
// told stands in its folder, and how it ended in the ledger.
import { type ChoreContext, choreContext } from '../../core/chore/chore-prompt.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { RoomError } from '../../core/errors.ts';
import { choreOfThread } from '../../core/ids.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import type { ChoreRunInput, Runner } from '../../runners/runner.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { atWork } from '../../tasks/agent-folder.ts';
import type { TurnBridge } from '../turn/turn-bridge.ts';
import type { TurnDriver, TurnResult, TurnSlot } from '../turn/turn-contract.ts';
import { readTurnContext, writeTurnFolder } from '../turn/turn-folder.ts';
import { followRun, interrupted, reportThenRecord, runBasics, startEvent } from '../turn/turn-run.ts';
import type { ChoreDriverOptions } from './chore-driver-options.ts';
import { finishDurably, interruptChoreTurn, putOff } from './chore-turn-finish.ts';
import { begin, promptOf, runnableChore } from './chore-turn-start.ts';

type RunInputBeforeSignal = Omit<ChoreRunInput, 'signal'>;

/** Drives turns of prompt chores. */
export function createChoreTurnDriver(options: ChoreDriverOptions): TurnDriver {
  return {
    drive: (request, running, slot) => driveTurn(options, request, running, slot),
    adopt: (turn, slot, lived) => adoptTurn(options, turn, slot, lived),
    interrupt: (turn, fault) => interruptChoreTurn(options, turn, fault),
  };
}

async function driveTurn(
  options: ChoreDriverOptions,
  request: TurnRequest,
  running: RunningTurn,
  slot: TurnSlot,
): Promise<TurnResult> {
  const { deps } = options;
  const ready = runnableChore(options, request);
  if (ready === null) return 'skipped';
  const { chore, runner } = ready;
  const { name } = chore;
  const turn = await begin(options, name, request, running, runner);
  if (turn === null) return 'skipped';
  deps.events.emit(startEvent(turn, { id: null, name, adopted: false }));
  const context = choreContext(chore);
  let agent: AgentConfig;
  let prompt: string;
  let bridge: TurnBridge;
  try {
    agent = atWork(deps, ready.agent, turn.thread);
    prompt = promptOf(options, context, agent, turn);
    writeTurnFolder(deps.room, turn.id, context, prompt);
    bridge = await options.bridges.open(turn.id, options.onTrouble, runner.isElsewhere);
  } catch (error) {
    if (!(error instanceof RoomError)) throw error;
    options.onTrouble(error);
    return putOff(options, turn, error.message);
  }
  const input = makeInput(options, turn, bridge, agent, context, prompt, false);
  return runToEnd(options, turn, { input, runner, bridge }, slot, true);
}

async function adoptTurn(
  options: ChoreDriverOptions,
  turn: TurnRecord,
  slot: TurnSlot,
  lived: boolean,
): Promise<TurnResult> {
  const found = options.agents.find(turn.agent);
  const context = readTurnContext<ChoreContext>(options.deps.room, turn.id);
  if (typeof found === 'string' || context === null) {
    if (!lived) return interruptChoreTurn(options, turn);
    const outcome = interrupted(context === null ? "the turn's folder is gone" : String(found));
    return finishDurably(options, turn, { outcome, counts: true });
  }
  const bridge = await options.bridges.open(turn.id, options.onTrouble, found.runner.isElsewhere);
  const name = choreOfThread(turn.thread)!;
  options.deps.events.emit(startEvent(turn, { id: null, name, adopted: true }));
  const agent = atWork(options.deps, found.agent, turn.thread);
  const input = makeInput(options, turn, bridge, agent, context, '', true);
  return runToEnd(options, turn, { input, runner: found.runner, bridge }, slot, lived);
}

function makeInput(
  options: ChoreDriverOptions,
  turn: TurnRecord,
  bridge: TurnBridge,
  agent: AgentConfig,
  context: ChoreContext,
  prompt: string,
  adopt: boolean,
): RunInputBeforeSignal {
  const chore = { name: context.chore.name, prompt: context.chore.prompt };
  return { ...runBasics(options, turn, bridge, { agent, prompt, adopt }), chore, context };
}

function runToEnd(
  options: ChoreDriverOptions,
  turn: TurnRecord,
  { input, runner, bridge }: { input: RunInputBeforeSignal; runner: Runner; bridge: TurnBridge },
  slot: TurnSlot,
  lived: boolean,
): Promise<TurnResult> {
  const { ledger } = options.deps;
  const onSession = (session: string | null) => ledger.sessions.set(turn.thread, turn.agent, session);
  return reportThenRecord(
    options,
    bridge,
    () =>
      followRun(options.deps, turn, runner.run({ ...input, signal: slot.signal }), slot, lived, onSession),
    (end) => finishDurably(options, turn, end),
  );
}
