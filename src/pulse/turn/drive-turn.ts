// Drives one turn from its request to its end on record. Every step is durable before the next, so that a crash anywhere can be
// recovered. Tasks, chores and summaries are kinds of turns.
import type { Outcome, Runner, RunSubject } from '../../agents/runner.ts';
import type { ChoreContext } from '../../core/chore/chore-prompt.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { TurnContext } from '../../core/context/context-shape.ts';
import { type ErrorCode, isPassing, RoomError } from '../../core/errors.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import { putOffDelayMs } from '../../core/rules/waits.ts';
import { sleep } from '../../effects.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { atWork } from '../../tasks/views/agent-folder.ts';
import type { TurnSlot } from '../active-turns.ts';
import type { Base } from '../base.ts';
import { readBudgetLeft } from '../budgets.ts';
import type { TurnBridge } from '../ports.ts';
import { readTurnContext, turnDir, writeTurnFolder, writeTurnResult } from './turn-folder.ts';
import {
  beginTurn,
  followRun,
  interrupted,
  interruptionsInARow,
  type RunEnd,
  recordEnd,
  resultOf,
  type StartFacts,
  type TurnResult,
  tellEnd,
  tellStart,
} from './turn-record.ts';

export interface LaidOut<Context> {
  /** With the folder that it works in. */
  agent: AgentConfig;
  context: Context;
  prompt: string;
  /** Records what follows once the turn's folder is written; the agent starts after it. */
  record?(): Promise<void>;
}

/** A request whose turn can start. */
export interface Ready<Context> {
  agent: AgentConfig;
  runner: Runner;
  /** Read in the commit that puts the turn on record. */
  facts(): StartFacts;
  /** Joins that commit. */
  begun?(turn: TurnRecord): void;
  /** Returns an end where the turn can't run. @throws RoomError */
  layOut(turn: TurnRecord, slot: TurnSlot): Promise<LaidOut<Context> | RunEnd>;
}

export interface Ran<Context> {
  agent: AgentConfig;
  slot: TurnSlot;
  context: Context;
}

/** What the end of a turn means. */
export interface Ending {
  /** As the turn's folder says it. */
  outcome: Outcome;
  /** Runs in the commit of the end; returns the outcome to record, and what joins the commit the first time. */
  settle(): { outcome: Outcome; also?(endedAt: number): void };
  /** Called once the end is on record, the first time. */
  told?(result: TurnResult, tookMs: number): void;
}

type AnyContext = TurnContext | ChoreContext;

/** What the kinds of turns differ in. */
export interface TurnKind<Context extends AnyContext> {
  /** Looks at the subject once more; null where there is nothing to run any more. */
  look(request: TurnRequest): Promise<Ready<Context> | null>;
  /** The agent as it worked before the runtime died. */
  agentOf?(turn: TurnRecord, agent: AgentConfig): AgentConfig;
  subject(turn: TurnRecord, agent: AgentConfig, context: Context): RunSubject;
  /** Each turn begins without the session of the one before. */
  forgets?: true;
  /** Runs when the agent has ended, before the end is recorded. */
  leave?(turn: TurnRecord, agent: AgentConfig, slot: TurnSlot): Promise<void>;
  /** Null leaves the turn on record as running. @param ran null where the turn never ran here */
  end(turn: TurnRecord, end: RunEnd, ran: Ran<Context> | null): Promise<Ending | null>;
}

// What passes by itself when the disk or another process lets go; anything else needs a person.
const OUTSIDE: ReadonlySet<ErrorCode> = new Set(['io', 'locked', 'room_gone', 'conflict', 'not_found']);

export class TurnDriver<Context extends AnyContext> {
  readonly #base: Base;
  readonly #kind: TurnKind<Context>;
  constructor(base: Base, kind: TurnKind<Context>) {
    this.#base = base;
    this.#kind = kind;
  }

  /** Runs the turn of a request, or finds that it need not run. */
  async drive(request: TurnRequest, running: RunningTurn, slot: TurnSlot): Promise<TurnResult> {
    const { deps } = this.#base;
    const ready = await this.#kind.look(request);
    if (ready === null) deps.ledger.requests.delete(request.thread);
    const turn = ready && (await deps.ledger.together(() => beginTurn(deps, request, running, ready)));
    if (ready === null || turn === null) return 'skipped';
    tellStart(deps, turn, false);
    try {
      const laid = await ready.layOut(turn, slot);
      if ('outcome' in laid) return await this.#finishDurably(turn, laid, null);
      writeTurnFolder(deps.room, turn.id, laid.context, laid.prompt);
      const bridge = await openBridge(this.#base, turn, ready.runner, laid.record?.());
      return this.#run(turn, ready.runner, bridge, { ...laid, adopt: false }, slot, true);
    } catch (error) {
      if (!(error instanceof RoomError)) throw error;
      await this.#endRefused(turn, error);
      return 'skipped';
    }
  }

  /**
   * Takes up a turn on record as running: follows its process, or reads how that ended.
   * @param lived whether it began under this runtime
   */
  async adopt(turn: TurnRecord, slot: TurnSlot, lived: boolean): Promise<TurnResult> {
    const { deps, agents } = this.#base;
    const found = agents.find(turn.agent);
    const context = readTurnContext<Context>(deps.room, turn.id);
    if (typeof found === 'string' || context === null) {
      if (!lived) return this.interrupt(turn);
      const outcome = interrupted(context === null ? "the turn's folder is gone" : String(found));
      return this.#finishDurably(turn, { outcome, counts: true, isSeen: true }, null);
    }
    const bridge = await openBridge(this.#base, turn, found.runner);
    const agent = atWork(deps, this.#kind.agentOf?.(turn, found.agent) ?? found.agent, turn.thread);
    tellStart(deps, turn, true);
    return this.#run(turn, found.runner, bridge, { agent, context, prompt: '', adopt: true }, slot, lived);
  }

  /**
   * Records that a turn was lost with its runtime; what asked for it asks again.
   * @param fault the runtime lived, and a fault of its own lost the end: a failed attempt
   */
  interrupt(turn: TurnRecord, fault?: string): Promise<TurnResult> {
    const outcome = interrupted(fault ?? 'the runtime ended during the turn');
    return this.#finish(turn, { outcome, counts: fault !== undefined, isSeen: false }, null);
  }

  async #run(
    turn: TurnRecord,
    runner: Runner,
    bridge: TurnBridge,
    given: LaidOut<Context> & { adopt: boolean },
    slot: TurnSlot,
    lived: boolean,
  ): Promise<TurnResult> {
    const { deps } = this.#base;
    const { subject, forgets, leave } = this.#kind;
    const { agent, context } = given;
    try {
      const input = { ...inputOf(this.#base, turn, bridge, given), ...subject(turn, agent, context) };
      const session = forgets ? null : input.session;
      const running = runner.run({ ...input, session, signal: slot.signal });
      const end = await followRun(deps, turn, running, slot, lived, (next) => {
        if (!forgets) deps.ledger.sessions.set(turn.thread, turn.agent, next);
      });
      await leave?.(turn, agent, slot);
      // All that its agent reported comes before its end.
      await recordDurably(this.#base, () => bridge.drain());
      return await this.#finishDurably(turn, end, { agent, slot, context });
    } finally {
      await bridge.close();
    }
  }

  /** Trouble outside is no failure of the agent: the turn is tried again later and later. */
  async #endRefused(turn: TurnRecord, error: RoomError): Promise<void> {
    const outcome = interrupted(error.message);
    if (!OUTSIDE.has(error.code)) {
      const refused: Outcome = { ...outcome, reason: 'refused' };
      return void (await this.#finishDurably(turn, { outcome: refused, counts: false, isSeen: true }, null));
    }
    const { deps, onTrouble } = this.#base;
    onTrouble(error);
    const retryAt = deps.effects.now() + putOffDelayMs(interruptionsInARow(deps.ledger, turn.thread));
    await this.#finish(turn, { outcome, counts: false, isSeen: false, retryAt }, null);
  }

  #finishDurably(turn: TurnRecord, end: RunEnd, ran: Ran<Context> | null): Promise<TurnResult> {
    return recordDurably(this.#base, () => this.#finish(turn, end, ran));
  }

  async #finish(turn: TurnRecord, end: RunEnd, ran: Ran<Context> | null): Promise<TurnResult> {
    const { deps } = this.#base;
    const ending = await this.#kind.end(turn, end, ran);
    if (ending === null) return 'interrupted';
    if (end.isSeen) writeTurnResult(this.#base, turn.id, ending.outcome);
    const recorded = await deps.ledger.together(() => {
      const { outcome, also } = ending.settle();
      return recordEnd(deps, turn, outcome, also);
    });
    const result = resultOf({ ...end, outcome: recorded.outcome });
    if (!recorded.isFirst) return result;
    tellEnd(deps, turn, recorded);
    ending.told?.(result, recorded.endedAt - turn.startedAt);
    return result;
  }
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
    session: deps.ledger.sessions.get(turn.thread, turn.agent)?.session ?? null,
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
