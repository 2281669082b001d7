// What may be changed of a task at once.
import * as z from 'zod';
import { statusOrDeleted, text } from '../../core/shapes.ts';
import { taskPlaces } from './new-task.ts';

const nullable = <Members extends Record<string, z.ZodExactOptional>>(members: Members) =>
  Object.fromEntries(
    Object.entries(members).map(([key, member]) => [
      key,
      (member.unwrap() as z.ZodType)
        .nullable()
        .exactOptional()
        .meta(member.meta() ?? {}),
    ]),
  ) as unknown as {
    [Key in keyof Members]: Members[Key] extends z.ZodExactOptional<infer Inner>
      ? z.ZodExactOptional<z.ZodNullable<Inner>>
      : never;
  };

const keyValue = () => z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]);

/** What is not named stays; null takes a key away. */
export const taskChange = () => ({
  ...nullable({ title: text().exactOptional() }),
  description: text().exactOptional().meta({ description: 'what is to be done: the whole text under Task' }),
  status: statusOrDeleted().exactOptional().meta({ description: 'deleted moves its file to the attic' }),
  paused: z.boolean().exactOptional(),
  progress: text().exactOptional().meta({ description: 'a dated entry under Progress' }),
  outcome: text().exactOptional().meta({ description: 'a dated entry under Outcome' }),
  ...nullable({ ...taskPlaces(), due: text().exactOptional(), active_form: text().exactOptional() }),
  keys: z
    .record(text(), keyValue())
    .exactOptional()
    .meta({ description: 'any other keys of the front matter; an empty value takes one away' }),
});

export type TaskChange = z.output<z.ZodObject<ReturnType<typeof taskChange>>>;
