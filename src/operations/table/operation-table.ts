// Every operation as data: its name, the shape of its input, what it needs of whoever asks, and its run. What carries
// operations from elsewhere (a turn's bridge, MCP, HTTP) carries these, never command lines.

import { acceptInput } from '../accept-input.ts';
import { ALL as DECLARED } from '../all.ts';
import type { Client } from '../client.ts';
import type { Operation } from '../operation.ts';
import type { OperationEntry } from './entry.ts';
import { READING } from './reading.ts';

export type { OperationEntry } from './entry.ts';

/** By name. */
export const OPERATIONS: ReadonlyMap<string, OperationEntry> = new Map(
  [...READING, ...DECLARED.map((each) => entryOf(each as unknown as Operation))].map((each) => [
    each.name,
    each as OperationEntry,
  ]),
);

function entryOf(operation: Operation): OperationEntry {
  const { name, summary, needs, level, input, outsideTurns } = operation;
  return {
    ...{ name, what: summary, needs, input: input() },
    ...(outsideTurns && { outsideTurns }),
    accept: (given) => acceptInput(operation, given),
    level: (given) => (typeof level === 'string' ? level : level(given as never)),
    run: (operations, given, actor) =>
      (operations as Client).call(name as never, given as never, actor, true),
  };
}
