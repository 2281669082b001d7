// One turn of a prompt chore from request to record, as turn-driver.ts does for tasks. It has no task file: what it is
// told stands in its folder, and how it ended in the ledger.
import { failureOf } from '../../chores/chore-room.ts';
import { afterSuccess } from '../../chores/run-end.ts';
import type { Chore } from '../../core/chore/chore.ts';
import { buildChorePrompt, type ChoreContext, choreContext } from '../../core/chore/chore-prompt.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { RoomError } from '../../core/errors.ts';
import { choreOfThread, newTag } from '../../core/ids.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import type { ChoreRunInput, Outcome, Runner } from '../../runners/runner.ts';
import type { ChoreChange, ChoreMemory } from '../../store/ledger/chores.ts';
import type { TurnRecord, TurnRequest } from '../../store/ledger/turns.ts';
import type { TurnSlot } from '../scheduler.ts';
import type { DriverOptions, TurnFate } from '../turn/driver-options.ts';
import { readTurnContext, turnDir, writeTurnFolder, writeTurnResult } from '../turn/turn-folder.ts';
import { followRun, interrupted, recordDurably, startEvent } from '../turn/turn-run.ts';

export interface ChoreDriver
  extends Pick<
    DriverOptions,
    'deps' | 'queue' | 'agentOf' | 'binDir' | 'withheldEnv' | 'isStopping' | 'onTrouble'
  > {
  /** The chore as its file says it now; null when it is gone or can't be read. */
  findChore(name: string): Chore | null;
}

interface Agent {
  agent: AgentConfig;
  runner: Runner;
}

// After trouble outside (a full disk, say) the chore is left alone for this long.
const PUT_OFF_MS = 5_000;

/** Runs the turn of a request, or finds that it need not run. */
export async function driveChoreTurn(
  driver: ChoreDriver,
  request: TurnRequest,
  running: RunningTurn,
  slot: TurnSlot,
): Promise<TurnFate> {
  const { deps, queue } = driver;
  const name = choreOfThread(request.thread)!;
  const chore = driver.findChore(name);
  const found = driver.agentOf(request.agent);
  if (chore === null || chore.paused || chore.mirror !== null || typeof found === 'string') {
    deps.ledger.transaction(() => {
      if (!queue.drop(request.thread)) return;
      const stays = chore !== null && typeof found === 'string';
      deps.ledger.chores.update(
        name,
        stays ? failed(driver, chore, found, null) : { endedAt: deps.effects.now() },
      );
    });
    if (chore !== null && typeof found === 'string') tellFailure(driver, name, found);
    return 'skipped';
  }
  const turn = await begin(driver, name, request, running, found.runner);
  if (turn === null) return 'skipped';
  deps.events.emit(startEvent(turn, { id: null, name, adopted: false }));
  const context = choreContext(chore);
  const prompt = promptOf(driver, context, request.agent);
  try {
    writeTurnFolder(deps.room, turn.id, context, prompt);
  } catch (error) {
    if (!(error instanceof RoomError)) throw error;
    driver.onTrouble(error);
    return record(driver, turn, interrupted(error.message), deps.effects.now() + PUT_OFF_MS);
  }
  return runToEnd(driver, turn, makeInput(driver, turn, found.agent, context, prompt, false), found, slot);
}

/** Takes up a turn that was running when the runtime ended. */
export async function adoptChoreTurn(
  driver: ChoreDriver,
  turn: TurnRecord,
  slot: TurnSlot,
): Promise<TurnFate> {
  const found = driver.agentOf(turn.agent);
  const context = readTurnContext<ChoreContext>(driver.deps.room, turn.id);
  if (typeof found === 'string' || context === null) return interruptChoreTurn(driver, turn);
  const name = choreOfThread(turn.thread)!;
  driver.deps.events.emit(startEvent(turn, { id: null, name, adopted: true }));
  return runToEnd(driver, turn, makeInput(driver, turn, found.agent, context, '', true), found, slot);
}

/** Records that a turn was lost with its runtime; the chore is due again. */
export function interruptChoreTurn(driver: ChoreDriver, turn: TurnRecord): TurnFate {
  return record(driver, turn, interrupted('the runtime ended during the turn'));
}

function begin(
  { deps, queue }: ChoreDriver,
  name: string,
  request: TurnRequest,
  running: RunningTurn,
  runner: Runner,
): Promise<TurnRecord | null> {
  const { thread, origin, agent, reasons, outside, askedAt } = request;
  const { turns, chores } = deps.ledger;
  return deps.ledger.together(() => {
    const memory = chores.get(name);
    const begun = queue.begin({
      id: running.turn,
      thread,
      origin,
      agent,
      runner: runner.name,
      reasons,
      attempt: (memory?.failures ?? 0) + 1,
      revision: memory?.revision ?? '',
      description: name,
      outside,
      askedAt,
      startedAt: deps.effects.now(),
    });
    return begun ? turns.get(running.turn) : null;
  });
}

function promptOf({ deps }: ChoreDriver, context: ChoreContext, agent: string): string {
  const memory = deps.ledger.chores.get(context.chore.name);
  return buildChorePrompt(context, {
    tag: newTag(deps.effects.randomBytes),
    taskroomCommand: 'taskroom',
    room: deps.room.dir,
    agent,
    last: lastRun(memory),
  });
}

function lastRun(memory: ChoreMemory | null): string | null {
  if (!memory?.result) return null;
  const { ok, message } = memory.result;
  const how = ok ? 'went well' : 'failed';
  return message === '' ? how : `${how}: ${message}`;
}

function makeInput(
  driver: ChoreDriver,
  turn: TurnRecord,
  agent: AgentConfig,
  context: ChoreContext,
  prompt: string,
  adopt: boolean,
): Omit<ChoreRunInput, 'signal'> {
  const { deps, binDir, withheldEnv } = driver;
  const { name } = context.chore;
  return {
    turn: { id: turn.id, attempt: turn.attempt },
    chore: { name, prompt: context.chore.prompt },
    dir: turnDir(deps.room, turn.id),
    room: deps.room.dir,
    prompt,
    context,
    agent,
    adopt,
    binDir,
    withheldEnv,
    session: deps.ledger.chores.get(name)?.session ?? null,
    effects: deps.effects,
  };
}

async function runToEnd(
  driver: ChoreDriver,
  turn: TurnRecord,
  input: ReturnType<typeof makeInput>,
  { runner }: Agent,
  slot: TurnSlot,
): Promise<TurnFate> {
  const { deps } = driver;
  const { name } = input.chore;
  const run = runner.run({ ...input, signal: slot.signal });
  const onSession = (session: string) => deps.ledger.chores.update(name, { session });
  const outcome = await followRun(deps.ledger, turn, run, slot, onSession);
  return recordDurably(driver, async () => {
    try {
      writeTurnResult(deps.room, turn.id, outcome, deps.effects.now());
    } catch (error) {
      driver.onTrouble(error);
    }
    return record(driver, turn, outcome);
  });
}

/** Puts the end on record once, together with what it means for the chore, and tells of it. */
function record(
  driver: ChoreDriver,
  turn: TurnRecord,
  outcome: Outcome,
  notBefore: number | null = null,
): TurnFate {
  const { deps, queue } = driver;
  const name = choreOfThread(turn.thread)!;
  const endedAt = deps.effects.now();
  const change =
    notBefore === null ? meaningOf(driver, name, turn, outcome) : { endedAt, retryAt: notBefore };
  const first = queue.end(turn.id, { ...outcome, endedAt }, () => deps.ledger.chores.update(name, change));
  const { state, reason, exitCode, message } = outcome;
  const fate = reason === 'interrupted' ? 'interrupted' : state;
  if (!first) return fate;
  const tookMs = endedAt - turn.startedAt;
  deps.events.emit({
    type: 'turn.ended',
    turn: turn.id,
    id: null,
    name,
    state,
    reason,
    exitCode,
    tookMs,
    message,
  });
  if (state === 'completed')
    deps.events.emit({ type: 'chore.finished', name, kind: 'prompt', message, counts: {}, tookMs });
  else if (change.failures) tellFailure(driver, name, message);
  return fate;
}

function meaningOf(driver: ChoreDriver, name: string, turn: TurnRecord, outcome: Outcome): ChoreChange {
  const { state, reason, message } = outcome;
  const now = driver.deps.effects.now();
  // Without an end the chore is due at once, here or with the next start.
  if (reason === 'interrupted') return { endedAt: null };
  const result = { ok: state === 'completed', message, turn: turn.id };
  if (state !== 'failed') return afterSuccess(result, now);
  const chore = driver.findChore(name);
  return chore === null ? { endedAt: now, result } : failed(driver, chore, message, outcome, turn.id);
}

function failed(
  { deps }: ChoreDriver,
  chore: Chore,
  message: string,
  outcome: Outcome | null,
  turn?: string,
): ChoreChange {
  return failureOf(deps, chore, {
    record: { ok: false, message, ...(turn === undefined ? {} : { turn }) },
    code: outcome === null ? 'not_found' : outcome.reason === 'refused' ? 'refused' : null,
    retryAfterMs: null,
  });
}

function tellFailure({ deps }: ChoreDriver, name: string, message: string): void {
  const memory = deps.ledger.chores.get(name);
  const retryAt = memory?.retryAt ?? null;
  const hint =
    memory?.stopped == null
      ? null
      : `it stands still until its file changes, or: taskroom chores run ${JSON.stringify(name)}`;
  deps.events.emit({ type: 'chore.failed', name, kind: 'prompt', message, hint, retryAt });
}
