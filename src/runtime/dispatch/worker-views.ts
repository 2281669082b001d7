// Workers as people see them: who lives, what each has in hand, and when it was seen.
import {
  createDispatchedTable,
  createWorkersTable,
  type WorkerRow,
} from '../../store/ledger/turns/dispatched.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';

export interface WorkerView extends Omit<WorkerRow, 'token'> {
  /** It said that it lives within the last minute. */
  isLive: boolean;
  /** Ids of the turns that it has. */
  turns: string[];
}

/** Longer than between two notes of a worker that lives. */
const LIVE_MS = 60_000;

export function readWorkers({ ledger, effects }: Pick<TaskRoom, 'ledger' | 'effects'>): WorkerView[] {
  const out = createDispatchedTable(ledger.database).out();
  return createWorkersTable(ledger.database)
    .list()
    .map(({ token: _, ...worker }) => ({
      ...worker,
      isLive: effects.now() - worker.seenAt < LIVE_MS,
      turns: out.filter(({ worker: id }) => id === worker.id).map(({ turn }) => turn),
    }));
}
