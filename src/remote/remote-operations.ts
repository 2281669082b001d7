// The operations on tasks for a caller elsewhere: each call is handed on by name and input, and whoever carries it out
// knows who asks. No validation and no packages here; the table at the other end has both.
import type { Actor, Client } from '../operations/client.ts';
import type { TaskList } from '../tasks/contract/operations.ts';
import { inSteps } from './in-steps.ts';

/** Client that change nothing: one that nobody carries out now is of no use later. */
export const READS = ['list', 'listAsJson', 'overview'] as const satisfies readonly (keyof Client)[];

/** Carries one operation out elsewhere. Rejects with the RoomError that it failed with. */
export type Send = (name: string, input: object, signal?: AbortSignal, actor?: Actor) => Promise<unknown>;

/** What an operation answers is the room's own: its caller says what it is. */
type Call = (name: keyof Client, input?: object) => Promise<never>;

/** The `Client` that `send` carries. Who calls the other end knows; `send` is told all the same. */
export function createRemoteOperations(send: Send): Client {
  const call: Call = (name, input = {}) => send(name, withoutUndefined(input)) as Promise<never>;
  return {
    list: async (filter) => listOf(await call('list', { filter })),
    // Of single tasks only `list` tells.
    listAsJson: async (ids) => (ids === undefined ? call('listAsJson') : null),
    overview: () => call('overview'),
    call: (name, input, actor, _accepted, { signal } = {}) =>
      inSteps(withoutUndefined(input), (asked) => send(name, asked, signal, actor)) as Promise<never>,
  };
}

type WireList = Omit<TaskList, 'whyNot'> & { whyNot?: Entries };

function listOf({ whyNot, ...list }: WireList): TaskList {
  return { ...list, ...(whyNot === undefined ? {} : { whyNot: new Map(whyNot) }) };
}

type Entries = [
  string,
  NonNullable<TaskList['whyNot']> extends ReadonlyMap<string, infer Why> ? Why : never,
][];

/** JSON says nothing of them, and the other end refuses what it does not know. */
function withoutUndefined<Input extends object>(input: Input): Input {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Input;
}
