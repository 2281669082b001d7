// Turns of prompt chores. A chore has no task file: what its turn is told stands in the turn's folder, and how it ended in the ledger.
import { resolve } from 'node:path';
import type { Runner } from '../../agents/runner.ts';
import { afterSuccess, failureOf } from '../../chores/chore-room.ts';
import type { Chore } from '../../core/chore/chore.ts';
import { buildChorePrompt, type ChoreContext, choreContext } from '../../core/chore/chore-prompt.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { ErrorCode } from '../../core/errors.ts';
import { choreOfThread, newTag } from '../../core/ids.ts';
import { waitsForAgent } from '../../core/rules/turn-end.ts';
import type { ChoreChange, ChoreMemory } from '../../store/ledger/mirrors/sources.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { atWork } from '../../tasks/views/agent-folder.ts';
import type { Base } from '../base.ts';
import { type Begun, createTurnDriver, type TurnDriver } from './drive-turn.ts';
import { reportingOf } from './task-prompt.ts';
import { writeTurnFolder, writeTurnResult } from './turn-folder.ts';
import { beginTurn, type RunEnd, recordEnd, resultOf, type TurnResult, tellEnd } from './turn-record.ts';

export function createChoreDriver(base: Base): TurnDriver {
  const { deps } = base;
  const named = ({ thread }: TurnRecord) => ({ id: null, name: choreOfThread(thread)! });
  return createTurnDriver<Begun & { chore: Chore }, ChoreContext>(base, {
    async begin(request, running) {
      const ready = runnableChore(base, request);
      if (ready === null) return null;
      const { name } = ready.chore;
      // What it counts from is read in the commit that begins it.
      const turn = await deps.ledger.together(() => {
        const memory = deps.ledger.chores.get(name);
        const [attempt, revision] = [(memory?.failures ?? 0) + 1, memory?.revision ?? ''];
        return beginTurn(deps, request, running, ready.runner, { attempt, revision, description: name });
      });
      return turn === null ? null : { turn, ...ready };
    },
    async layOut({ turn, chore, agent: own }) {
      const context = choreContext(chore);
      const agent = atWork(deps, own, turn.thread);
      const prompt = buildChorePrompt(context, {
        tag: newTag(deps.effects.randomBytes),
        ...reportingOf(base, turn),
        room: deps.room.dir,
        cwd: resolve(deps.room.dir, agent.cwd ?? '.'),
        agent: agent.id,
        last: lastRun(deps.ledger.chores.get(chore.name)),
      });
      writeTurnFolder(deps.room, turn.id, context, prompt);
      return { agent, context, prompt };
    },
    named,
    subject: (_turn, _agent, context) => ({
      chore: { name: context.chore.name, prompt: context.chore.prompt },
      context,
    }),
    end: async (turn, end) => endChoreTurn(base, turn, end),
  });
}

interface RunnableChore {
  chore: Chore;
  agent: AgentConfig;
  runner: Runner;
}

/** The chore of a request, and who runs it; null, with the request dropped, when it need not or can't run any more. */
function runnableChore(base: Base, { thread, agent }: TurnRequest): RunnableChore | null {
  const { ledger, effects } = base.deps;
  const name = choreOfThread(thread)!;
  const chore = base.known.find(name);
  const found = base.agents.find(agent);
  const isOff = chore === null || chore.paused || chore.mirror !== null;
  if (!isOff && typeof found !== 'string') return { chore, ...found };
  const problem = chore !== null && typeof found === 'string' ? found : null;
  ledger.transaction(() => {
    if (!ledger.requests.drop(thread)) return;
    const change =
      problem === null
        ? { endedAt: effects.now() }
        : failedRun(base, chore!, { message: problem, code: 'not_found' });
    ledger.chores.update(name, change);
  });
  if (problem !== null) tellFailure(base, name, problem);
  return null;
}

/** Records the end, with what it means for the chore. */
function endChoreTurn(base: Base, turn: TurnRecord, end: RunEnd): TurnResult {
  const { deps } = base;
  const { outcome } = end;
  const name = choreOfThread(turn.thread)!;
  if (end.isSeen) writeTurnResult(base, turn.id, outcome);
  const change = changeAfter(base, turn, end);
  const recorded = recordEnd(deps, turn, outcome, () => deps.ledger.chores.update(name, change));
  tellEnd(deps, turn, recorded, { id: null, name });
  if (!recorded.isFirst) return resultOf(end);
  const { state, message } = outcome;
  const tookMs = recorded.endedAt - turn.startedAt;
  if (state === 'completed')
    deps.events.emit({ type: 'chore.finished', name, kind: 'prompt', message, counts: {}, tookMs });
  else if (change.failures) tellFailure(base, name, message);
  return resultOf(end);
}

function changeAfter(base: Base, turn: TurnRecord, { outcome, counts, retryAt }: RunEnd): ChoreChange {
  const { state, reason, message } = outcome;
  const now = base.deps.effects.now();
  if (retryAt !== undefined) return { endedAt: now, retryAt };
  // Without an end the chore is due at once, here or with the next start.
  if ((reason === 'interrupted' && !counts) || waitsForAgent(outcome)) return { endedAt: null };
  const result = { ok: state === 'completed', message, turn: turn.id };
  if (state !== 'failed') return afterSuccess(result, now);
  const chore = base.known.find(choreOfThread(turn.thread)!);
  if (chore === null) return { endedAt: now, result };
  return failedRun(base, chore, { message, turn: turn.id, code: reason === 'refused' ? 'refused' : null });
}

/** What a failed turn, or one that can't begin, means for its chore. */
function failedRun(
  { deps }: Base,
  chore: Chore,
  { code, ...said }: { message: string; turn?: string; code: ErrorCode | null },
): ChoreChange {
  return failureOf(deps, chore, { record: { ok: false, ...said }, code, retryAfterMs: null });
}

/** Tells of a failure that is on record. */
function tellFailure({ deps }: Base, name: string, message: string): void {
  const memory = deps.ledger.chores.get(name);
  const retryAt = memory?.retryAt ?? null;
  const hint =
    memory?.stopped == null
      ? null
      : `it stands still until its file changes, or: taskroom chores run ${JSON.stringify(name)}`;
  deps.events.emit({ type: 'chore.failed', name, kind: 'prompt', message, hint, retryAt });
}

function lastRun(memory: ChoreMemory | null): string | null {
  if (!memory?.result) return null;
  const { ok, message } = memory.result;
  const how = ok ? 'went well' : 'failed';
  return message === '' ? how : `${how}: ${message}`;
}
