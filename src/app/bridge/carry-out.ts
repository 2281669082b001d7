// One request of a turn's agent, from its raw form to its answer: who asks is known by the secret alone, what is asked
// by the table of operations, and what of it is allowed by the agent's access. Whatever is refused for good is on record and told as an event.
import { createHash, timingSafeEqual } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { SUMMARY_FILE } from '../../core/chore/dream-prompt.ts';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { choreOfThread, dreamOfThread, type TaskId, type TurnId, taskOfThread } from '../../core/ids.ts';
import { parsed } from '../../operations/accept-input.ts';
import { allowOperation } from '../../operations/carry-operation.ts';
import type { Client } from '../../operations/client.ts';
import type { Operation } from '../../operations/operation.ts';
import { BRIDGE_FILES, type BridgeAnswer, toWireError } from '../../remote/wire.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { onDisk } from '../../store/room.ts';
import type { Changed } from '../../tasks/shapes/change.ts';
import type { AgentActor, TaskRoom } from '../../tasks/task-room.ts';

export interface Carrier {
  deps: TaskRoom;
  tasks: Client;
  turn: TurnId;
  /** The bridge's folder. */
  dir: string;
  /** The turn's end is being recorded: it may still look, as its checks do. */
  isOver(): boolean;
  /** The turn's agent is on another machine. */
  isElsewhere?: boolean;
  onTrouble(error: unknown): void;
}

const REQUEST = z.strictObject({
  ...{ key: z.string().regex(/^[0-9a-z]{8,40}$/), token: z.string().max(200) },
  ...{ op: z.string().max(100), input: z.unknown() },
});

// A record, not a log: an agent that asks for ever does not fill the disk.
const MAX_RECORD_BYTES = 256 * 1024;

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * Never rejects: what went wrong is in the answer.
 * @param key of the answer, where the request itself does not tell
 * @param text the request as JSON
 */
export async function carryOut(carrier: Carrier, key: string, text: string): Promise<BridgeAnswer> {
  let op = '?';
  try {
    const request = parseRequest(text);
    op = request.op;
    const turn = assertTurn(carrier, request.token);
    const asked = `${turn.id}:${request.key}`;
    return { key: request.key, ok: true, result: await carry(carrier, turn, op, request.input, asked) };
  } catch (error) {
    if (!(error instanceof RoomError)) carrier.onTrouble(error);
    else if (error.code === 'not_allowed') recordRefusal(carrier, op, error);
    return { key, ok: false, error: toWireError(error) };
  }
}

/**
 * The same for a tool that the runtime calls for the turn's own model: no secret passes, the turn is its own.
 * @throws RoomError as the operation, and `not_allowed`, on record like every refusal
 */
export async function carryForTurn(carrier: Carrier, op: string, input: object): Promise<unknown> {
  const turn = carrier.deps.ledger.turns.get(carrier.turn);
  if (turn?.state !== 'running') throw overNow(carrier.turn);
  try {
    return await carry(carrier, turn, op, input);
  } catch (error) {
    if (isRoomError(error, 'not_allowed')) recordRefusal(carrier, op, error);
    throw error;
  }
}

async function carry(
  carrier: Carrier,
  turn: TurnRecord,
  op: string,
  given: unknown,
  request?: string,
): Promise<unknown> {
  const dream = dreamOfThread(turn.thread);
  // One that is no agent of the room any more still reports.
  const access = carrier.deps.agents().get(turn.agent)?.access ?? 'readonly';
  const who = { kind: 'agent', agent: turn.agent, turn: turn.id } as const;
  const actor: AgentActor = request === undefined ? who : { ...who, request };
  // The summary that a dream reports changes no task.
  const caller = { actor, access: dream === null ? access : 'full' } as const;
  const { operation, input } = await allowOperation(caller, op, given);
  if (operation.needs !== 'read' && carrier.isOver()) throw overNow(turn.id);
  // A job runs beside the room: there the agent of another machine has nothing to run.
  if (carrier.isElsewhere === true && operation.name === 'startJob')
    throw new RoomError('refused', 'a turn on another machine starts no jobs of the room', {
      hint: 'run the command in the turn itself',
    });
  if (dream !== null) return sumUp(carrier, dream, operation, input);
  const result = await carrier.tasks.call(op as never, input as never, actor, true);
  if (operation.needs !== 'read') carrier.deps.ledger.turns.setReported(turn.id);
  return result;
}

function parseRequest(text: string): z.infer<typeof REQUEST> {
  try {
    return parsed(REQUEST, JSON.parse(text));
  } catch (error) {
    if (!isRoomError(error)) throw new RoomError('bad_input', 'the request is not JSON', { cause: error });
    throw new RoomError('bad_input', `the request is malformed: ${error.message}`, { cause: error });
  }
}

/** The turn that a secret belongs to. @throws RoomError `not_allowed` */
function assertTurn({ deps, turn: id }: Carrier, token: string): TurnRecord {
  const turn = deps.ledger.turns.get(id);
  const hash = deps.ledger.turns.tokenHash(id);
  const given = Buffer.from(hashToken(token));
  const fits = hash !== null && timingSafeEqual(given, Buffer.from(hash));
  if (turn === null || !fits)
    throw new RoomError('not_allowed', `this is not the secret of turn ${id}: nothing is done for it`, {
      hint: 'call the taskroom of this turn by the path that its prompt names',
    });
  if (turn.state !== 'running') throw overNow(id);
  return turn;
}

function overNow(turn: TurnId): RoomError {
  return new RoomError('not_allowed', `turn ${turn} is over: what it reports now is not taken`);
}

/** A turn that sums up changes no task: what it reports as progress is its summary, for the loop to put in place. */
function sumUp({ deps, dir }: Carrier, id: TaskId, { name }: Operation, input: unknown): Changed {
  if (name !== 'progress')
    throw new RoomError('not_allowed', `a turn that sums up only reports its summary, it can't ${name}`, {
      hint: 'report it: taskroom progress -',
    });
  const path = join(dir, SUMMARY_FILE);
  onDisk(path, () => {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    writeFileSync(path, (input as { text: string }).text, { mode: 0o600 });
  });
  const task = deps.ledger.tasks.get(id);
  return { id, name: task?.name ?? id, path: task?.path ?? '', changed: true };
}

function recordRefusal({ deps, dir, turn }: Carrier, operation: string, { message }: RoomError): void {
  const thread = deps.ledger.turns.get(turn)?.thread ?? null;
  const id = thread === null ? null : taskOfThread(thread);
  const chore = thread === null ? null : choreOfThread(thread);
  const name = (id === null ? chore : deps.ledger.tasks.get(id)?.name) ?? turn;
  deps.events.emit({ type: 'turn.refused', turn, id, name, operation, message });
  const at = new Date(deps.effects.now()).toISOString();
  try {
    const path = join(dir, BRIDGE_FILES.refused);
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= MAX_RECORD_BYTES) return;
    if (existsSync(dirname(dir))) mkdirSync(dir, { recursive: true, mode: 0o700 });
    appendFileSync(path, `${JSON.stringify({ at, operation, message })}\n`, { mode: 0o600 });
  } catch {
    // The folder may be gone; the event told of it.
  }
}
