// How a room stands, as every face shows it.
import * as z from 'zod';
import {
  byStanding,
  byStatus,
  count,
  instant,
  once,
  problem,
  text,
  titleIfAny,
  unreadable,
} from '../../core/shapes.ts';
import { STATUSES } from '../../core/task/status.ts';
import { whyNot } from './task.ts';
import { noticeAnswer, spent, turnAnswer, workersShape } from './turn.ts';

const named = () => ({ id: text().nullable(), name: text(), title: titleIfAny(), path: text() });
const retry = () => z.strictObject({ ...named(), at: instant().nullable() });

export const statusAnswer = once(() =>
  z
    .strictObject({
      room: text().meta({ description: 'its folder' }),
      daemon: z
        .strictObject({ pid: z.int(), host: text(), command: text(), since: instant().nullable() })
        .nullable(),
      counts: byStatus().meta({ description: 'of the files that can be read' }),
      standing: byStanding().meta({ description: 'the same tasks by how they stand; each counts once' }),
      running: z.array(turnAnswer()),
      ended: z.array(turnAnswer()).meta({ description: 'since the person last looked' }),
      notices: z.array(noticeAnswer()),
      waiting: z.array(
        z.strictObject({
          agent: text().nullable().meta({ description: 'null for the room' }),
          until: instant().nullable(),
          why: z.enum(['usage_limit', 'budget']),
          text: text(),
          taken_by: text().nullable().meta({ description: 'who takes its turns meanwhile' }),
          tasks: count().meta({ description: 'how many wait for it' }),
        }),
      ),
      today: spent(),
      pending: z.array(z.strictObject(named())),
      held: z.array(z.strictObject(named())),
      stuck: z
        .array(z.strictObject({ ...named(), why_not: whyNot() }))
        .meta({ description: 'due, but for want of an agent' }),
      retries: z.array(retry()).meta({ description: 'the soonest first' }),
      next_retry: retry().nullable(),
      trouble: z.array(z.strictObject({ message: text(), hint: text().nullable() })),
      inbox: count(),
      invalid: z.array(unreadable()),
      problems: z.array(
        z.strictObject({
          ...problem().shape,
          text: text().meta({ description: 'all of it on one line' }),
        }),
      ),
      workers: workersShape()
        .shape.workers.optional()
        .meta({ description: 'on other machines; with what follows, of a room whose turns run there' }),
      places: workersShape().shape.places.unwrap().optional(),
      unserved: workersShape().shape.unserved.optional(),
      queue: z.strictObject({ answers: z.boolean(), trouble: text().nullable() }).optional(),
    })
    .meta({ id: 'RoomStatus' }),
);

export type RoomStatus = z.output<ReturnType<typeof statusAnswer>>;

// How much was done, as every face answers it: tasks by status, agent and sprint, and what each week brought.

const taskCounts = () => z.strictObject({ open: count(), done: count(), canceled: count() });
const turnCounts = () =>
  z.strictObject({
    ...{ turns: count(), failed: count(), ms: z.number() },
    ...{ input_tokens: z.number(), output_tokens: z.number(), cost_usd: z.number() },
  });
const syncCounts = () => z.strictObject({ syncs: count(), failed: count(), requests: count() });

export const statsAnswer = once(() =>
  z
    .strictObject({
      status: byStatus().meta({ description: 'files in tasks/' }),
      archived: count().meta({ description: 'finished tasks that were archived or deleted since' }),
      agents: z.array(z.strictObject({ agent: text(), tasks: taskCounts(), turns: turnCounts() })).meta({
        description: 'by owner, a task without one for the default agent; turns of the weeks below',
      }),
      sprints: z
        .array(z.strictObject({ sprint: text().nullable(), tasks: taskCounts() }))
        .meta({ description: 'in alphabetical order; tasks without a sprint come last, as null' }),
      weeks: z
        .array(
          z.strictObject({
            ...{ week: text(), from: text(), done: count(), canceled: count(), turns: turnCounts() },
            sync: syncCounts().meta({ description: 'a day belongs to the week in which it begins, in UTC' }),
          }),
        )
        .meta({ description: 'the oldest first; a task that was finished twice counts twice' }),
    })
    .meta({ id: 'Figures' }),
);

export type Stats = z.output<ReturnType<typeof statsAnswer>>;
export type TaskCounts = z.output<ReturnType<typeof taskCounts>>;
export type TurnCounts = z.output<ReturnType<typeof turnCounts>>;
export type SyncCounts = z.output<ReturnType<typeof syncCounts>>;

// Plans as every face answers them.

export const planName = () =>
  text().meta({ description: 'the name of its file, with or without folder and .md' });

const fields = () => ({
  name: text().meta({ description: 'of its file, without .md: what `artifact:` of its tasks says' }),
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
  problem: text().nullable().meta({ description: 'why no tasks could be made of it' }),
});

export const plan = once(() => z.strictObject(fields()).meta({ id: 'Plan' }));

export const planDetail = once(() =>
  z
    .strictObject({
      ...fields(),
      step_list: z.array(
        z.strictObject({
          ...{ title: text(), details: text(), done: z.boolean(), task: text().nullable() },
          status: z.enum(STATUSES).nullable().meta({ description: 'of its task' }),
        }),
      ),
      text: text().meta({ description: 'the whole file' }),
    })
    .meta({ id: 'PlanDetail' }),
);

export type PlanJson = z.output<ReturnType<typeof plan>>;

/** What a change of a plan came to. */
export const planChanged = once(() =>
  z
    .strictObject({
      ...{ name: text(), path: text(), stage: text(), changed: z.boolean() },
      made: z
        .array(z.strictObject({ id: text(), name: text() }))
        .meta({ description: 'tasks that were made of its steps now' }),
    })
    .meta({ id: 'PlanChanged' }),
);

export type PlanChanged = z.output<ReturnType<typeof planChanged>>;

export function planChangeLines({ name, path, made }: PlanChanged, said: string): string[] {
  const tasks = made.length === 0 ? '' : `, ${made.length} ${made.length === 1 ? 'task' : 'tasks'} made`;
  return [`${name} ${said}: ${path}${tasks}`, ...made.map((task) => `${task.id} ${task.name}`)];
}
