// What the token of a request allows: which kind of route, and of which tasks.
import { RoomError } from '../../core/errors.ts';
import { taskOfThread } from '../../core/ids.ts';
import type { HttpRoom } from '../room/http-room.ts';
import type { Caller, Route, RouteNeeds } from './route.ts';

/** @throws RoomError `not_allowed` */
export function assertMayAsk(
  { needs, task, method, path }: Pick<Route, 'needs' | 'task' | 'method' | 'path'>,
  caller: Caller,
): void {
  const { token } = caller;
  if (token.tasks !== null && task === undefined)
    throw notAllowed(`this token is for ${describeTasks(token.tasks)} alone`, method, path);
  const access = token.access === 'full' && caller.actor.kind !== 'person' ? 'assistant' : token.access;
  if (allows(access, needs)) return;
  if (needs === 'worker') throw notAllowed("that is a worker's", method, path, ' <name> --worker');
  throw notAllowed(REFUSED[access], method, path);
}

const REFUSED: Readonly<Record<Caller['token']['access'], string>> = {
  full: "that is the person's",
  assistant: "this token is an assistant's, and that is the person's",
  readonly: 'this token only looks',
  worker: 'this token takes turns for a worker, and sees nothing else',
};

function allows(access: Caller['token']['access'], needs: RouteNeeds): boolean {
  if (needs === 'worker' || access === 'worker') return needs === access;
  if (needs === 'look') return true;
  return needs === 'change' ? access !== 'readonly' : access === 'full';
}

/** @throws RoomError `not_allowed` for a task that is not the token's, `not_found`, `ambiguous` */
export async function assertOwnTask(
  room: HttpRoom,
  { task, method, path }: Pick<Route, 'task' | 'method' | 'path'>,
  { token }: Caller,
  input: unknown,
): Promise<void> {
  if (token.tasks === null || task === undefined || task === 'any') return;
  const ref = await task(input as never, room);
  const { id } =
    ref === null ? { id: null } : await room.runtime.tasks.call('show', { ref }, room.runtime.caller);
  if (id === null || !token.tasks.includes(id))
    throw notAllowed(`this token is for ${describeTasks(token.tasks)} alone`, method, path);
}

/** The task of a turn; null for a chore's. @throws RoomError `not_found`, `ambiguous` */
export async function taskOfTurn({ runtime }: HttpRoom, turn: string): Promise<string | null> {
  return taskOfThread((await runtime.tasks.call('showTurn', { turn }, runtime.caller)).thread);
}

function describeTasks(tasks: readonly string[]): string {
  return tasks.length === 1 ? `task ${tasks[0]}` : `tasks ${tasks.join(', ')}`;
}

function notAllowed(message: string, method: string, path: string, which = ''): RoomError {
  return new RoomError('not_allowed', message, {
    hint: `${method.toUpperCase()} ${path} needs another token: taskroom token new${which}`,
  });
}
