// How much was done, as every face answers it: tasks by status, agent and sprint, and what each week brought.
import * as z from 'zod';
import { byStatus, count, once, text } from '../../core/shapes.ts';

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
