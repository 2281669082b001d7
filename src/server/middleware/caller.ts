// The caller and what its token allows. The token comes in the `Authorization` header, or as the session in the room's cookie.
import { parse } from 'hono/utils/cookie';
import type { ApiToken } from '../../app/open-room.ts';
import { RoomError } from '../../core/errors.ts';
import { taskOfThread } from '../../core/ids.ts';
import { carryOperation } from '../../operations/carry-operation.ts';
import type { Client } from '../../operations/client.ts';
import { createRemoteClient } from '../../remote/remote-client.ts';
import { type Actor, isAgent } from '../../tasks/task-room.ts';
import type { HttpRoom } from '../room/http-room.ts';
import { HttpFault } from './problem.ts';
import type { Caller, Route, RouteNeeds } from './route.ts';

const MAX_TOKEN = 200;
const ASSISTANT_HEADER = 'x-taskroom-assistant';
const COMMAND_HEADER = 'x-taskroom-command'; // The same in requests that are one command of a person.

/** Rooms on one machine share cookies, whatever their ports, so the name has the room's id. */
export const cookieName = (roomId: string) => `taskroom-${roomId}`;

/** @param isChange a change by a cookie must give its Origin @throws HttpFault 401, RoomError `not_allowed` */
export function callerOf({ api }: HttpRoom, headers: Headers, isChange: boolean): Caller {
  const header = headers.get('authorization');
  const name = cookieName(api.roomId);
  const given =
    header === null
      ? parse(headers.get('cookie') ?? '', name)[name]
      : /^bearer +([\w-]+) *$/i.exec(header)?.[1];
  const token = given === undefined || given.length > MAX_TOKEN ? null : api.tokens.check(given);
  // A session comes in the cookie only, and a cookie holds only a session.
  if (token === null || (header === null) !== (token.kind === 'session')) {
    const message = header === null && token === null ? 'a token is needed' : 'this token opens nothing here';
    throw new HttpFault(401, 'unauthorized', message, {
      hint: 'send the one in .taskroom/token: Authorization: Bearer …',
      headers: { 'www-authenticate': 'Bearer realm="taskroom"' },
    });
  }
  if (header === null && isChange && headers.get('origin') === null)
    throw new RoomError('not_allowed', 'a change by a cookie must say its Origin');
  const actor = actorOf(token, headers.get(ASSISTANT_HEADER));
  const command = headers.get(COMMAND_HEADER)?.slice(0, MAX_TOKEN);
  return { token, actor: actor.kind === 'person' && command ? { ...actor, command } : actor };
}

/** Whether the request has a caller. @param orFalse false throws HttpFault 401 in the place of answering */
export function hasSession(room: HttpRoom, headers: Headers, orFalse = true): boolean {
  try {
    callerOf(room, headers, false);
    return true;
  } catch (error) {
    if (orFalse && error instanceof HttpFault && error.status === 401) return false;
    throw error;
  }
}

/** The operations of a caller; an assistant may do what agents may. */
export function tasksOf({ runtime }: HttpRoom, { actor }: Caller): Client {
  if (!isAgent(actor)) return runtime.tasks;
  const caller = { actor, access: 'full' as const };
  return createRemoteClient((name, input) => carryOperation(runtime.tasks, caller, name, input));
}

/** @param assistant the name of a client that acts for a person by a model: it has the rights of an assistant */
function actorOf({ access, name, expiresAt: until }: ApiToken, assistant: string | null): Actor {
  if (access !== 'full') return { kind: 'assistant', client: name };
  if (assistant === null) return until === null ? { kind: 'person' } : { kind: 'person', until };
  if (/^[a-z0-9][a-z0-9-]{0,39}$/.test(assistant)) return { kind: 'assistant', client: assistant };
  const hint = 'up to 40 small letters, digits and dashes';
  throw new RoomError('bad_input', `${ASSISTANT_HEADER} is no name of an assistant`, hint);
}

/** @throws RoomError `not_allowed` for a kind of route that the token has no use of */
export function assertMayAsk(route: Route, { token, actor }: Caller): void {
  const { needs, task } = route;
  if (token.tasks !== null && task === undefined) throw notOfTasks(route, token.tasks);
  const access = token.access === 'full' && actor.kind !== 'person' ? 'assistant' : token.access;
  if (allows(access, needs)) return;
  if (needs === 'worker') throw notAllowed(route, "that is a worker's", ' <name> --worker');
  throw notAllowed(route, REFUSED[access]);
}

const REFUSED: Readonly<Record<ApiToken['access'], string>> = {
  full: "that is the person's",
  assistant: "this token is an assistant's, and that is the person's",
  readonly: 'this token only looks',
  worker: 'this token takes turns for a worker, and sees nothing else',
};

function allows(access: ApiToken['access'], needs: RouteNeeds): boolean {
  if (needs === 'worker' || access === 'worker') return needs === access;
  if (needs === 'look') return true;
  return needs === 'change' ? access !== 'readonly' : access === 'full';
}

/** @throws RoomError `not_allowed` for a task that is not the token's, `not_found`, `ambiguous` */
export async function assertOwnTask(room: HttpRoom, route: Route, { token }: Caller, input: unknown) {
  const { task } = route;
  if (token.tasks === null || task === undefined || task === 'any') return;
  const ref = await task(input as never, room);
  const id = ref === null ? null : (await room.runtime.tasks.call('show', { ref }, room.runtime.caller)).id;
  if (id === null || !token.tasks.includes(id)) throw notOfTasks(route, token.tasks);
}

/** The task of a turn; null for a chore's. @throws RoomError `not_found`, `ambiguous` */
export const taskOfTurn = async ({ runtime }: HttpRoom, turn: string): Promise<string | null> =>
  taskOfThread((await runtime.tasks.call('showTurn', { turn }, runtime.caller)).thread);

function notOfTasks(route: Route, tasks: readonly string[]): RoomError {
  const what = `${tasks.length === 1 ? 'task' : 'tasks'} ${tasks.join(', ')}`;
  return notAllowed(route, `this token is for ${what} alone`);
}

const notAllowed = ({ method, path }: Route, message: string, which = ''): RoomError =>
  new RoomError('not_allowed', message, {
    hint: `${method.toUpperCase()} ${path} needs another token: taskroom token new${which}`,
  });
