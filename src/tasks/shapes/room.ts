// How a room stands, as every face shows it.
import * as z from 'zod';
import {
  byStanding,
  byStatus,
  count,
  instant,
  list,
  named,
  optional,
  orNull,
  problem,
  text,
  titleIfAny,
  unreadable,
} from '../../core/shapes.ts';
import { STATUSES } from '../../core/task/status.ts';
import { newStep } from './change.ts';
import { whyNot } from './task.ts';
import { noticeAnswer, spent, turnAnswer, workersShape } from './turn.ts';

const namedTask = () => ({ id: text().nullable(), name: text(), title: titleIfAny(), path: text() });
const retry = () => z.strictObject({ ...namedTask(), at: instant().nullable() });

export const statusAnswer = named('RoomStatus', () => ({
  room: text('its folder'),
  daemon: z
    .strictObject({ pid: z.int(), host: text(), command: text(), since: instant().nullable() })
    .nullable(),
  counts: byStatus().meta({ description: 'of the files that can be read' }),
  standing: byStanding().meta({ description: 'the same tasks by how they stand; each counts once' }),
  running: z.array(turnAnswer()),
  ended: list(turnAnswer(), 'since the person last looked'),
  notices: z.array(noticeAnswer()),
  waiting: z.array(
    z.strictObject({
      agent: orNull(text(), 'null for the room'),
      until: instant().nullable(),
      why: z.enum(['usage_limit', 'budget']),
      text: text(),
      taken_by: orNull(text(), 'who takes its turns meanwhile'),
      tasks: count('how many wait for it'),
    }),
  ),
  today: spent(),
  pending: z.array(z.strictObject(namedTask())),
  held: z.array(z.strictObject(namedTask())),
  stuck: list(z.strictObject({ ...namedTask(), why_not: whyNot() }), 'due, but for want of an agent'),
  retries: list(retry(), 'the soonest first'),
  next_retry: retry().nullable(),
  trouble: z.array(z.strictObject({ message: text(), hint: text().nullable() })),
  inbox: count(),
  invalid: z.array(unreadable()),
  problems: z.array(z.strictObject({ ...problem().shape, text: text('all of it on one line') })),
  workers: workersShape()
    .shape.workers.optional()
    .meta({ description: 'on other machines; with what follows, of a room whose turns run there' }),
  places: workersShape().shape.places.unwrap().optional(),
  unserved: workersShape().shape.unserved.optional(),
  queue: z.strictObject({ answers: z.boolean(), trouble: text().nullable() }).optional(),
}));

export type RoomStatus = z.output<ReturnType<typeof statusAnswer>>;

// How much was done, as every face answers it: tasks by status, agent and sprint, and what each week brought.

const taskCounts = () => z.strictObject({ open: count(), done: count(), canceled: count() });
const turnCounts = () =>
  z.strictObject({
    ...{ turns: count(), failed: count(), ms: z.number() },
    ...{ input_tokens: z.number(), output_tokens: z.number(), cost_usd: z.number() },
  });
const syncCounts = () => z.strictObject({ syncs: count(), failed: count(), requests: count() });

export const statsAnswer = named('Figures', () => ({
  status: byStatus().meta({ description: 'files in tasks/' }),
  archived: count('finished tasks that were archived or deleted since'),
  agents: list(
    z.strictObject({ agent: text(), tasks: taskCounts(), turns: turnCounts() }),
    'by owner, a task without one for the default agent; turns of the weeks below',
  ),
  sprints: list(
    z.strictObject({ sprint: text().nullable(), tasks: taskCounts() }),
    'in alphabetical order; tasks without a sprint come last, as null',
  ),
  weeks: list(
    z.strictObject({
      ...{ week: text(), from: text(), done: count(), canceled: count(), turns: turnCounts() },
      sync: syncCounts().meta({ description: 'a day belongs to the week in which it begins, in UTC' }),
    }),
    'the oldest first; a task that was finished twice counts twice',
  ),
}));

export type Stats = z.output<ReturnType<typeof statsAnswer>>;
export type TaskCounts = z.output<ReturnType<typeof taskCounts>>;
export type TurnCounts = z.output<ReturnType<typeof turnCounts>>;
export type SyncCounts = z.output<ReturnType<typeof syncCounts>>;

export const planName = () => text('the name of its file, with or without folder and .md');

const fields = () => ({
  name: text('of its file, without .md: what `artifact:` of its tasks says'),
  title: text().nullable(),
  path: text(),
  stage: text(),
  owner: text().nullable(),
  sprint: text().nullable(),
  scope: text().nullable(),
  created_by: text().nullable(),
  steps: count(),
  tasks: z
    .strictObject({ done: count(), total: count() })
    .meta({ description: 'those its steps are linked to' }),
  problem: orNull(text(), 'why no tasks could be made of it'),
});

export const newPlan = () => ({
  name: text(),
  title: optional(text(), 'where it differs from the name'),
  body: optional(text(), 'stands above its steps'),
  steps: optional(z.array(newStep()), 'titles, of at most 60 characters each'),
  stage: optional(text(), '`draft` when absent; with `final` its tasks are made'),
  owner: optional(text(), 'who takes its tasks'),
  sprint: optional(text(), 'of its tasks'),
  scope: optional(text(), 'of its tasks'),
});

export type NewPlan = z.output<z.ZodObject<ReturnType<typeof newPlan>>>;

export const plan = named('Plan', fields);

export const planDetail = named('PlanDetail', () => ({
  ...fields(),
  step_list: z.array(
    z.strictObject({
      ...{ title: text(), details: text(), done: z.boolean(), task: text().nullable() },
      status: orNull(z.enum(STATUSES), 'of its task'),
    }),
  ),
  text: text('the whole file'),
}));

export type PlanJson = z.output<ReturnType<typeof plan>>;

export const planChanged = named('PlanChanged', () => ({
  ...{ name: text(), path: text(), stage: text(), changed: z.boolean() },
  made: list(z.strictObject({ id: text(), name: text() }), 'tasks that were made of its steps now'),
}));

export type PlanChanged = z.output<ReturnType<typeof planChanged>>;

export function planChangeLines({ name, path, made }: PlanChanged, said: string): string[] {
  const tasks = made.length === 0 ? '' : `, ${made.length} ${made.length === 1 ? 'task' : 'tasks'} made`;
  return [`${name} ${said}: ${path}${tasks}`, ...made.map((task) => `${task.id} ${task.name}`)];
}
