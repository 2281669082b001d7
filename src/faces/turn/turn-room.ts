// A room as a turn's agent has it: the operations, carried over the spool of the turn's bridge. Everything else of a runtime
// works outside a turn only, and says so.
import { join } from 'node:path';
import type { Access } from '../../core/config/agent-config.ts';
import { RoomError } from '../../core/errors.ts';
import { createEventBus } from '../../core/events.ts';
import type { TurnId } from '../../core/ids.ts';
import { hasLevel } from '../../core/rules/access.ts';
import { type Effects, sleep } from '../../effects.ts';
import type { Client } from '../../operations/client.ts';
import { AT_ONCE } from '../../operations/summaries.ts';
import type { ToolCaller } from '../../operations/tools/tool.ts';
import { createRemoteOperations, READS } from '../../remote/remote-operations.ts';
import {
  type BridgeAnswer,
  type BridgeRequest,
  fromWireError,
  MAX_REQUEST_BYTES,
  TAKEN_WITHIN_MS,
} from '../../remote/wire.ts';
import type { Runtime } from '../../runtime.ts';
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
export function openTurnRoom(dir: string, effects: Effects): Runtime {
  const ways: Ways = { dir, spool: createSpoolWay(dir, effects), isAlone: false };
  const turn = turnOfBridge(dir) as TurnId;
  const refused = (): never => {
    throw new RoomError('not_allowed', `this works outside a turn only, and this is turn ${turn}`, {
      hint: 'ask the person to',
    });
  };
  const tasks = createRemoteOperations((name, input) => send(ways, name, input));
  return {
    tasks,
    caller: { kind: 'agent', agent: '', turn },
    toolCaller: async ({ access }) => toolCallerOf(tasks, dir, access, effects),
    close: async () => {},
    events: createEventBus(() => undefined),
    get room() {
      return refused();
    },
    config: refused,
    agents: refused,
    problems: refused,
    lacks: async () => null,
    boardLink: async () => refused(),
    api: async () => refused(),
    live: async () => refused(),
    placeOf: refused,
    // Whose output it is, the settings say, which a turn does not read: it sees the bytes.
    outputReader: async () => null,
    holder: refused,
    trouble: refused,
    startPulse: async () => refused(),
  };
}

/** A turn serves nothing, and has no other room. */
export function refuseOutside(): never {
  throw new RoomError('not_allowed', 'this works outside a turn only', { hint: 'ask the person to' });
}

/** Its tools are those of the turn's agent, or fewer when fewer are asked for; what it may do the other end decides. */
function toolCallerOf(tasks: Client, dir: string, wanted: Access, effects: Effects): ToolCaller {
  const { agent, task, access, programs } = readCaller(dir);
  return {
    tasks,
    actor: { kind: 'agent', agent, turn: turnOfBridge(dir) as TurnId },
    access: hasLevel(wanted, 'full') || access === 'minimal' ? access : wanted,
    task,
    agent,
    programs: programs && hasLevel(wanted, 'full'),
    sleep: (ms) => sleep(effects, ms),
  };
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
  const reads = (READS as readonly string[]).includes(op) || AT_ONCE.includes(op);
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
