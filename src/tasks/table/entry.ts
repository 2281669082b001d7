// One operation as data: its name, the shape of its input, what it needs of whoever asks, and its run; and the inputs that
// several have.
import * as z from 'zod';
import { STATUSES } from '../../core/task/status.ts';
import { PRIORITIES } from '../../core/task/task.ts';
import { SORT_KEYS } from '../contract/list-shapes.ts';
import type { Operations } from '../contract/operations.ts';
import type { Actor } from '../task-room.ts';

/**
 * What an operation needs: to look; to change a task; to comment on one; to make one. What needs the person is done for
 * nobody else, what needs the runtime for nothing that reports.
 */
export type OperationNeeds = 'read' | 'write' | 'comment' | 'create' | 'person' | 'runtime';

export interface OperationEntry {
  name: keyof Operations;
  /** Unknown members are refused. */
  input: z.ZodType;
  needs: OperationNeeds;
  /**
   * @param input as `input` parsed it
   * @returns plain data: what JSON can say
   */
  run(operations: Operations, input: unknown, actor: Actor): Promise<unknown>;
}

/** Checks that name, input and run fit each other. */
export function operation<Name extends keyof Operations, Input extends z.ZodType>(
  name: Name,
  needs: OperationNeeds,
  input: Input,
  run: (operations: Operations, input: z.infer<Input>, actor: Actor) => Promise<unknown>,
): OperationEntry & { name: Name } {
  return { name, needs, input, run: (operations, given, actor) => run(operations, given as never, actor) };
}

export const text = z.string();
/** An id, a unique prefix of one, or a file name. */
export const ref = z.string();
export const none = z.strictObject({});
export const onTask = z.strictObject({ ref });
export const count = z.int().min(0);
export const status = z.enum(STATUSES);
export const priority = z.enum(PRIORITIES);
export const entry = z.strictObject({ ref, text, key: text.exactOptional() });

/** A key is a turn's own: none can stand in the way of another's entry. */
export function ownKey(actor: Actor, key: string | undefined): string | undefined {
  return key === undefined || actor.kind !== 'agent' ? key : `${actor.turn}:${key}`;
}

export const listFilter = z.strictObject({
  status: z.array(status).exactOptional(),
  owner: text.exactOptional(),
  label: text.exactOptional(),
  sprint: text.exactOptional(),
  priority: z.array(priority).exactOptional(),
  parent: text.exactOptional(),
  text: text.exactOptional(),
  sort: z.enum(SORT_KEYS).exactOptional(),
  limit: count.exactOptional(),
  ready: z.boolean().exactOptional(),
});

export const newTask = z.strictObject({
  name: text,
  body: text.exactOptional(),
  title: text.exactOptional(),
  status: status.exactOptional(),
  owner: text.exactOptional(),
  requester: text.exactOptional(),
  priority: priority.exactOptional(),
  labels: z.array(text).exactOptional(),
  blockedBy: z.array(text).exactOptional(),
  parent: text.exactOptional(),
  sprint: text.exactOptional(),
  artifact: text.exactOptional(),
  scope: text.exactOptional(),
  sort: z.number().exactOptional(),
});

export const step = z.strictObject({ title: text, details: text, done: z.boolean(), task: text.nullable() });
