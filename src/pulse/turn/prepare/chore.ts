// What comes before the agent of a prompt chore's turn. A chore has no task file: what its turn is given stands in the turn's folder.
import { resolve } from 'node:path';
import type { Chore } from '../../../core/chore/chore.ts';
import { buildChorePrompt, choreContext } from '../../../core/chore/chore-prompt.ts';
import { choreOfThread, newTag, type TurnId } from '../../../core/ids.ts';
import type { ChoreMemory } from '../../../store/ledger/mirrors/sources.ts';
import type { TurnRequest } from '../../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../../store/ledger/turns/turns.ts';
import { atWork } from '../../../tasks/views/agent-folder.ts';
import type { Loop } from '../../state/loop.ts';
import { failedRun, reportFailure } from '../finish/chore-end.ts';
import { type Ready, recordStart } from '../turn-kind.ts';
import { reportingOf } from './prompt-facts.ts';

export async function lookAtChore(loop: Loop, { thread, agent }: TurnRequest): Promise<Ready<Chore> | null> {
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
}

export function beginChoreTurn(
  { deps }: Loop,
  { read: { name }, runner }: Ready<Chore>,
  request: TurnRequest,
  id: TurnId,
): TurnRecord | null {
  const memory = deps.ledger.chores.get(name);
  return recordStart(deps, request, id, runner, {
    attempt: (memory?.failures ?? 0) + 1,
    revision: memory?.revision ?? '',
    description: name,
  });
}

export async function layOutChore(loop: Loop, { agent: own, read: chore }: Ready<Chore>, turn: TurnRecord) {
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
}

function lastRun(memory: ChoreMemory | null): string | null {
  if (!memory?.result) return null;
  const { ok, message } = memory.result;
  const how = ok ? 'went well' : 'failed';
  return message === '' ? how : `${how}: ${message}`;
}
