// Workers as people see them: who lives, what each has in hand, and when it was seen.
import {
  createDispatchedTable,
  createWorkersTable,
  type WorkerRow,
} from '../../store/ledger/turns/dispatched.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { LIVE_MS } from './presence.ts';

export interface WorkerView extends Omit<WorkerRow, 'token' | 'goneAt'> {
  /** It was heard of a moment ago. */
  isLive: boolean;
  /** Ids of the turns that it has. */
  turns: string[];
}

export function readWorkers({ ledger, effects }: Pick<TaskRoom, 'ledger' | 'effects'>): WorkerView[] {
  const out = createDispatchedTable(ledger.database).out();
  return createWorkersTable(ledger.database)
    .list()
    .map(({ token: _, goneAt, ...worker }) => ({
      ...worker,
      isLive: goneAt === null && effects.now() - worker.seenAt < LIVE_MS,
      turns: out.filter(({ worker: id }) => id === worker.id).map(({ turn }) => turn),
    }));
}
