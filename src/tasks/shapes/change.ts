// A change of a task as every face answers it: of which task, and what it came to.
import * as z from 'zod';
import type { TaskId } from '../../core/ids.ts';
import {
  flag,
  givenId,
  named,
  once,
  optional,
  orNull,
  priority,
  ref,
  status,
  statusOrDeleted,
  taskId,
  text,
  titleIfAny,
  words,
} from '../../core/shapes.ts';
import { STATUSES } from '../../core/task/status.ts';
import { factsOf, INPUT_KEYS, type InputKey, type TASK_KEYS } from '../../core/task/task-keys.ts';

export const entryInput = () =>
  z.strictObject({ ref: ref(), text: text(), key: optional(text(), 'the same again adds nothing') });

export type EntryInput = z.output<ReturnType<typeof entryInput>>;

const fields = () => ({
  name: text(),
  title: titleIfAny(),
  path: text(),
  changed: flag('false when the file already said so'),
  status: optional(z.enum(STATUSES), 'what it says now, where that matters to whoever asked'),
  paused: z.boolean().exactOptional(),
  now: optional(
    z.record(text(), text().nullable()),
    'what the keys that were set say now, tasks by their names; null for one that is gone',
  ),
  deferred: optional(z.literal(true), 'it was edited meanwhile, and one more turn follows'),
  unreached: optional(
    z.array(z.strictObject({ who: text(), what: text(), how: text() })),
    'it stands in the file and will not reach the issue `who`: why, and what to do',
  ),
  later: optional(z.literal(true), 'it is done when something runs the room'),
  awaits_checks: optional(z.array(text()), 'it counts when these commands pass'),
});

const attic = () => text('where the file of a deleted task lies now');

export const changedAnswer = named('Changed', () => ({
  id: givenId(),
  ...fields(),
  attic: attic().exactOptional(),
}));

export const questionChanged = once(() =>
  changedAnswer()
    .extend({ question: text('its key, unique in its task') })
    .meta({ id: 'QuestionChanged' }),
);

export const removedAnswer: () => z.ZodType<Removed> = named('Removed', () => ({
  id: orNull(taskId(), 'null for a file that never had one'),
  ...fields(),
  attic: attic(),
  subtasks: z.lazy(() => z.array(removedAnswer())).exactOptional(),
}));

export type Changed = z.output<ReturnType<typeof changedAnswer>>;
export type QuestionChanged = z.output<ReturnType<typeof questionChanged>>;

export interface Removed extends Omit<Changed, 'id' | 'attic'> {
  id: TaskId | null;
  attic: string;
  subtasks?: Removed[]; // Its subtasks that went with it, deepest first; absent when there were none.
}

// What a new task may say, in whatever way it is made.

export const newStep = <More extends z.core.$ZodLooseShape = Record<never, never>>(more?: More) =>
  text()
    .transform((title) => ({ title }))
    .or(z.strictObject({ title: text(), details: optional(text()), done: optional(flag()), ...more! }));

const newResource = () =>
  text().or(
    z.strictObject({
      kind: z.enum(['url', 'file']),
      value: text(),
      label: text().nullable().exactOptional(),
    }),
  );

/** Keys as callers give them. */
const GIVEN = {
  ...{ line: text, date: text, agent: text, task: text, number: () => z.number(), priority },
  ...{ tasks: () => words(text()), list: () => words(text()) },
};

/** Of the keys that are inputs, those that are left out being left as they are. */
export function keyInputs() {
  return Object.fromEntries(
    INPUT_KEYS.map((key) => {
      const { kind, input } = factsOf(key);
      return [key, optional(GIVEN[kind as keyof typeof GIVEN](), input!)];
    }),
  ) as unknown as {
    [K in InputKey]: z.ZodExactOptional<ReturnType<(typeof GIVEN)[(typeof TASK_KEYS)[K]['kind']]>>;
  };
}

export const newTask = () => ({
  title: optional(text(), 'what it is called; its file is named after it'),
  name: optional(text(), 'what its file is called, and without a title the task too'),
  description: optional(text(), 'what is to be done; stands under Task'),
  status: status().exactOptional(),
  ...keyInputs(),
  steps: optional(z.array(newStep()).max(200), 'titles of its steps'),
  resources: optional(z.array(newResource()), 'URLs and files'),
  requester: optional(text(), 'who asks for it'),
  created_by: optional(text(), 'who made it'),
});

export type NewTask = z.output<z.ZodObject<ReturnType<typeof newTask>>>;

// What may be changed of a task at once.

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
  description: optional(text(), 'what is to be done: the whole text under Task'),
  status: optional(statusOrDeleted(), 'deleted moves its file to the attic'),
  paused: z.boolean().exactOptional(),
  progress: optional(text(), 'a dated entry under Progress'),
  outcome: optional(text(), 'a dated entry under Outcome'),
  ...nullable(keyInputs()),
  keys: optional(
    z.record(text(), keyValue()),
    'any other keys of the front matter; an empty value takes one away',
  ),
});

export type TaskChange = z.output<z.ZodObject<ReturnType<typeof taskChange>>>;

// One of several changes that are made together.

/** At most so many changes a call (C2). */
export const MAX_BULK = 25;

export const bulkChange = () => {
  const { paused: _, ...changes } = taskChange();
  return z.discriminatedUnion('do', [
    z.strictObject({ do: z.literal('create'), ...newTask() }),
    z.strictObject({ do: z.literal('update'), ref: ref(), ...changes }),
    z.strictObject({ do: z.literal('complete'), ref: ref(), outcome: text().exactOptional() }),
    z.strictObject({ do: z.literal('delete'), ref: ref() }),
  ]);
};

export type BulkChange = z.output<ReturnType<typeof bulkChange>>;
