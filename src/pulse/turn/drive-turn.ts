// One turn from request to record, whatever it is about: it is put on record, its folder laid out, its agent run, its end written. Every
// step is durable before the next, so that a crash anywhere can be recovered. Tasks, chores and summaries are kinds of turns.

import type { Runner, RunSubject } from '../../agents/runner.ts';
import type { ChoreContext } from '../../core/chore/chore-prompt.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { TurnContext } from '../../core/context/context-shape.ts';
import { type ErrorCode, isPassing, RoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import { putOffDelayMs } from '../../core/rules/backoff.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import { sleep } from '../../effects.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { atWork } from '../../tasks/views/agent-folder.ts';
import type { TurnSlot } from '../active-turns.ts';
import type { Base } from '../base.ts';
import { readBudgetLeft } from '../budgets.ts';
import type { TurnBridge } from '../ports.ts';
import { readTurnContext, turnDir } from './turn-folder.ts';
import { followRun, interrupted, interruptionsInARow, type RunEnd, type TurnResult } from './turn-record.ts';

export interface Begun {
  turn: TurnRecord;
  agent: AgentConfig;
  runner: Runner;
}

export interface LaidOut<Context> {
  /** At work: its folder is the one it works in. */
  agent: AgentConfig;
  context: Context;
  prompt: string;
  /** What is put on record while the bridge opens. */
  recorded?: Promise<void>;
}

export interface Ran<Context> {
  agent: AgentConfig;
  slot: TurnSlot;
  context: Context;
}

type AnyContext = TurnContext | ChoreContext;

/** What the kinds of turns differ in. */
export interface TurnKind<Facts extends Begun, Context extends AnyContext> {
  /** Looks at the subject once more, and puts the turn on record; null where there is nothing to run any more. */
  begin(request: TurnRequest, running: RunningTurn): Promise<Facts | null>;
  /** Lays out its folder; the end where it can't run. @throws RoomError */
  layOut(begun: Facts, slot: TurnSlot): Promise<LaidOut<Context> | RunEnd>;
  named(turn: TurnRecord): { id: TaskId | null; name: string };
  /** The agent as it worked before. */
  agentOf?(turn: TurnRecord, agent: AgentConfig): AgentConfig;
  subject(turn: TurnRecord, agent: AgentConfig, context: Context): RunSubject;
  /** Each turn begins without the one before it. */
  forgets?: true;
  /** When its agent has ended, and before its end is recorded. */
  leave?(turn: TurnRecord, agent: AgentConfig, slot: TurnSlot): Promise<void>;
  /** Records the end with what it means for the subject. @param ran null where it never ran here */
  end(turn: TurnRecord, end: RunEnd, ran: Ran<Context> | null): Promise<TurnResult>;
}

export type TurnDriver = ReturnType<typeof createTurnDriver>;

// What passes by itself when the disk or another process lets go; anything else needs a person.
const OUTSIDE: ReadonlySet<ErrorCode> = new Set(['io', 'locked', 'room_gone', 'conflict', 'not_found']);

export function createTurnDriver<Facts extends Begun, Context extends AnyContext>(
  base: Base,
  kind: TurnKind<Facts, Context>,
) {
  const { deps } = base;
  return {
    /** Runs the turn of a request, or finds that it need not run. */
    async drive(request: TurnRequest, running: RunningTurn, slot: TurnSlot): Promise<TurnResult> {
      const begun = await kind.begin(request, running);
      if (begun === null) return 'skipped';
      const { turn, runner } = begun;
      tellStart(base, turn, { ...kind.named(turn), adopted: false });
      try {
        const ready = await kind.layOut(begun, slot);
        if ('outcome' in ready) return await recordDurably(base, () => kind.end(turn, ready, null));
        const bridge = await openBridge(base, turn, runner, ready.recorded);
        return run(base, kind, begun, bridge, { ...ready, adopt: false }, slot, true);
      } catch (error) {
        if (!(error instanceof RoomError)) throw error;
        await endRefused(base, kind, turn, error);
        return 'skipped';
      }
    },
    /**
     * Takes up a turn on record as running: follows its process, or reads how that ended.
     * @param lived whether it began under this runtime
     */
    async adopt(turn: TurnRecord, slot: TurnSlot, lived: boolean): Promise<TurnResult> {
      const found = base.agents.find(turn.agent);
      const context = readTurnContext<Context>(deps.room, turn.id);
      if (typeof found === 'string' || context === null) {
        if (!lived) return kind.end(turn, unseenEnd(), null);
        const outcome = interrupted(context === null ? "the turn's folder is gone" : String(found));
        return recordDurably(base, () => kind.end(turn, { outcome, counts: true, isSeen: true }, null));
      }
      const { runner } = found;
      const bridge = await openBridge(base, turn, runner);
      const agent = atWork(deps, kind.agentOf?.(turn, found.agent) ?? found.agent, turn.thread);
      tellStart(base, turn, { ...kind.named(turn), adopted: true });
      const given = { agent, context, prompt: '', adopt: true };
      return run(base, kind, { turn, runner }, bridge, given, slot, lived);
    },
    /**
     * Records that a turn was lost with its runtime; what asked for it asks again.
     * @param fault the runtime lived, and a fault of its own lost the end: a failed attempt
     */
    interrupt: (turn: TurnRecord, fault?: string): Promise<TurnResult> =>
      kind.end(turn, unseenEnd(fault), null),
  };
}

type EndOf = Pick<TurnKind<Begun, AnyContext>, 'end'>;

/** Trouble outside is no failure of the agent: the turn is tried again later and later. */
async function endRefused(base: Base, kind: EndOf, turn: TurnRecord, error: RoomError): Promise<void> {
  const { ledger, effects } = base.deps;
  const outcome = interrupted(error.message);
  if (OUTSIDE.has(error.code)) {
    base.onTrouble(error);
    const retryAt = effects.now() + putOffDelayMs(interruptionsInARow(ledger, turn.thread));
    await kind.end(turn, { outcome, counts: false, isSeen: false, retryAt }, null);
  } else {
    const refused = { ...outcome, reason: 'refused' as const };
    await recordDurably(base, () => kind.end(turn, { outcome: refused, counts: false, isSeen: true }, null));
  }
}

async function run<Context extends AnyContext>(
  base: Base,
  kind: Pick<TurnKind<Begun, Context>, 'subject' | 'forgets' | 'leave' | 'end'>,
  { turn, runner }: Pick<Begun, 'turn' | 'runner'>,
  bridge: TurnBridge,
  given: LaidOut<Context> & { adopt: boolean },
  slot: TurnSlot,
  lived: boolean,
): Promise<TurnResult> {
  const { deps } = base;
  const { agent, context } = given;
  try {
    const input = { ...inputOf(base, turn, bridge, given), ...kind.subject(turn, agent, context) };
    const session = kind.forgets ? null : input.session;
    const running = runner.run({ ...input, session, signal: slot.signal });
    const end = await followRun(deps, turn, running, slot, lived, (next) => {
      if (!kind.forgets) deps.ledger.sessions.set(turn.thread, turn.agent, next);
    });
    await kind.leave?.(turn, agent, slot);
    // All that its agent reported comes before its end.
    await recordDurably(base, () => bridge.drain());
    return await recordDurably(base, () => kind.end(turn, end, { agent, slot, context }));
  } finally {
    await bridge.close();
  }
}

function unseenEnd(fault?: string): RunEnd {
  const outcome = interrupted(fault ?? 'the runtime ended during the turn');
  return { outcome, counts: fault !== undefined, isSeen: false };
}

function tellStart(
  { deps }: Base,
  { id: turn, agent, attempt, reasons }: TurnRecord,
  about: { id: TaskId | null; name: string; adopted: boolean },
): void {
  deps.events.emit({ type: 'turn.started', turn, agent, attempt, reasons, ...about });
}

async function openBridge(
  { bridges, onTrouble }: Base,
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

/** What the runner of any turn is given beside what the turn is about. */
function inputOf(
  { deps }: Base,
  turn: TurnRecord,
  bridge: TurnBridge,
  { agent, prompt, adopt }: LaidOut<unknown> & { adopt: boolean },
) {
  return {
    ...{ agent, prompt, adopt },
    turn: { id: turn.id, attempt: turn.attempt },
    dir: turnDir(deps.room, turn.id),
    room: deps.room.dir,
    reach: bridge.reach,
    mcp: bridge.mcp,
    tools: () => bridge.tools(),
    budgetLeft: () => readBudgetLeft(deps, turn),
    session: deps.ledger.sessions.get(turn.thread, turn.agent),
    effects: deps.effects,
  };
}

const RECORD_AGAIN_MS = 1_000;
const LONGEST_RECORD_WAIT_MS = 10_000;

/** How a turn ended may be known here alone: while disk or ledger refuse, recording it is tried again. */
async function recordDurably<T>(base: Base, record: () => Promise<T>): Promise<T> {
  for (let waitMs = RECORD_AGAIN_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_RECORD_WAIT_MS)) {
    try {
      return await record();
    } catch (error) {
      if (!isPassing(error) || base.isStopping()) throw error;
      base.onTrouble(error);
      await sleep(base.deps.effects, waitMs);
    }
  }
}
