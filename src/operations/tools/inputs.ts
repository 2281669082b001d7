// Parts of tools' inputs that several have.
import * as z from 'zod';
import { DELETED, parseStatus, STATUSES, type Status, saysDeleted } from '../../core/task/status.ts';
import { PRIORITIES } from '../../core/task/task.ts';

export const text = z.string();
export const texts = z.array(z.string());
export const flag = z.boolean();
/** From 0. */
export const index = z.int().min(0);
export const offset = z.int().min(0);
export const priority = z.enum(PRIORITIES);
export const number = z.number();

/** Of a task: in a turn its own is meant when it is left out. */
export const id = z.string().optional();

/** A status in whatever word an agent was trained on; shown as ours. */
export const status = z
  .string()
  .meta({ enum: [...STATUSES] })
  .transform(toStatus);

function toStatus(word: string, context: z.RefinementCtx): Status {
  const found = parseStatus(word);
  if (found !== null) return found;
  context.addIssue({
    code: 'custom',
    message: `unknown status ${JSON.stringify(word)}: ${STATUSES.join(', ')}`,
  });
  return z.NEVER;
}

/** The same where a task may be hidden by it. */
export const statusOrDeleted = z
  .string()
  .meta({ enum: [...STATUSES, DELETED] })
  .transform((word, context): Status | typeof DELETED =>
    saysDeleted(word) ? DELETED : toStatus(word, context),
  );

/** A list, or its text as JSON: some models write the one for the other. */
export function listOf<Item extends z.ZodType>(item: Item, most: number) {
  return z.preprocess(
    (given) => (typeof given === 'string' ? fromJson(given) : given),
    z.array(item).max(most),
  );
}

function fromJson(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    // No JSON: parsing says that a list was expected.
    return given;
  }
}

/** Without what was left out: an operation refuses members that are undefined. */
export function given<Input extends object>(
  input: Input,
): { [Key in keyof Input]: Exclude<Input[Key], undefined> } {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as never;
}
