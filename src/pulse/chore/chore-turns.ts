// Turns of prompt chores. A chore has no task file: what its turn is told stands in the turn's folder, and how it ended in the ledger.
import { resolve } from 'node:path';
import type { Chore } from '../../core/chore/chore.ts';
import { buildChorePrompt, type ChoreContext, choreContext } from '../../core/chore/chore-prompt.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { choreOfThread, newTag } from '../../core/ids.ts';
import type { RunningTurn } from '../../core/rules/dispatch.ts';
import type { Runner } from '../../runners/runner.ts';
import type { ChoreChange, ChoreMemory } from '../../store/ledger/mirrors/sources.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { atWork } from '../../tasks/agent-folder.ts';
import { type Begun, createTurnDriver } from '../turn/drive-turn.ts';
import { reportingOf } from '../turn/turn-before.ts';
import type { TurnDriver } from '../turn/turn-contract.ts';
import { writeTurnFolder } from '../turn/turn-folder.ts';
import { beginTurn } from '../turn/turn-run.ts';
import {
  type ChoreDriverOptions,
  failedRun,
  finishDurably,
  interruptChoreTurn,
  putOff,
  tellFailure,
} from './chore-turn-finish.ts';

/** Drives turns of prompt chores. */
export function createChoreTurnDriver(options: ChoreDriverOptions): TurnDriver {
  const { deps } = options;
  return createTurnDriver<Begun & { chore: Chore }, ChoreContext>(options, {
    async begin(request, running) {
      const ready = runnableChore(options, request);
      if (ready === null) return null;
      const turn = await begin(options, ready.chore.name, request, running, ready.runner);
      return turn === null ? null : { turn, ...ready };
    },
    async layOut({ turn, chore, agent: own }) {
      const context = choreContext(chore);
      const agent = atWork(deps, own, turn.thread);
      const prompt = promptOf(options, context, agent, turn);
      writeTurnFolder(deps.room, turn.id, context, prompt);
      return { agent, context, prompt };
    },
    async refused(turn, error) {
      options.onTrouble(error);
      return putOff(options, turn, error.message);
    },
    named: ({ thread }) => ({ id: null, name: choreOfThread(thread)! }),
    subject: (_turn, _agent, context) => ({
      chore: { name: context.chore.name, prompt: context.chore.prompt },
      context,
    }),
    finish: (turn, end) => finishDurably(options, turn, end),
    interrupt: (turn, fault) => interruptChoreTurn(options, turn, fault),
  });
}

interface RunnableChore {
  chore: Chore;
  agent: AgentConfig;
  runner: Runner;
}

/** The chore of a request, and who runs it; null, with the request dropped, when it need not or can't run any more. */
function runnableChore(options: ChoreDriverOptions, request: TurnRequest): RunnableChore | null {
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
  { deps }: ChoreDriverOptions,
  { thread }: TurnRequest,
  name: string,
  changeOf: () => ChoreChange,
): void {
  deps.ledger.transaction(() => {
    if (deps.ledger.requests.drop(thread)) deps.ledger.chores.update(name, changeOf());
  });
}

/** Puts the turn on record; null when its request is gone. What it counts from is read in the same commit. */
function begin(
  { deps }: ChoreDriverOptions,
  name: string,
  request: TurnRequest,
  running: RunningTurn,
  runner: Runner,
): Promise<TurnRecord | null> {
  return deps.ledger.together(() => {
    const memory = deps.ledger.chores.get(name);
    const [attempt, revision] = [(memory?.failures ?? 0) + 1, memory?.revision ?? ''];
    return beginTurn(deps, request, running, runner, { attempt, revision, description: name });
  });
}

function promptOf(
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
