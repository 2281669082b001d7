// Calls of operations by name: their types, and the call in the room itself. HTTP and a turn's bridge carry the same call.
import type * as z from 'zod';
import { RoomError } from '../core/errors.ts';
import type { OwnStatuses } from '../core/task/status.ts';
import { type Actor, isAgent, type RoomHandle, titleOfAgent } from '../tasks/task-room.ts';
import { OPERATIONS } from './index.ts';
import type { Operation, Passing } from './operation.ts';

export type { Actor } from '../tasks/task-room.ts';

type Registry = typeof OPERATIONS;
export type OperationName = keyof Registry;
type Declared<Name extends OperationName> = Awaited<ReturnType<Registry[Name]>>;
export type InputOf<Name extends OperationName> = z.input<ReturnType<Declared<Name>['input']>>;
/** The JSON that every face answers. */
export type OutputOf<Name extends OperationName> = z.output<ReturnType<Declared<Name>['output']>>;

/** Rejects with the RoomError of the operation. @param accepted the input needs no parsing */
export type CallOperation = <Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  actor: Actor,
  accepted?: boolean,
  passing?: Passing,
) => Promise<OutputOf<Name>>;

export interface Client {
  call: CallOperation;
  statuses?(): OwnStatuses; // The room's own; absent where the room is elsewhere.
}

/** @throws RoomError `bad_input` for an unknown name */
export async function findOperation(name: string): Promise<Operation> {
  const load = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name as OperationName] : undefined;
  if (load !== undefined) return (await import('./operation.ts')).named({ [name]: await load() })[0]!;
  throw new RoomError('bad_input', `there is no operation ${JSON.stringify(name)}`);
}

/** What no agent may, whatever its access. @throws RoomError `not_allowed` */
export function assertMayCall(actor: Actor, { needs, summary, outsideTurns }: Operation): void {
  const isRefused = needs === 'person' || needs === 'runtime' || (outsideTurns && actor.kind === 'agent');
  if (!isAgent(actor) || !isRefused) return;
  const hint = 'ask the person to';
  throw new RoomError('not_allowed', `${titleOfAgent(actor)} may not ${summary}: that is the person's`, hint);
}

export const createClient = (on: RoomHandle): Client => ({
  statuses: () => on.config().statuses,
  async call(name, given, actor, accepted = false, passing = {}) {
    const found = await findOperation(name);
    // A runner notes in the name of its turn's agent; no caller from outside reaches what only the runtime may.
    if (found.needs !== 'runtime') assertMayCall(actor, found);
    const input = accepted ? given : (await import('./accept-input.ts')).acceptInput(found, given);
    return (await found.run(on, input as never, actor, passing)) as never;
  },
});
