// What a new task may say, in whatever way it is made.
import * as z from 'zod';
import { priority, status, text, words } from '../../core/shapes.ts';

/** A step as callers give it: its title alone, or with more. */
export const newStep = () =>
  text()
    .transform((title) => ({ title }))
    .or(
      z.strictObject({ title: text(), details: text().exactOptional(), done: z.boolean().exactOptional() }),
    );

const newResource = () =>
  text().or(
    z.strictObject({
      kind: z.enum(['url', 'file']),
      value: text(),
      label: text().nullable().exactOptional(),
    }),
  );

/** Where a task belongs, who takes it, and what it waits for. */
export const taskPlaces = () => ({
  owner: text().exactOptional().meta({ description: 'the agent that takes it' }),
  priority: priority().exactOptional().meta({ description: 'high, medium or low' }),
  labels: words(text()).exactOptional().meta({ description: 'words to find it by' }),
  blocked_by: words(text()).exactOptional().meta({ description: 'tasks it waits for' }),
  parent: text().exactOptional().meta({ description: 'the task it is a part of' }),
  sprint: text().exactOptional().meta({ description: 'the sprint it belongs to' }),
  artifact: text().exactOptional().meta({ description: 'the document in artifacts/ that it comes from' }),
  scope: text().exactOptional().meta({ description: 'the set of tasks it belongs to' }),
  sort: z.number().exactOptional().meta({ description: 'its place among others: the smaller, the earlier' }),
});

export const newTask = () => ({
  title: text().exactOptional().meta({ description: 'what it is called; its file is named after it' }),
  name: text()
    .exactOptional()
    .meta({ description: 'what its file is called, and without a title the task too' }),
  description: text().exactOptional().meta({ description: 'what is to be done; stands under Task' }),
  status: status().exactOptional(),
  ...taskPlaces(),
  due: text().exactOptional().meta({ description: 'a date, such as 2026-12-24' }),
  active_form: text().exactOptional().meta({ description: 'what is being done, shown while it runs' }),
  steps: z.array(newStep()).max(200).exactOptional().meta({ description: 'titles of its steps' }),
  resources: z.array(newResource()).exactOptional().meta({ description: 'URLs and files' }),
  requester: text().exactOptional().meta({ description: 'who asks for it' }),
  created_by: text().exactOptional().meta({ description: 'who made it' }),
});

export type NewTask = z.output<z.ZodObject<ReturnType<typeof newTask>>>;
