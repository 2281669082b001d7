// What the API answers of tasks, as schemas: the shapes that `--json` prints, told to clients by the OpenAPI document.
import * as z from 'zod';
import { problem as sharedProblem, unreadable as sharedUnreadable } from '../../../core/shapes.ts';
import { keyShapes } from '../../../core/task/key-shapes.ts';
import { STATUSES } from '../../../core/task/status.ts';
import { taskRow } from '../../../tasks/shapes/task.ts';
import { spent, turnAnswer } from '../../../tasks/shapes/turn.ts';

const text = z.string();
const instant = z.iso.datetime();
const count = z.int().min(0);

export const problem = sharedProblem();
export const unreadable = sharedUnreadable();

const { budget } = keyShapes(['budget']);

export const agentAnswer = z
  .strictObject({
    id: text,
    name: text,
    runner: text,
    access: text,
    is_default: z.boolean(),
    waits_until: instant.nullable(),
    taken_by: text.nullable(),
    limit: z.int().nullable().meta({ description: 'turns of it at once' }),
    preset: text.nullable(),
    model: text.nullable(),
    fallback: text.nullable().meta({ description: 'who takes over while it must wait' }),
    budget: budget.meta({ description: 'what its turns of a day may use' }),
    today: spent().meta({ description: 'what its turns that began today used' }),
  })
  .meta({ id: 'Agent' });

export const taskListAnswer = z
  .strictObject({
    tasks: z.array(taskRow()),
    agents: z.array(agentAnswer),
    in_flight: z.array(text).meta({ description: 'ids of the tasks that have a turn now' }),
    turns: z.array(turnAnswer()).optional(),
    invalid: z.array(unreadable),
    odd: z.array(unreadable),
    total: count,
    next_offset: count.nullable(),
  })
  .meta({ id: 'TaskList' });

export const statsAnswer = z.strictObject({
  counts: z.record(z.enum(STATUSES), count),
  total: count,
  invalid: count,
  pending: count,
  held: count,
  retrying: count,
  today: spent(),
});
