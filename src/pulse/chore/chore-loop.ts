// The chores of a running room: what is due becomes a sync, or a request like any other.
import { type Chores, createChores } from '../../chores/chores.ts';
import type { Chore } from '../../core/chore/chore.ts';
import { newTurnId, threadOfChore } from '../../core/ids.ts';
import type { Wake } from '../../core/rules/decide.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Base } from '../base.ts';
import type { RunningTurns } from '../schedule/running-turns.ts';
import type { Scheduler } from '../schedule/scheduler.ts';

interface ChoreLoopOptions
  extends Pick<Base, 'dependencies' | 'deps' | 'known' | 'feedback' | 'idle' | 'once' | 'onTrouble'> {
  running: Pick<RunningTurns, 'stop'>;
  scheduler: Pick<Scheduler, 'requested'>;
}

const PRIORITY = 1;

export function createChoreLoop(options: ChoreLoopOptions): Chores {
  const { deps, known, running, scheduler, idle, once, onTrouble } = options;
  return createChores({
    deps,
    known,
    once,
    async syncChore(chore, signal) {
      try {
        return await options.dependencies.syncChore(chore, signal);
      } finally {
        // It counts as running until then.
        await options.feedback.synced();
      }
    },
    askTurn: (chore, reason) => deps.ledger.requests.add(requestOf(deps, chore, reason)),
    stopTurn(name, reason) {
      const thread = threadOfChore(name);
      if (deps.ledger.requests.drop(thread)) deps.ledger.chores.update(name, { endedAt: deps.effects.now() });
      running.stop(thread, reason);
    },
    onChange() {
      idle.busyAgain();
      scheduler.requested();
      idle.check();
    },
    onTrouble,
  });
}

function requestOf(deps: TaskRoom, { name, owner }: Chore, reason: Wake): TurnRequest {
  return {
    id: newTurnId('chore', deps.effects.randomBytes),
    thread: threadOfChore(name),
    origin: 'chore',
    agent: owner ?? deps.config().defaultAgent,
    reasons: [reason],
    priority: PRIORITY,
    askedAt: deps.effects.now(),
    forced: false,
    outside: reason === 'run',
  };
}
