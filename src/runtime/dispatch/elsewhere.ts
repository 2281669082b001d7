// Where the turns of a room run that go to workers, as people see it: who lives, who has which turn, and what is missing.
// Read from the ledger alone: nobody asks PostgreSQL to show a status.
import { createDispatchedTable, createWorkersTable } from '../../store/ledger/turns/dispatched.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { readWorkers, type WorkerView } from './worker-views.ts';

export interface Elsewhere {
  /** Those that were seen within a day, by name. */
  workers: WorkerView[];
  /** Of each turn that runs, the name of its worker; null while it waits for one. */
  places: ReadonlyMap<string, string | null>;
  /** Agents of the room that no living worker can run. */
  unserved: string[];
}

export function readElsewhere(deps: Pick<TaskRoom, 'ledger' | 'effects' | 'agents'>): Elsewhere {
  const { database } = deps.ledger;
  const workers = readWorkers(deps);
  const names = new Map(
    createWorkersTable(database)
      .list()
      .map(({ id, name }) => [id, name]),
  );
  const out = createDispatchedTable(database).out();
  const served = new Set(
    workers.filter(({ isLive, trouble }) => isLive && trouble === null).flatMap(({ agents }) => agents),
  );
  return {
    workers,
    places: new Map(out.map(({ turn, worker }) => [turn, worker && (names.get(worker) ?? worker)])),
    unserved: [...deps.agents().keys()].filter((agent) => !served.has(agent)),
  };
}
