// Handles one request of a turn's agent: the secret tells whose request it is, the agent's access what it may do. A refusal for good is
// recorded beside the turn and emitted as an event.
import { timingSafeEqual } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { SUMMARY_FILE } from '../../core/chore/chore-prompt.ts';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { choreOfThread, summaryOfThread, type TurnId, taskOfThread } from '../../core/ids.ts';
import { parsed } from '../../operations/accept-input.ts';
import { allowOperation } from '../../operations/carry-operation.ts';
import type { Client } from '../../operations/client.ts';
import { type BridgeAnswer, recordRefused, toErrorRecord } from '../../remote/protocol.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { onDisk } from '../../store/room.ts';
import type { AgentActor, TaskRoom } from '../../tasks/task-room.ts';
import { hashToken } from './bridge-folder.ts';

export interface RequestHandler {
  deps: TaskRoom;
  tasks: Client;
  turn: TurnId;
  dir: string;
  isOver(): boolean; // Whether the turn's end is being recorded: it may still read, as its checks do.
  isRemote?: boolean; // Whether the turn's agent is on another machine.
  onTrouble(error: unknown): void;
}

const REQUEST = z.strictObject({
  key: z.string().regex(/^[0-9a-z]{8,40}$/),
  token: z.string().max(200),
  op: z.string().max(100),
  input: z.unknown(),
});

/** Never rejects: what went wrong is in the answer.
 * @param key of an answer that refuses; the request's own may be unreadable
 * @param text the request as JSON */
export async function handleRequest(on: RequestHandler, key: string, text: string): Promise<BridgeAnswer> {
  let op = '?';
  try {
    const request = parseRequest(text);
    op = request.op;
    const turn = turnOfSecret(on, request.token);
    const result = await runOperation(on, turn, op, request.input, `${turn.id}:${request.key}`);
    return { key: request.key, ok: true, result };
  } catch (error) {
    if (isRoomError(error, 'not_allowed')) recordRefusal(on, op, error.message);
    else if (!isRoomError(error)) on.onTrouble(error);
    return { key, ok: false, error: toErrorRecord(error) };
  }
}

/** Handles a tool call of the turn's own model, which the runtime makes itself: no secret is needed.
 * @throws RoomError as the operation, and `not_allowed` */
export async function handleToolCall(on: RequestHandler, op: string, input: object): Promise<unknown> {
  const turn = on.deps.ledger.turns.get(on.turn);
  if (turn?.state !== 'running') throw turnIsOver(on.turn);
  try {
    return await runOperation(on, turn, op, input);
  } catch (error) {
    if (isRoomError(error, 'not_allowed')) recordRefusal(on, op, error.message);
    throw error;
  }
}

async function runOperation(
  on: RequestHandler,
  turn: TurnRecord,
  op: string,
  given: unknown,
  request?: string,
): Promise<unknown> {
  const { deps, dir, tasks } = on;
  const summarized = summaryOfThread(turn.thread);
  // An agent that was removed from the room meanwhile still reports.
  const access = deps.agents().get(turn.agent)?.access ?? 'readonly';
  const actor: AgentActor = { kind: 'agent', agent: turn.agent, turn: turn.id, ...(request && { request }) };
  // A turn that sums up changes no task, so its agent's access does not count.
  const caller = { actor, access: summarized === null ? access : 'full' } as const;
  const { operation, input } = await allowOperation(caller, op, given, () => deps.config().statuses);
  if (operation.needs !== 'read' && on.isOver()) throw turnIsOver(turn.id);
  const hint = 'run the command in the turn itself';
  if (on.isRemote === true && operation.name === 'startJob')
    throw new RoomError('refused', 'a turn on another machine starts no jobs of the room', hint);
  if (summarized === null) {
    const result = await tasks.call(op as never, input as never, actor, true);
    if (operation.needs !== 'read') deps.ledger.turns.setReported(turn.id);
    return result;
  }
  const why = `a turn that sums up only reports its summary, it can't ${operation.name}`;
  if (operation.name !== 'progress')
    throw new RoomError('not_allowed', why, 'report it: taskroom progress -');
  // The loop puts the summary into the task's file when the turn has ended.
  const path = join(dir, SUMMARY_FILE);
  onDisk(path, () => {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    writeFileSync(path, (input as { text: string }).text, { mode: 0o600 });
  });
  const task = deps.ledger.tasks.get(summarized);
  return { id: summarized, name: task?.name ?? summarized, path: task?.path ?? '', changed: true };
}

function parseRequest(text: string): z.infer<typeof REQUEST> {
  try {
    return parsed(REQUEST, JSON.parse(text));
  } catch (error) {
    const why = isRoomError(error) ? `malformed: ${error.message}` : 'not JSON';
    throw new RoomError('bad_input', `the request is ${why}`, { cause: error });
  }
}

/** @throws RoomError `not_allowed` for any secret but that of this turn */
function turnOfSecret({ deps, turn: id }: RequestHandler, token: string): TurnRecord {
  const turn = deps.ledger.turns.get(id);
  const hash = deps.ledger.turns.reporting(id)?.tokenHash ?? null;
  const fits = hash !== null && timingSafeEqual(Buffer.from(hashToken(token)), Buffer.from(hash));
  const hint = 'call the taskroom of this turn by the path that its prompt names';
  if (turn === null || !fits)
    throw new RoomError('not_allowed', `this is not the secret of turn ${id}: nothing is done for it`, hint);
  if (turn.state !== 'running') throw turnIsOver(id);
  return turn;
}

const turnIsOver = (turn: TurnId) =>
  new RoomError('not_allowed', `turn ${turn} is over: what it reports now is not taken`);

function recordRefusal({ deps, dir, turn }: RequestHandler, operation: string, message: string): void {
  const thread = deps.ledger.turns.get(turn)?.thread ?? null;
  const id = thread && taskOfThread(thread);
  const name = (id ? deps.ledger.tasks.get(id)?.name : thread && choreOfThread(thread)) ?? turn;
  deps.events.emit({ type: 'turn.refused', turn, id, name, operation, message });
  recordRefused(dir, { at: new Date(deps.effects.now()).toISOString(), operation, message });
}
