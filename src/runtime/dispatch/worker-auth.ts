// Whose turn a worker may ask about: its token says for which agents, the ledger says which turns are out, and what the host
// follows says which of them it knows.
import { RoomError } from '../../core/errors.ts';
import type { WorkerRow, WorkersTable } from '../../store/ledger/turns/jobs.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { ApiToken } from '../../tasks/tokens/tokens.ts';
import type { Applying } from './apply-report.ts';
import type { Branches } from './branches.ts';
import type { Dispatching } from './remote-runner.ts';
import type { RemoteTurn } from './remote-turns.ts';

export interface WorkerHostOptions extends Dispatching, Omit<Applying, 'branches'> {
  branches: Branches;
  workers: WorkersTable;
  roomId: string;
  /** Name of the variable that holds the queue's address. */
  variable: string;
  /** What is wrong with a worker; null once it is not. */
  onWorkerTrouble(worker: string, trouble: string | null): void;
}

export interface WorkerHost extends WorkerHostOptions {
  /** Workers of another version than this host, by id: why they are offered nothing. */
  strangers: Map<string, string>;
  /** The agents each worker was told, to tell it when they are others. */
  told: Map<string, string>;
}

export function assertOwn(known: WorkerRow | null, token: ApiToken): void {
  if (known !== null && known.token !== token.id)
    throw new RoomError('not_allowed', `worker ${known.name} came with another token`);
}

export function knownWorker({ workers, told }: WorkerHost, token: ApiToken, id: string): WorkerRow {
  const worker = workers.get(id);
  if (worker === null || !told.has(id))
    throw new RoomError('not_found', 'this worker is not known here', { hint: 'it says hello first' });
  assertOwn(worker, token);
  return worker;
}

/** @throws RoomError `not_allowed` for a turn of an agent that is not the token's, `not_found`, `gone` */
export function runningTurn({ deps, table }: WorkerHost, token: ApiToken, id: string): TurnRecord {
  const turn = deps.ledger.turns.get(id);
  const row = table.get(id);
  if (turn === null || row === null) throw new RoomError('gone', 'there is no such turn');
  if (token.agents !== null && !token.agents.includes(turn.agent))
    throw new RoomError('not_allowed', `this token takes no turns of ${turn.agent}`);
  return turn;
}

/** The turn as this host follows it. @throws RoomError `gone`, also for one that is to stop; `unavailable` */
export function remoteTurnOf(host: WorkerHost, turn: TurnRecord): RemoteTurn {
  const remote = reportingTurn(host, turn);
  if (remote.stop !== null) throw new RoomError('gone', `turn ${turn.id} is over`);
  return remote;
}

/** A turn that is told to stop still reports how it ended. */
export function reportingTurn({ remoteTurns }: WorkerHost, turn: TurnRecord): RemoteTurn {
  const remote = remoteTurns.get(turn.id);
  if (turn.state !== 'running') throw new RoomError('gone', `turn ${turn.id} is over`);
  if (remote === null) throw new RoomError('unavailable', `turn ${turn.id} is not taken up yet`);
  return remote;
}
