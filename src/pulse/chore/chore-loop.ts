// The chores of a running room: what is due becomes a sync, or a request like any other.
import { type Chores, createChores } from '../../chores/chores.ts';
import type { KnownChores } from '../../chores/known-chores.ts';
import type { SyncChore } from '../../chores/sync-run.ts';
import type { Chore } from '../../core/chore/chore.ts';
import { newTurnId, threadOfChore } from '../../core/ids.ts';
import type { Wake } from '../../core/rules/decide.ts';
import type { TurnRequest } from '../../store/ledger/turns/requests.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Feedback } from '../feedback.ts';
import type { IdleWatch } from '../idle-watch.ts';
import type { RunningTurns } from '../schedule/running-turns.ts';
import type { Scheduler } from '../schedule/scheduler.ts';

export interface ChoreLoopOptions {
  deps: TaskRoom;
  known: KnownChores;
  running: Pick<RunningTurns, 'stop'>;
  scheduler: Pick<Scheduler, 'requested'>;
  syncChore: SyncChore;
  feedback: Pick<Feedback, 'synced'>;
  idle: Pick<IdleWatch, 'check' | 'busyAgain'>;
  once: boolean;
  onTrouble(error: unknown): void;
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
        return await options.syncChore(chore, signal);
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
