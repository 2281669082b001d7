// One turn from request to record, whatever it is about: it is put on record, its folder laid out, its agent run, its end written. Every
// step is durable before the next, so that a crash anywhere can be taken up. Tasks, chores and summaries are kinds of turns.
import type { ChoreContext } from '../../core/chore/chore-prompt.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { TurnContext } from '../../core/context/context-shape.ts';
import { RoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import type { Runner, RunSubject } from '../../runners/runner.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { atWork } from '../../tasks/agent-folder.ts';
import type { TurnBridge } from '../ports.ts';
import type { DriverOptions } from './driver-options.ts';
import type { TurnDriver, TurnResult, TurnSlot } from './turn-contract.ts';
import { readTurnContext } from './turn-folder.ts';
import { followRun, interrupted, type RunEnd, reportThenRecord, runBasics, startEvent } from './turn-run.ts';

/** A turn on record, with who runs it. */
export interface Begun {
  turn: TurnRecord;
  agent: AgentConfig;
  runner: Runner;
}

/** What its folder was laid out with. */
export interface LaidOut<Context> {
  /** At work: its folder is the one it works in. */
  agent: AgentConfig;
  context: Context;
  prompt: string;
  /** What is put on record while the bridge opens. */
  recorded?: Promise<void>;
}

/** What the kinds of turns differ in. */
export interface TurnKind<Facts extends Begun, Context extends TurnContext | ChoreContext> {
  /** Looks at the subject once more, and puts the turn on record; null where there is nothing to run any more. */
  begin(request: TurnRequest, running: RunningTurn): Promise<Facts | null>;
  /** Lays out its folder; the end where it can't run. @throws RoomError which `refused` judges */
  layOut(begun: Facts, slot: TurnSlot): Promise<LaidOut<Context> | RunEnd>;
  /** Ends a turn that could not be laid out. */
  refused(turn: TurnRecord, error: RoomError): Promise<TurnResult>;
  /** What is told of it. */
  named(turn: TurnRecord): { id: TaskId | null; name: string };
  /** The agent as it worked before. */
  agentOf?(turn: TurnRecord, agent: AgentConfig): AgentConfig;
  subject(turn: TurnRecord, agent: AgentConfig, context: Context): RunSubject;
  /** Each turn begins without the one before it. */
  forgets?: true;
  /** When its agent has ended, and before its end is recorded. */
  leave?(turn: TurnRecord, agent: AgentConfig, slot: TurnSlot): Promise<void>;
  /** Records the end. @param ran null where it never ran here */
  finish(
    turn: TurnRecord,
    end: RunEnd,
    ran: { agent: AgentConfig; slot: TurnSlot; context: Context } | null,
  ): Promise<TurnResult>;
  /** As {@link TurnDriver.interrupt}. */
  interrupt(turn: TurnRecord, fault?: string): Promise<TurnResult>;
}

type Options = Pick<DriverOptions, 'deps' | 'agents' | 'bridges' | 'isStopping' | 'onTrouble'>;

interface Driving<Facts extends Begun, Context extends TurnContext | ChoreContext> {
  options: Options;
  kind: TurnKind<Facts, Context>;
}

/** Drives turns of one kind. */
export function createTurnDriver<Facts extends Begun, Context extends TurnContext | ChoreContext>(
  options: Options,
  kind: TurnKind<Facts, Context>,
): TurnDriver {
  const on = { options, kind };
  return {
    drive: (request, running, slot) => drive(on, request, running, slot),
    adopt: (turn, slot, lived) => adopt(on, turn, slot, lived),
    interrupt: (turn, fault) => kind.interrupt(turn, fault),
  };
}

async function drive<Facts extends Begun, Context extends TurnContext | ChoreContext>(
  on: Driving<Facts, Context>,
  request: TurnRequest,
  running: RunningTurn,
  slot: TurnSlot,
): Promise<TurnResult> {
  const { options, kind } = on;
  const begun = await kind.begin(request, running);
  if (begun === null) return 'skipped';
  const { turn, runner } = begun;
  options.deps.events.emit(startEvent(turn, { ...kind.named(turn), adopted: false }));
  try {
    const ready = await kind.layOut(begun, slot);
    if ('outcome' in ready) return await kind.finish(turn, ready, null);
    const bridge = await openBridge(options, turn, runner, ready.recorded);
    return run(on, turn, runner, bridge, { ...ready, adopt: false }, slot, true);
  } catch (error) {
    if (!(error instanceof RoomError)) throw error;
    return kind.refused(turn, error);
  }
}

async function adopt<Facts extends Begun, Context extends TurnContext | ChoreContext>(
  on: Driving<Facts, Context>,
  turn: TurnRecord,
  slot: TurnSlot,
  lived: boolean,
): Promise<TurnResult> {
  const { options, kind } = on;
  const { deps } = options;
  const found = options.agents.find(turn.agent);
  const context = readTurnContext<Context>(deps.room, turn.id);
  if (typeof found === 'string' || context === null) {
    if (!lived) return kind.interrupt(turn);
    const outcome = interrupted(context === null ? "the turn's folder is gone" : String(found));
    return kind.finish(turn, { outcome, counts: true }, null);
  }
  const bridge = await openBridge(options, turn, found.runner);
  const agent = atWork(deps, kind.agentOf?.(turn, found.agent) ?? found.agent, turn.thread);
  deps.events.emit(startEvent(turn, { ...kind.named(turn), adopted: true }));
  return run(on, turn, found.runner, bridge, { agent, context, prompt: '', adopt: true }, slot, lived);
}

async function openBridge(
  { bridges, onTrouble }: Options,
  turn: TurnRecord,
  { isElsewhere }: Runner,
  recorded?: Promise<void>,
): Promise<TurnBridge> {
  const [kept, opened] = await Promise.allSettled([recorded, bridges.open(turn.id, onTrouble, isElsewhere)]);
  if (opened.status === 'rejected') throw opened.reason;
  if (kept.status === 'fulfilled') return opened.value;
  await opened.value.close();
  throw kept.reason;
}

function run<Facts extends Begun, Context extends TurnContext | ChoreContext>(
  { options, kind }: Driving<Facts, Context>,
  turn: TurnRecord,
  runner: Runner,
  bridge: TurnBridge,
  { agent, context, prompt, adopt }: LaidOut<Context> & { adopt: boolean },
  slot: TurnSlot,
  lived: boolean,
): Promise<TurnResult> {
  const { deps } = options;
  const basics = runBasics(options, turn, bridge, { agent, prompt, adopt });
  const input = { ...basics, ...kind.subject(turn, agent, context), signal: slot.signal };
  const running = runner.run(kind.forgets ? { ...input, session: null } : input);
  const onSession = (session: string | null) => {
    if (!kind.forgets) deps.ledger.sessions.set(turn.thread, turn.agent, session);
  };
  return reportThenRecord(
    options,
    bridge,
    async () => {
      const end = await followRun(deps, turn, running, slot, lived, onSession);
      await kind.leave?.(turn, agent, slot);
      return end;
    },
    (end) => kind.finish(turn, end, { agent, slot, context }),
  );
}
