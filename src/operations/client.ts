// How operations are called by name: the types of what each takes and answers, and the call in the room itself. The same call is
// carried by HTTP and by a turn's bridge.
import type * as z from 'zod';
import { RoomError } from '../core/errors.ts';
import type { OperationPorts } from '../tasks/room-handle.ts';
import type { Actor, TaskRoom } from '../tasks/task-room.ts';
import { OPERATIONS } from './index.ts';
import type { Operation, Passing } from './operation.ts';

export type { Actor } from '../tasks/task-room.ts';

type Registry = typeof OPERATIONS;
export type OperationName = keyof Registry;
type Declared<Name extends OperationName> = Awaited<ReturnType<Registry[Name]>>;
/** What a caller gives. */
export type InputOf<Name extends OperationName> = z.input<ReturnType<Declared<Name>['input']>>;
/** The JSON that every face answers. */
export type OutputOf<Name extends OperationName> = z.output<ReturnType<Declared<Name>['output']>>;

/**
 * Rejects with the RoomError that the operation failed with.
 * @param accepted the input fits as it is: it was made of what the operation declares, or taken in already
 */
export type CallOperation = <Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  actor: Actor,
  accepted?: boolean,
  passing?: Passing,
) => Promise<OutputOf<Name>>;

/** The operations of a room, for whoever is not in it. */
export interface Client {
  call: CallOperation;
}

/** @throws RoomError `bad_input` for a name there is none of */
export async function findOperation(name: string): Promise<Operation> {
  const load = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name as OperationName] : undefined;
  if (load !== undefined) return (await import('./operation.ts')).named({ [name]: await load() })[0]!;
  throw new RoomError('bad_input', `there is no operation ${JSON.stringify(name)}`);
}

/** The operations in the room itself, for whoever is let in there. @param ports what they need of daemons and processes */
export function createClient(deps: TaskRoom, ports: OperationPorts): Client {
  const on = { deps, ports };
  return {
    async call(name, given, actor, accepted = false, passing = {}) {
      const found = await findOperation(name);
      const input = accepted ? given : (await import('./accept-input.ts')).acceptInput(found, given);
      return (await found.run(on, input as never, actor, passing)) as never;
    },
  };
}
