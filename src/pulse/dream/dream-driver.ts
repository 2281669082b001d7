// One turn that sums up a task's old entries, from request to record. It has no task of its own: it starts no other turn,
// consumes nothing, and what it changes of the task's file is the runtime's own writing.

import { buildDreamPrompt, type DreamContext } from '../../core/chore/dream-prompt.ts';
import { commandOf } from '../../core/config/agent-command.ts';
import { RoomError } from '../../core/errors.ts';
import { dreamOfThread, newTag, type TaskId } from '../../core/ids.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import type { ChoreRunInput, Runner } from '../../runners/runner.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { atWork } from '../../tasks/agent-folder.ts';
import { readFileRow } from '../../tasks/observe/read-file-row.ts';
import { reportingOf } from '../turn/turn-before.ts';
import type { TurnDriver, TurnResult, TurnSlot } from '../turn/turn-contract.ts';
import { readTurnContext, writeTurnFolder } from '../turn/turn-folder.ts';
import { followRun, interrupted, reportThenRecord, runBasics, startEvent } from '../turn/turn-run.ts';
import { type DreamDriverOptions, finishDurably, interruptDream, MAX_SUMMARY_CHARS } from './dream-finish.ts';
import { entriesToSumUp } from './dreams.ts';

/** Drives turns that sum up. */
export function createDreamDriver(options: DreamDriverOptions): TurnDriver {
  return {
    drive: (request, running, slot) => drive(options, request, running, slot),
    adopt: (turn, slot, lived) => adopt(options, turn, slot, lived),
    interrupt: (turn, fault) => interruptDream(options, turn, fault),
  };
}

async function drive(
  options: DreamDriverOptions,
  request: TurnRequest,
  running: RunningTurn,
  slot: TurnSlot,
): Promise<TurnResult> {
  const { deps, queue } = options;
  const found = options.agents.find(request.agent);
  const id = dreamOfThread(request.thread)!;
  const old = await readOldEntries(options, id);
  if (typeof found === 'string' || found.agent.runner !== 'command' || old === null) {
    queue.drop(request.thread);
    return 'skipped';
  }
  const turn = await begin(options, request, running, found.runner, old.name);
  if (turn === null) return 'skipped';
  deps.events.emit(startEvent(turn, { id: null, name: turn.description, adopted: false }));
  const context = contextOf(turn, old);
  const tag = newTag(deps.effects.randomBytes);
  const prompt = buildDreamPrompt(context, {
    ...{ tag, name: old.name, maxChars: MAX_SUMMARY_CHARS },
    ...reportingOf(options, turn),
  });
  try {
    writeTurnFolder(deps.room, turn.id, context, prompt);
  } catch (error) {
    if (!(error instanceof RoomError)) throw error;
    options.onTrouble(error);
    return finishDurably(options, turn, { outcome: interrupted(error.message), counts: false });
  }
  return runToEnd(options, turn, { ...found, context, prompt, adopt: false }, slot, true);
}

async function adopt(
  options: DreamDriverOptions,
  turn: TurnRecord,
  slot: TurnSlot,
  lived: boolean,
): Promise<TurnResult> {
  const found = options.agents.find(turn.agent);
  const context = readTurnContext<DreamContext>(options.deps.room, turn.id);
  if (typeof found === 'string' || context === null) return interruptDream(options, turn);
  options.deps.events.emit(startEvent(turn, { id: null, name: turn.description, adopted: true }));
  return runToEnd(options, turn, { ...found, context, prompt: '', adopt: true }, slot, lived);
}

interface OldRecord {
  name: string;
  entries: string[];
}

async function readOldEntries({ deps }: DreamDriverOptions, id: TaskId): Promise<OldRecord | null> {
  const path = deps.ledger.tasks.get(id)?.path ?? null;
  const row = path === null ? null : await readFileRow(deps, path);
  if (row === null || row === 'unstable' || !row.reading.ok || row.reading.task.id !== id) return null;
  const entries = entriesToSumUp(deps, row.reading.task, row.text);
  return entries === null ? null : { name: row.reading.task.name, entries };
}

function begin(
  { deps, queue }: DreamDriverOptions,
  request: TurnRequest,
  running: RunningTurn,
  runner: Runner,
  name: string,
): Promise<TurnRecord | null> {
  const { thread, origin, agent, reasons, outside, askedAt } = request;
  const asked = { thread, origin, agent, reasons, outside, askedAt, startedAt: deps.effects.now() };
  const facts = { runner: runner.name, attempt: 1, revision: '', description: `old entries of ${name}` };
  const command = commandOf(deps.agents().get(agent));
  return deps.ledger.together(() =>
    queue.begin({ id: running.turn, ...asked, ...facts, command })
      ? deps.ledger.turns.get(running.turn)
      : null,
  );
}

function contextOf(turn: TurnRecord, { entries }: OldRecord): DreamContext {
  return {
    chore: { name: turn.description, prompt: '', thread_id: turn.thread },
    dream: { task: dreamOfThread(turn.thread)!, entries },
  };
}

/** What a turn runs with, its agent included. */
type Equipped = Pick<ChoreRunInput, 'agent' | 'prompt' | 'adopt'> & { runner: Runner; context: DreamContext };

async function runToEnd(
  options: DreamDriverOptions,
  turn: TurnRecord,
  { runner, context, ...given }: Equipped,
  slot: TurnSlot,
  lived: boolean,
): Promise<TurnResult> {
  const bridge = await options.bridges.open(turn.id, options.onTrouble, runner.isElsewhere);
  const run = runner.run({
    ...runBasics(options, turn, bridge, { ...given, agent: atWork(options.deps, given.agent, turn.thread) }),
    chore: { name: turn.description, prompt: '' },
    context,
    // Each sums up anew: what it read before is no part of the record any more.
    session: null,
    signal: slot.signal,
  });
  return reportThenRecord(
    options,
    bridge,
    () => followRun(options.deps, turn, run, slot, lived, () => {}),
    (end) => finishDurably(options, turn, end, context),
  );
}
