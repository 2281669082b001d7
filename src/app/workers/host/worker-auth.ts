// Whose turn a worker may ask about: its token says for which agents, the ledger says which turns are out, and what the host
// follows says which of them it knows.
import { RoomError } from '../../../core/errors.ts';
import type { WorkerRow } from '../../../store/ledger/turns/jobs.ts';
import type { TurnRecord } from '../../../store/ledger/turns/turns.ts';
import type { ApiToken } from '../../../tasks/room/tokens.ts';
import type { Dispatching, RemoteTurn } from './remote-runner.ts';

export interface WorkerHost extends Dispatching {
  /** What each worker that said hello was told of its agents, and why one of another version is offered nothing. */
  greeted: Map<string, { agents: string; stranger: string | null }>;
}

export function assertOwn(known: WorkerRow | null, token: ApiToken): void {
  if (known !== null && known.token !== token.id)
    throw new RoomError('not_allowed', `worker ${known.name} came with another token`);
}

export function knownWorker({ workers, greeted }: WorkerHost, token: ApiToken, id: string): WorkerRow {
  const worker = workers.get(id);
  if (worker === null || !greeted.has(id))
    throw new RoomError('not_found', 'this worker is not known here', { hint: 'it says hello first' });
  assertOwn(worker, token);
  return worker;
}

/** @throws RoomError `not_allowed` for a turn of an agent that is not the token's, `gone` */
export function runningTurn({ deps, table }: WorkerHost, token: ApiToken, id: string): TurnRecord {
  const turn = deps.ledger.turns.get(id);
  if (turn === null || table.get(id) === null) throw new RoomError('gone', 'there is no such turn');
  if (token.agents !== null && !token.agents.includes(turn.agent))
    throw new RoomError('not_allowed', `this token takes no turns of ${turn.agent}`);
  return turn;
}

/** The turn as this host follows it; one that is told to stop still reports how it ended. @throws RoomError `gone`, `unavailable` */
export function reportingTurn({ remoteTurns }: WorkerHost, turn: TurnRecord): RemoteTurn {
  if (turn.state !== 'running') throw new RoomError('gone', `turn ${turn.id} is over`);
  const remote = remoteTurns.get(turn.id);
  if (remote === undefined) throw new RoomError('unavailable', `turn ${turn.id} is not taken up yet`);
  return remote;
}

/** The same for one that is to go on. */
export function remoteTurnOf(host: WorkerHost, turn: TurnRecord): RemoteTurn {
  const remote = reportingTurn(host, turn);
  if (remote.stop !== null) throw new RoomError('gone', `turn ${turn.id} is over`);
  return remote;
}
