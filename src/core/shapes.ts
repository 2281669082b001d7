// Parts of what operations take and answer.
import * as z from 'zod';
import { unknownWord } from './document/suggest.ts';
import type { TaskId, TurnId } from './ids.ts';
import { once } from './plain-data.ts';
import type { Priority } from './task/status.ts';
import { cleanStatus, DELETED, PRIORITIES, STANDINGS, STATUSES } from './task/status.ts';

export { once } from './plain-data.ts';

/** @param description of what it is, as help and documents show it; the same of the others here */
export const text = (description?: string) => described(z.string(), description);
export const count = (description?: string) => described(z.int().min(0), description);
export const flag = (description?: string) => described(z.boolean(), description);
export const titleIfAny = () => text('where it has one beside its name').exactOptional();
export const ref = (description = 'id, unique prefix of an id, file name or title') => text(description);

/** It may be left out; `undefined` is refused. */
export const optional = <Schema extends z.ZodType>(schema: Schema, description?: string) =>
  described(schema.exactOptional(), description);

export const orNull = <Schema extends z.ZodType>(schema: Schema, description?: string) =>
  described(schema.nullable(), description);

export const list = <Item extends z.ZodType>(item: Item, description?: string) =>
  described(z.array(item), description);

/** An object of the API, by the name that its documents have for it; made at the first call. */
export const named = <Members extends z.ZodRawShape>(id: string, members: () => Members, about?: string) =>
  once(() => described(z.strictObject(members()).meta({ id }), about));

const described = <Schema extends z.ZodType>(schema: Schema, description: string | undefined): Schema =>
  description === undefined ? schema : (schema.meta({ description }) as Schema);

export const taskId = () => z.string() as unknown as z.ZodType<TaskId>;
/** The id of a task that may be made later; null until then. */
export const givenId = () => z.string().nullable() as unknown as z.ZodType<TaskId>;
export const turnId = () => z.string() as unknown as z.ZodType<TurnId>;
/** ISO 8601, in UTC. */
export const instant = () => z.iso.datetime();
/** One of these, in whatever word `read` knows; shown as ours. */
const word = <Word extends string>(
  what: string,
  words: readonly Word[],
  read: (typed: string) => Word | null,
) =>
  text()
    .meta({ enum: [...words] })
    .transform((typed, context): Word => {
      const found = read(typed);
      if (found !== null) return found;
      const { message, hint } = unknownWord(what, typed, words);
      context.addIssue({ code: 'custom', message, params: { hint } });
      return z.NEVER;
    });

const statusShapes = once(() => z.registry());
/** Marks a schema of status words: where they are listed, a room's own statuses stand among them. */
export function ofStatuses<Schema extends z.ZodType>(schema: Schema): Schema {
  statusShapes().add(schema, {});
  return schema;
}
export const isOfStatuses = (schema: z.core.$ZodType): boolean => statusShapes().has(schema);

/** Any word: which statuses of its own a room has is known there. */
export const status = (words: readonly string[] = STATUSES) =>
  ofStatuses(text().meta({ enum: [...words] })).transform(cleanStatus);
export const statusOrDeleted = () => status([...STATUSES, DELETED]);
export const priority = () =>
  word<Priority>(
    'priority',
    PRIORITIES,
    (typed) => PRIORITIES.find((each) => each === typed.trim().toLowerCase()) ?? null,
  );
// Made when first asked for: a small command loads no schemas.
const listsOfWords = once(() => z.registry());

/** A list that may also be one text, with commas between its items. */
export const words = <Item extends z.ZodType>(item: Item): z.ZodArray<Item> =>
  z.array(item).register(listsOfWords(), {});

export const isWords = (schema: unknown): boolean => listsOfWords().has(bare(schema) as z.ZodType);

/** What a member is, absent or null or not. */
export function bare(schema: unknown): unknown {
  const wraps = [z.ZodOptional, z.ZodExactOptional, z.ZodNullable];
  return wraps.some((kind) => schema instanceof kind) ? bare((schema as z.ZodOptional).unwrap()) : schema;
}

export const byStanding = () => z.record(z.enum(STANDINGS), count());
export const byStatus = () => z.record(z.enum(STATUSES), count());

export const problem = named(
  'Problem',
  () => ({
    ...{ path: text(), line: z.int(), col: z.int(), message: text() },
    ...{ expected: text().exactOptional(), hint: text().exactOptional() },
  }),
  'A place in a file and what is wrong there.',
);

export const unreadable = named(
  'Unreadable',
  () => ({ path: text(), problems: z.array(problem()) }),
  'A file, and why it can not be read as it is.',
);
