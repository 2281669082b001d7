// A room as a turn's agent has it: the operations, carried over the spool of the turn's bridge.
import { join } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import type { TurnId } from '../../core/ids.ts';
import type { Effects } from '../../effects.ts';
import { AT_ONCE } from '../../operations/summaries.ts';
import { createRemoteClient } from '../../remote/remote-client.ts';
import {
  type BridgeAnswer,
  type BridgeRequest,
  fromWireError,
  MAX_REQUEST_BYTES,
  TAKEN_WITHIN_MS,
} from '../../remote/wire.ts';
import type { RoomClient } from '../../runtime.ts';
import { overNow, readCaller, readSecret, turnOfBridge } from './bridge-folder.ts';
import { createSpoolWay, type SpoolWay } from './spool-way.ts';

interface Ways {
  dir: string;
  spool: SpoolWay;
  /** Nobody took the last request: the next one does not wait for that again. */
  isAlone: boolean;
}

/** A read is answered, or fails, within a second. */
const READ_TAKEN_WITHIN_MS = 800;

/**
 * The room over the bridge of a turn. Its secret is read with each call.
 * @param dir absolute path of the bridge's folder
 */
export function openTurnRoom(dir: string, effects: Effects): RoomClient {
  const ways: Ways = { dir, spool: createSpoolWay(dir, effects), isAlone: false };
  return {
    tasks: createRemoteClient((name, input) => send(ways, name, input)),
    caller: { kind: 'agent', agent: '', turn: turnOfBridge(dir) as TurnId },
    here: null,
    turn: () => readCaller(dir),
    close: async () => {},
  };
}

/** A turn serves nothing, and has no other room. */
export function refuseOutside(): never {
  throw new RoomError('not_allowed', 'this works outside a turn only', { hint: 'ask the person to' });
}

async function send(ways: Ways, op: string, input: object): Promise<unknown> {
  const key = newKey();
  const asked: BridgeRequest = { key, token: readSecret(ways.dir, op), op, input };
  const request = JSON.stringify(asked);
  if (Buffer.byteLength(request) > MAX_REQUEST_BYTES)
    throw new RoomError('bad_input', 'that is more than 1 MiB', { hint: 'give a shorter text' });
  const said = await bySpool(ways, op, key, request);
  if (said === 'later') return later(input);
  if (said.ok) return said.result;
  throw fromWireError(said.error);
}

async function bySpool(
  ways: Ways,
  op: string,
  key: string,
  request: string,
): Promise<BridgeAnswer | 'later'> {
  const reads = AT_ONCE.includes(op);
  const takenWithinMs = ways.isAlone ? 0 : reads ? READ_TAKEN_WITHIN_MS : TAKEN_WITHIN_MS;
  const said = await ways.spool.ask(key, request, !reads, takenWithinMs);
  if (said === 'over') throw overNow(ways.dir, op);
  ways.isAlone = said === 'later' || said === 'withdrawn';
  if (said !== 'withdrawn') return said;
  throw new RoomError('unavailable', 'nothing runs the room at the moment, so that it can not be asked', {
    hint: `what this turn was given lies in ${join(ways.dir, '..')}: prompt.md and context.json`,
  });
}

/** What can be said of a change that is carried out when the room runs again. */
function later(input: { ref?: string; title?: string; name?: string }): object {
  const name = input.name ?? input.title ?? input.ref ?? '';
  return { id: null, name, path: '', changed: true, later: true, daemon: false, attic: '' };
}

/** Unique, not secret: the system's random source is slow to load. */
function newKey(): string {
  const now = Math.trunc((performance.timeOrigin + performance.now()) * 1000);
  const chance = Math.trunc(Math.random() * 2 ** 52);
  return `${now.toString(36)}${process.pid.toString(36)}${chance.toString(36)}`.padEnd(20, '0');
}
