// The operations that are not declared yet by their names, for commands on other machines: input and answer are those of taskroom's
// own code.
import * as z from 'zod';
import { PLACES } from '../../../operations/places.ts';
import { carryOperation } from '../../../operations/table/carry-operation.ts';
import { OPERATIONS, type OperationEntry } from '../../../operations/table/operation-table.ts';
import { isAgent } from '../../../tasks/task-room.ts';
import { taskOfTurn } from '../gate/rights.ts';
import type { Exchange, Route, RouteNeeds } from '../gate/route.ts';
import { namedOperation } from './named-operation.ts';

const NEEDS: Readonly<Record<Exclude<OperationEntry['needs'], 'runtime'>, RouteNeeds>> = {
  read: 'look',
  write: 'change',
  comment: 'change',
  create: 'change',
  person: 'person',
};

export const OPERATION_ROUTES: readonly Route[] = [...OPERATIONS.values()].flatMap((entry) =>
  entry.needs === 'runtime' || entry.name in PLACES ? [] : [routeOf(entry, NEEDS[entry.needs])],
);

function routeOf(entry: OperationEntry, needs: RouteNeeds): Route {
  const { name, input } = entry;
  const said = namedOperation(name, needs, input, (on, body) => carry(on, entry, body));
  // One that names a task is open to a token for that task, and one that names a turn to a token for its task.
  if (name === 'turn')
    return { ...said, task: ({ body }, room) => taskOfTurn(room, (body as Refs).ref ?? '') };
  if (name === 'output')
    return { ...said, task: ({ body }, room) => taskOfTurn(room, (body as Refs).turn ?? '') };
  return takesRef(input) ? { ...said, task: ({ body }) => (body as Refs).ref ?? null } : said;
}

interface Refs {
  ref?: string;
  turn?: string;
}

function takesRef(input: z.ZodType): boolean {
  return input instanceof z.ZodObject && 'ref' in input.shape && !('by' in input.shape);
}

/** The person may do what the table has; an assistant is held to what agents may. */
async function carry(
  { room, caller }: Exchange,
  { name, run }: OperationEntry,
  input: unknown,
): Promise<unknown> {
  const { actor } = caller;
  const { tasks } = room.runtime;
  if (isAgent(actor)) return carryOperation(tasks, { actor, access: 'full' }, name, input);
  return (await run(tasks, input, actor)) ?? null;
}
