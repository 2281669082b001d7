// Who calls: the token in the `Authorization` header, or the session in the cookie of this room, looked up by its hash.
import { parse } from 'hono/utils/cookie';
import type { ApiToken } from '../../app/open-room.ts';
import { RoomError } from '../../core/errors.ts';
import { carryOperation } from '../../operations/carry-operation.ts';
import type { Client } from '../../operations/client.ts';
import { createRemoteClient } from '../../remote/remote-client.ts';
import { type Actor, isAgent } from '../../tasks/task-room.ts';
import type { HttpRoom } from '../room/http-room.ts';
import { HttpFault } from './problem.ts';
import type { Caller } from './route.ts';

const MAX_TOKEN = 200;
const ASSISTANT_HEADER = 'x-taskroom-assistant';

/** The name holds the room's id: rooms on one machine share its cookies, whatever their ports. */
export function cookieName(roomId: string): string {
  return `taskroom-${roomId}`;
}

/**
 * @param isChange a cookie alone changes nothing: the request must say that it comes from our own page
 * @throws HttpFault 401, RoomError `not_allowed`
 */
export function callerOf({ api }: HttpRoom, headers: Headers, isChange: boolean): Caller {
  const header = headers.get('authorization');
  const given = header === null ? sessionIn(headers, api.roomId) : bearerIn(header);
  const token = given === null || given.length > MAX_TOKEN ? null : api.tokens.check(given);
  if (token === null) throw unknown(header !== null);
  // A session is the cookie's alone, and a cookie holds nothing else.
  if ((header === null) !== (token.kind === 'session')) throw unknown(true);
  if (header === null && isChange && headers.get('origin') === null)
    throw new RoomError('not_allowed', 'a change by a cookie must say its Origin');
  return { token, actor: narrowed(actorOf(token), headers) };
}

/** The operations of a caller: an assistant's are held to what agents may do. */
export function tasksOf({ runtime }: HttpRoom, { actor }: Caller): Client {
  if (!isAgent(actor)) return runtime.tasks;
  const caller = { actor, access: 'full' as const };
  return createRemoteClient((name, input) => carryOperation(runtime.tasks, caller, name, input));
}

/** The person, or one that they gave a token: an assistant opens no gate and forces nothing. */
function actorOf({ access, name, expiresAt: until }: ApiToken): Actor {
  if (access !== 'full') return { kind: 'assistant', client: name };
  return until === null ? { kind: 'person' } : { kind: 'person', until };
}

/** A client that acts for a person by a model's word says so: then it has an assistant's rights, and its own name. */
function narrowed(actor: Actor, headers: Headers): Actor {
  const client = headers.get(ASSISTANT_HEADER);
  if (client === null || actor.kind !== 'person') return actor;
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(client))
    throw new RoomError('bad_input', `${ASSISTANT_HEADER} is no name of an assistant`, {
      hint: 'up to 40 small letters, digits and dashes',
    });
  return { kind: 'assistant', client };
}

function bearerIn(header: string): string | null {
  return /^bearer +([\w-]+) *$/i.exec(header)?.[1] ?? null;
}

function sessionIn(headers: Headers, roomId: string): string | null {
  const cookies = headers.get('cookie');
  const name = cookieName(roomId);
  return cookies === null ? null : (parse(cookies, name)[name] ?? null);
}

function unknown(wasGiven: boolean): HttpFault {
  const message = wasGiven ? 'this token opens nothing here' : 'a token is needed';
  const hint = 'send the one in .taskroom/token: Authorization: Bearer …';
  return new HttpFault(401, new RoomError('unauthorized', message, { hint }), {
    headers: { 'www-authenticate': 'Bearer realm="taskroom"' },
  });
}
