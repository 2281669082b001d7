// The run of a turn's agent: its bridge is open before it starts, and what its runner reports on its way is recorded.
import type { Outcome, Runner, RunnerEvent } from '../../../agents/runner.ts';
import { type Moment, pausedBetween } from '../../../core/time/durations.ts';
import type { Effects } from '../../../effects.ts';
import type { TurnRecord } from '../../../store/ledger/turns/turns.ts';
import type { TaskRoom } from '../../../tasks/task-room.ts';
import type { TurnBridge } from '../../ports.ts';
import type { TurnSlot } from '../../state/active-turns.ts';
import type { Loop } from '../../state/loop.ts';
import { turnDir } from '../turn-folder.ts';
import type { AnyContext, LaidOut, RunEnd, TurnKind } from '../turn-kind.ts';
import { readBudgetLeft } from './budgets.ts';

/** Opens the turn's bridge while `recorded` goes on; neither is left open when the other fails. */
export async function openBridge(
  { bridges, onTrouble }: Loop,
  turn: TurnRecord,
  { isRemote }: Runner,
  recorded?: Promise<void>,
): Promise<TurnBridge> {
  const [kept, opened] = await Promise.allSettled([recorded, bridges.open(turn.id, onTrouble, isRemote)]);
  if (opened.status === 'rejected') throw opened.reason;
  if (kept.status === 'fulfilled') return opened.value;
  await opened.value.close();
  throw kept.reason;
}

export interface GivenRun<Context> extends LaidOut<Context> {
  turn: TurnRecord;
  runner: Runner;
  bridge: TurnBridge;
  slot: TurnSlot;
  /** Its process runs already: nothing is started. */
  adopt: boolean;
  /** Whether this runtime was there when the turn began; of an adopted one it saw at least a live process. */
  lived: boolean;
}

/** Runs the agent to its end, and what follows at once. */
export async function runTurn<Context extends AnyContext>(
  loop: Loop,
  kind: Pick<TurnKind<Context, never>, 'subject' | 'forgets' | 'leave'>,
  { turn, runner, bridge, slot, lived, agent, context, prompt, adopt }: GivenRun<Context>,
): Promise<RunEnd> {
  const { deps } = loop;
  const { sessions } = deps.ledger;
  const running = runner.run({
    ...{ agent, prompt, adopt, room: deps.room.dir, effects: deps.effects },
    ...{ dir: turnDir(deps.room, turn.id), reach: bridge.reach, mcp: bridge.mcp },
    turn: { id: turn.id, attempt: turn.attempt },
    tools: () => bridge.tools(),
    budgetLeft: () => readBudgetLeft(deps, turn),
    session: kind.forgets ? null : (sessions.get(turn.thread, turn.agent)?.session ?? null),
    signal: slot.signal,
    ...kind.subject(loop, turn, agent, context),
  });
  const end = await followRun(deps, turn, running, slot, lived, (session) => {
    if (!kind.forgets) sessions.set(turn.thread, turn.agent, session);
  });
  await kind.leave?.(loop, turn, agent, slot);
  return end;
}

/** Follows a run to its end, and records what it reports. */
async function followRun(
  { ledger, effects }: Pick<TaskRoom, 'ledger' | 'effects'>,
  turn: TurnRecord,
  run: AsyncGenerator<RunnerEvent, Outcome, void>,
  slot: TurnSlot,
  lived: boolean,
  onSession: (id: string | null) => void,
): Promise<RunEnd> {
  let seenAlive = lived;
  const begun = momentOf(effects);
  for (;;) {
    const next = await run.next();
    if (next.done) {
      const outcome = next.value;
      const pausedMs = pausedBetween(begun, momentOf(effects));
      if (pausedMs > 0) ledger.turns.update(turn.id, { pausedMs: turn.pausedMs + pausedMs });
      const counts = outcome.reason === 'interrupted' && seenAlive && !slot.signal.aborted;
      return { outcome, counts, isSeen: true };
    }
    const event = next.value;
    if (event.type === 'started') {
      seenAlive = true;
      if (event.pid !== turn.pid) ledger.turns.update(turn.id, { pid: event.pid });
      slot.spends();
    } else if (event.type === 'output') slot.output(event.bytes);
    else if (event.type === 'session') onSession(event.id);
    else {
      ledger.turns.setUsage(turn.id, event.usage);
      slot.spends();
    }
  }
}

function momentOf(effects: Effects): Moment {
  return { wallMs: effects.now(), monotonicMs: effects.monotonicMs() };
}
