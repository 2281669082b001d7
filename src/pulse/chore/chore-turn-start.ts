// The way into a chore's turn: the chore is looked up as its file says it now, the turn put on record, its prompt made.
import { resolve } from 'node:path';
import type { Chore } from '../../core/chore/chore.ts';
import { buildChorePrompt, type ChoreContext } from '../../core/chore/chore-prompt.ts';
import { commandOf } from '../../core/config/agent-command.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { choreOfThread, newTag } from '../../core/ids.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import type { Runner } from '../../runners/runner.ts';
import type { ChoreChange, ChoreMemory } from '../../store/ledger/mirrors/chores.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { reportingOf } from '../turn/turn-before.ts';
import type { ChoreDriverOptions } from './chore-driver-options.ts';
import { failedRun, tellFailure } from './chore-turn-finish.ts';

export interface RunnableChore {
  chore: Chore;
  agent: AgentConfig;
  runner: Runner;
}

/** The chore of a request, and who runs it; null, with the request dropped, when it need not or can't run any more. */
export function runnableChore(options: ChoreDriverOptions, request: TurnRequest): RunnableChore | null {
  const name = choreOfThread(request.thread)!;
  const chore = options.known.find(name);
  const found = options.agents.find(request.agent);
  if (chore !== null && typeof found === 'string') {
    drop(options, request, name, () => failedRun(options, chore, { message: found, code: 'not_found' }));
    tellFailure(options, name, found);
    return null;
  }
  if (chore === null || chore.paused || chore.mirror !== null || typeof found === 'string') {
    drop(options, request, name, () => ({ endedAt: options.deps.effects.now() }));
    return null;
  }
  return { chore, ...found };
}

function drop(
  { deps, queue }: ChoreDriverOptions,
  { thread }: TurnRequest,
  name: string,
  changeOf: () => ChoreChange,
): void {
  deps.ledger.transaction(() => {
    if (queue.drop(thread)) deps.ledger.chores.update(name, changeOf());
  });
}

/** Puts the turn on record; null when its request is gone. What it counts from is read in the same commit. */
export function begin(
  { deps, queue }: ChoreDriverOptions,
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
      command: commandOf(deps.agents().get(agent)),
      outside,
      askedAt,
      startedAt: deps.effects.now(),
    });
    return begun ? turns.get(running.turn) : null;
  });
}

export function promptOf(
  options: ChoreDriverOptions,
  context: ChoreContext,
  { id: agent, cwd }: AgentConfig,
  turn: TurnRecord,
): string {
  const { deps } = options;
  return buildChorePrompt(context, {
    tag: newTag(deps.effects.randomBytes),
    ...reportingOf(options, turn),
    room: deps.room.dir,
    cwd: resolve(deps.room.dir, cwd ?? '.'),
    agent,
    last: lastRun(deps.ledger.chores.get(context.chore.name)),
  });
}

function lastRun(memory: ChoreMemory | null): string | null {
  if (!memory?.result) return null;
  const { ok, message } = memory.result;
  const how = ok ? 'went well' : 'failed';
  return message === '' ? how : `${how}: ${message}`;
}
