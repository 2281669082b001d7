// Turns of prompt chores. A chore has no task file: what its turn is told stands in the turn's folder, and how it ended in the ledger.
import { resolve } from 'node:path';
import { afterSuccess, failureOf } from '../../chores/chore-room.ts';
import type { Chore } from '../../core/chore/chore.ts';
import { buildChorePrompt, type ChoreContext, choreContext } from '../../core/chore/chore-prompt.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { ErrorCode } from '../../core/errors.ts';
import { choreOfThread, newTag } from '../../core/ids.ts';
import { waitsForAgent } from '../../core/rules/turn-end.ts';
import type { ChoreChange, ChoreMemory } from '../../store/ledger/mirrors/sources.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { atWork } from '../../tasks/views/agent-folder.ts';
import type { Base } from '../base.ts';
import type { Ending, TurnKind } from './drive-turn.ts';
import { reportingOf } from './turn-folder.ts';
import type { RunEnd } from './turn-record.ts';

export function createChoreKind(base: Base): TurnKind<ChoreContext> {
  const { ledger, effects } = base.deps;
  return {
    async look({ thread, agent }) {
      const name = choreOfThread(thread)!;
      const chore = base.known.find(name);
      const found = base.agents.find(agent);
      const isOff = chore === null || chore.paused || chore.mirror !== null;
      if (isOff || typeof found === 'string') {
        const problem = chore !== null && typeof found === 'string' ? found : null;
        ledger.transaction(() => {
          if (!ledger.requests.delete(thread)) return;
          const failed = { message: problem ?? '', code: 'not_found' as const };
          const change = problem === null ? { endedAt: effects.now() } : failedRun(base, chore!, failed);
          ledger.chores.update(name, change);
        });
        if (problem !== null) tellFailure(base, name, problem);
        return null;
      }
      return {
        ...found,
        facts() {
          const memory = ledger.chores.get(name);
          return {
            attempt: (memory?.failures ?? 0) + 1,
            revision: memory?.revision ?? '',
            description: name,
          };
        },
        layOut: async (turn) => layOut(base, turn, chore, found.agent),
      };
    },
    subject: (_turn, _agent, context) => ({
      chore: { name: context.chore.name, prompt: context.chore.prompt },
      context,
    }),
    end: async (turn, end) => endOfChore(base, turn, end),
  };
}

function layOut(base: Base, turn: TurnRecord, chore: Chore, own: AgentConfig) {
  const { deps } = base;
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
  return { agent, context, prompt };
}

function endOfChore(base: Base, turn: TurnRecord, end: RunEnd): Ending {
  const { ledger, events } = base.deps;
  const { outcome } = end;
  const { state, message } = outcome;
  const name = choreOfThread(turn.thread)!;
  const change = changeAfter(base, turn, end);
  return {
    outcome,
    settle: () => ({ outcome, also: () => ledger.chores.update(name, change) }),
    told(_result, tookMs) {
      if (state === 'completed')
        events.emit({ type: 'chore.finished', name, kind: 'prompt', message, counts: {}, tookMs });
      else if (change.failures) tellFailure(base, name, message);
    },
  };
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
  const again = `it stands still until its file changes, or: taskroom chores run ${JSON.stringify(name)}`;
  const hint = memory?.stopped == null ? null : again;
  deps.events.emit({ type: 'chore.failed', name, kind: 'prompt', message, hint, retryAt });
}

function lastRun(memory: ChoreMemory | null): string | null {
  if (!memory?.result) return null;
  const { ok, message } = memory.result;
  const how = ok ? 'went well' : 'failed';
  return message === '' ? how : `${how}: ${message}`;
}
