// One operation as data: its name, the shape of its input, what it needs of whoever asks and from which level of access on
// agents have it, and its run; and the inputs that several have.
import * as z from 'zod';
import type { Level } from '../../core/rules/access.ts';
import { PRIORITIES } from '../../core/task/priority.ts';
import { STATUSES } from '../../core/task/status.ts';
import { SORT_KEYS } from '../../tasks/contract/list-shapes.ts';
import type { Actor } from '../../tasks/task-room.ts';
import type { Client } from '../client.ts';
import type { Needs } from '../operation.ts';

export interface OperationEntry {
  name: string;
  /** What it does, in words that follow `may not`. */
  what?: string;
  /** Unknown members are refused. */
  input: z.ZodType;
  needs: Needs;
  outsideTurns?: true;
  /** Takes in what came, where that is more than `input` parses. @throws RoomError `bad_input` */
  accept?(given: unknown): unknown;
  /** Least level of an agent's access that has it, for this input as `input` parsed it. */
  level(input: unknown): Level;
  /**
   * @param input as `input` parsed it
   * @returns plain data: what JSON can say
   */
  run(operations: Client, input: unknown, actor: Actor): Promise<unknown>;
}

/** Checks that name, input, level and run fit each other. @param level where it hangs on the input, a function of it */
export function operation<Name extends keyof Client, Input extends z.ZodType>(
  name: Name,
  needs: Needs,
  level: Level | ((input: z.infer<Input>) => Level),
  input: Input,
  run: (operations: Client, input: z.infer<Input>, actor: Actor) => Promise<unknown>,
): OperationEntry & { name: Name } {
  return {
    name,
    needs,
    level: (given) => (typeof level === 'string' ? level : level(given as never)),
    input,
    run: (operations, given, actor) => run(operations, given as never, actor),
  };
}

export const text = z.string();
/** An id, a unique prefix of one, or a file name. */
export const ref = z.string();
export const none = z.strictObject({});
export const onTask = z.strictObject({ ref });
export const count = z.int().min(0);
export const status = z.enum(STATUSES);
export const priority = z.enum(PRIORITIES);

export const listFilter = z.strictObject({
  status: z.array(status).exactOptional(),
  owner: text.exactOptional(),
  label: text.exactOptional(),
  sprint: text.exactOptional(),
  artifact: text.exactOptional(),
  scope: text.exactOptional(),
  priority: z.array(priority).exactOptional(),
  parent: text.exactOptional(),
  text: text.exactOptional(),
  sort: z.enum(SORT_KEYS).exactOptional(),
  limit: count.exactOptional(),
  ready: z.boolean().exactOptional(),
});
