// What comes before the agent of a prompt chore's turn, and what the turn's end means for its chore. A chore has no task file: what its turn
// is given stands in the turn's folder, what came of it in the ledger alone.
import { resolve } from 'node:path';
import { afterSuccess, failureOf } from '../../chores/chore-room.ts';
import type { Chore } from '../../core/chore/chore.ts';
import { buildChorePrompt, type ChoreContext, choreContext } from '../../core/chore/chore-prompt.ts';
import type { ErrorCode } from '../../core/errors.ts';
import { choreOfThread, newTag } from '../../core/ids.ts';
import { waitsForAgent } from '../../core/rules/turn-end.ts';
import type { ChoreChange, ChoreMemory } from '../../store/ledger/mirrors/sources.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { atWork } from '../../tasks/views/agent-folder.ts';
import type { Loop } from '../state/loop.ts';
import { reportingOf } from './prepare/task.ts';
import { type RunEnd, recordStart, type TurnKind } from './turn-kind.ts';

export const CHORE: TurnKind<ChoreContext, Chore> = {
  async look(loop, { thread, agent }) {
    const { ledger, effects } = loop.deps;
    const name = choreOfThread(thread)!;
    const chore = loop.known.find(name);
    const found = loop.agents.find(agent);
    const isOff = chore === null || chore.paused || chore.mirror !== null;
    if (!isOff && typeof found !== 'string') return { ...found, read: chore };
    const problem = chore !== null && typeof found === 'string' ? found : null;
    ledger.transaction(() => {
      if (!ledger.requests.delete(thread)) return;
      const failed = { message: problem ?? '', code: 'not_found' as const };
      const change = problem === null ? { endedAt: effects.now() } : failedRun(loop, chore!, failed);
      ledger.chores.update(name, change);
    });
    if (problem !== null) reportFailure(loop, name, problem);
    return null;
  },
  begin({ deps }, { read: { name }, runner }, request) {
    const memory = deps.ledger.chores.get(name);
    return recordStart(deps, request, runner, {
      attempt: (memory?.failures ?? 0) + 1,
      revision: memory?.revision ?? '',
      description: name,
    });
  },
  async layOut(loop, { agent: own, read: chore }, turn) {
    const { deps } = loop;
    const context = choreContext(chore);
    const agent = atWork(deps, own, turn.thread);
    const prompt = buildChorePrompt(context, {
      tag: newTag(deps.effects.randomBytes),
      ...reportingOf(loop, turn),
      room: deps.room.dir,
      cwd: resolve(deps.room.dir, agent.cwd ?? '.'),
      agent: agent.id,
      last: lastRun(deps.ledger.chores.get(chore.name)),
    });
    return { agent, context, prompt };
  },
  subject: (_loop, _turn, _agent, context) => ({
    chore: { name: context.chore.name, prompt: context.chore.prompt },
    context,
  }),
  async end(loop, turn, end) {
    const { ledger, events } = loop.deps;
    const { outcome } = end;
    const { state, message } = outcome;
    const name = choreOfThread(turn.thread)!;
    const change = changeAfter(loop, turn, end);
    return {
      outcome,
      settle: () => ({ outcome, also: () => ledger.chores.update(name, change) }),
      recorded(_result, tookMs) {
        if (state === 'completed')
          events.emit({ type: 'chore.finished', name, kind: 'prompt', message, counts: {}, tookMs });
        else if (change.failures) reportFailure(loop, name, message);
      },
    };
  },
};

function lastRun(memory: ChoreMemory | null): string | null {
  if (!memory?.result) return null;
  const { ok, message } = memory.result;
  const how = ok ? 'went well' : 'failed';
  return message === '' ? how : `${how}: ${message}`;
}

function changeAfter(loop: Loop, turn: TurnRecord, { outcome, counts, retryAt }: RunEnd): ChoreChange {
  const { state, reason, message } = outcome;
  const now = loop.deps.effects.now();
  if (retryAt !== undefined) return { endedAt: now, retryAt };
  // Without an end the chore is due at once, here or with the next start.
  if ((reason === 'interrupted' && !counts) || waitsForAgent(outcome)) return { endedAt: null };
  const result = { ok: state === 'completed', message, turn: turn.id };
  if (state !== 'failed') return afterSuccess(result, now);
  const chore = loop.known.find(choreOfThread(turn.thread)!);
  if (chore === null) return { endedAt: now, result };
  return failedRun(loop, chore, { message, turn: turn.id, code: reason === 'refused' ? 'refused' : null });
}

/** What a failed turn, or one that can't begin, means for its chore. */
function failedRun(
  { deps }: Loop,
  chore: Chore,
  { code, ...record }: { message: string; turn?: string; code: ErrorCode | null },
): ChoreChange {
  return failureOf(deps, chore, { record: { ok: false, ...record }, code, retryAfterMs: null });
}

function reportFailure({ deps }: Loop, name: string, message: string): void {
  const memory = deps.ledger.chores.get(name);
  const retryAt = memory?.retryAt ?? null;
  const again = `it stands still until its file changes, or: taskroom chores run ${JSON.stringify(name)}`;
  const hint = memory?.stopped == null ? null : again;
  deps.events.emit({ type: 'chore.failed', name, kind: 'prompt', message, hint, retryAt });
}
