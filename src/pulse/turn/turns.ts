// Turns of tasks, chores and summaries, each driven from its request to its end on record: prepare, run, finish. Every step is durable
// before the next, so that a crash anywhere can be recovered. A turn that disk or ledger interrupt on its way is taken up again from what
// its process left on disk.
import { isPassing, RoomError } from '../../core/errors.ts';
import { choreOfThread, summaryOfThread, type ThreadId, taskOfThread } from '../../core/ids.ts';
import { sleep } from '../../effects.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { atWork } from '../../tasks/views/agent-folder.ts';
import type { Loop, TurnSlot } from '../state/loop.ts';
import { CHORE } from './chore-turn.ts';
import { finishDurably, finishRefused, finishTurn, recordDurably } from './finish/finish-turn.ts';
import { endTaskTurn } from './finish/task-end.ts';
import { beginTaskTurn, layOutTask, leaveWorkspace, lookAtTask, type TaskKind } from './prepare/task.ts';
import { createTurnServices, type GivenRun, openBridge, runTurn } from './run/run-turn.ts';
import { SUMMARY } from './summary-turn.ts';
import { readTurnContext, writeTurnFolder } from './turn-files.ts';
import type { AnyContext, StartingTurn, TurnKind, TurnResult } from './turn-kind.ts';
import { interrupted, subjectOf } from './turn-kind.ts';

// A fault of the disk or of ours must not spin: each rest is longer than the one before.
const FAULT_REST_MS = 2_000;
const LONGEST_TROUBLE_REST_MS = 10_000;
const LONGEST_FAULT_REST_MS = 5 * 60_000;

export type Turns = ReturnType<typeof createTurns>;

export function createTurns(loop: Loop, driverOf = createDrivers(loop)) {
  const count = { turns: 0, failed: 0 };
  const untilRecorded = createPatience(loop, driverOf);

  /** Resolves when the end of the turn is on record and its file taken in; `ran` is false where it led to no turn. Never rejects. */
  async function follow(thread: ThreadId, slot: TurnSlot, run: () => Promise<TurnResult>) {
    const result = await untilRecorded(thread, slot, run);
    if (result !== 'skipped') count.turns += 1;
    if (result === 'failed') count.failed += 1;
    const id = taskOfThread(thread);
    if (id !== null) await loop.dirtyPaths.pushTask(id).catch(loop.onTrouble);
    // Requests may come to nothing without ever waiting for anything: signals are heeded between them.
    if (result === 'skipped') await new Promise<void>((resolve) => setImmediate(resolve));
    return { ran: result !== 'skipped' };
  }

  return {
    run: (request: StartingTurn, slot: TurnSlot) =>
      follow(request.thread, slot, () => driverOf(request.thread).drive(request, slot)),
    adopt: (turn: TurnRecord, slot: TurnSlot) =>
      follow(turn.thread, slot, () => driverOf(turn.thread).adopt(turn, slot, false)),
    /** Records that a turn was lost with its runtime. */
    interrupt: (turn: TurnRecord): Promise<TurnResult> => driverOf(turn.thread).interrupt(turn),
    count: () => ({ ...count }),
  };
}

/** Runs a turn until its end is on record, resting after each fault. */
function createPatience({ deps, ...loop }: Loop, driverOf: (thread: ThreadId) => Driver) {
  const faults = new Map<ThreadId, number>();

  async function rest(thread: ThreadId, error: unknown, signal: AbortSignal): Promise<void> {
    const before = faults.get(thread) ?? 0;
    faults.set(thread, before + 1);
    // What is over soon is to be noticed soon.
    const longestMs = isPassing(error) ? LONGEST_TROUBLE_REST_MS : LONGEST_FAULT_REST_MS;
    const restMs = Math.min(FAULT_REST_MS * 2 ** before, longestMs);
    // A stop ends all but the first part of it.
    await sleep(deps.effects, FAULT_REST_MS);
    if (restMs > FAULT_REST_MS) await sleep(deps.effects, restMs - FAULT_REST_MS, signal);
  }

  /** Takes up what is on record as running; null where nothing is. What failed twice is not tried again, and its end is recorded. */
  async function takeUp(thread: ThreadId, slot: TurnSlot, bugs: readonly unknown[]) {
    const left = deps.ledger.turns.runningOn(thread);
    if (left === null) return null;
    if (bugs.length < 2) return driverOf(thread).adopt(left, slot, true);
    await loop.endProcesses(left.id);
    const bug = String(bugs.at(-1)).split('\n')[0];
    return driverOf(thread).interrupt(left, `a fault of taskroom lost its end: ${bug}`);
  }

  return async (thread: ThreadId, slot: TurnSlot, run: () => Promise<TurnResult>): Promise<TurnResult> => {
    const bugs: unknown[] = [];
    for (let again: () => Promise<TurnResult | null> = run; ; again = () => takeUp(thread, slot, bugs)) {
      try {
        const result = await again();
        if (result === null) return 'failed';
        faults.delete(thread);
        return result;
      } catch (error) {
        loop.onTrouble(error);
        await rest(thread, error, slot.signal);
        // A record that still says running is taken up at the next start.
        if (loop.isStopping()) return 'failed';
        if (!isPassing(error)) bugs.push(error);
      }
    }
  };
}

export type Driver = ReturnType<typeof createDriver>;

function createDriver<Context extends AnyContext, Subject>(loop: Loop, kind: TurnKind<Context, Subject>) {
  const { deps } = loop;

  /** Runs the turn of a request, or finds that it need not run. */
  async function drive(request: StartingTurn, slot: TurnSlot): Promise<TurnResult> {
    const ready = await kind.look(loop, request);
    if (ready === null) deps.ledger.requests.delete(request.thread);
    const turn = ready && (await deps.ledger.together(() => kind.begin(loop, ready, request)));
    if (ready === null || turn === null) return 'skipped';
    tellStart(loop, turn, false);
    try {
      const laid = await kind.layOut(loop, ready, turn, slot);
      if ('outcome' in laid) return await finishDurably(loop, kind, turn, laid);
      writeTurnFolder(deps.room, turn.id, laid.context, laid.prompt);
      const bridge = await openBridge(loop, turn, ready.runner, laid.record?.());
      const { runner } = ready;
      return runToEnd(loop, kind, { turn, runner, bridge, slot, ...laid, adopt: false, lived: true });
    } catch (error) {
      if (!(error instanceof RoomError)) throw error;
      await finishRefused(loop, kind, turn, error);
      return 'skipped';
    }
  }

  /** Takes up a turn on record as running: follows its process, or reads how that ended. @param lived it began under this runtime */
  async function adopt(turn: TurnRecord, slot: TurnSlot, lived: boolean): Promise<TurnResult> {
    const found = loop.agents.find(turn.agent);
    const context = readTurnContext<Context>(deps.room, turn.id);
    if (typeof found === 'string' || context === null) {
      if (!lived) return interrupt(turn);
      const outcome = interrupted(context === null ? "the turn's folder is gone" : String(found));
      return finishDurably(loop, kind, turn, { outcome, counts: true, isSeen: true });
    }
    const bridge = await openBridge(loop, turn, found.runner);
    const agent = atWork(deps, kind.agentOf?.(loop, turn, found.agent) ?? found.agent, turn.thread);
    tellStart(loop, turn, true);
    const { runner } = found;
    const given = { turn, runner, bridge, slot, agent, context, prompt: '', adopt: true, lived };
    return runToEnd(loop, kind, given);
  }

  /** A turn was lost with its runtime, and what asked for it asks again; with a fault of a runtime that lived it is a failed attempt. */
  function interrupt(turn: TurnRecord, fault?: string): Promise<TurnResult> {
    const outcome = interrupted(fault ?? 'the runtime ended during the turn');
    return finishTurn(loop, kind, turn, { outcome, counts: fault !== undefined, isSeen: false });
  }

  return { drive, adopt, interrupt };
}

/** Runs the agent, and records its end; the bridge is closed whatever comes. */
async function runToEnd<Context extends AnyContext>(
  loop: Loop,
  kind: Pick<TurnKind<Context, never>, 'subject' | 'forgets' | 'leave' | 'end'>,
  given: GivenRun<Context>,
): Promise<TurnResult> {
  const { turn, bridge, agent, slot, context } = given;
  try {
    const end = await runTurn(loop, kind, given);
    // All that its agent reported comes before its end.
    await recordDurably(loop, () => bridge.drain());
    return await finishDurably(loop, kind, turn, end, { agent, slot, context });
  } finally {
    await bridge.close();
  }
}

function tellStart({ deps }: Loop, turn: TurnRecord, adopted: boolean): void {
  const { id, agent, attempt, reasons } = turn;
  const about = { agent, attempt, reasons, adopted };
  deps.events.emit({ type: 'turn.started', turn: id, ...about, ...subjectOf(deps, turn) });
}

const TASK: TaskKind = {
  look: lookAtTask,
  begin: beginTaskTurn,
  layOut: layOutTask,
  agentOf: ({ workspaces }, { thread }, agent) => workspaces.agentIn(taskOfThread(thread)!, agent),
  subject({ deps, tasks }, turn, { access }, context) {
    const id = taskOfThread(turn.thread)!;
    const reporter = { id: turn.id, task: id, agent: turn.agent, access };
    return {
      ...{ context, task: { id, name: subjectOf(deps, turn).name } },
      services: (request?: string) => createTurnServices(deps, tasks, reporter, request),
    };
  },
  leave: leaveWorkspace,
  end: endTaskTurn,
};

function createDrivers(loop: Loop): (thread: ThreadId) => Driver {
  const [task, chore, summary] = [
    createDriver(loop, TASK),
    createDriver(loop, CHORE),
    createDriver(loop, SUMMARY),
  ];
  return (thread) => {
    if (summaryOfThread(thread) !== null) return summary;
    return choreOfThread(thread) === null ? task : chore;
  };
}
