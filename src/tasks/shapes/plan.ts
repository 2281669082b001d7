// Plans as every face answers them.
import * as z from 'zod';
import { count, once, text } from '../../core/shapes.ts';
import { STATUSES } from '../../core/task/status.ts';

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

/** The same in words. */
export function toldPlan(
  { name, path, made }: z.output<ReturnType<typeof planChanged>>,
  said: string,
): string[] {
  const tasks = made.length === 0 ? '' : `, ${made.length} ${made.length === 1 ? 'task' : 'tasks'} made`;
  return [`${name} ${said}: ${path}${tasks}`, ...made.map((task) => `${task.id} ${task.name}`)];
}
