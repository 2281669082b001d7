// What the API answers of tasks, as schemas: the shapes that `--json` prints, told to clients by the OpenAPI document.
import * as z from 'zod';
import { problem as sharedProblem, unreadable as sharedUnreadable } from '../../../core/shapes.ts';
import { keyShapes } from '../../../core/task/key-shapes.ts';
import { STATUSES } from '../../../core/task/status.ts';
import { LISTED_KEYS } from '../../../core/task/task-keys.ts';
import { turnAnswer } from './turn-answers.ts';

const text = z.string();
const instant = z.iso.datetime();
const count = z.int().min(0);

export const problem = sharedProblem();
export const unreadable = sharedUnreadable();

export const whyNot = z
  .strictObject({ reason: text, text, hint: text.nullable() })
  .meta({ id: 'WhyNot', description: 'Why a task has no turn now, and what would change that.' });

const taskFields = {
  ...keyShapes(LISTED_KEYS),
  ...{ name: text, path: text },
  ...{ blocked: z.boolean(), running: text.nullable(), pending: z.boolean(), held: z.boolean() },
  ...{ retry_at: instant.nullable(), parked_until: instant.nullable(), nothing_written: z.boolean() },
  ...{ why_not: whyNot.nullable(), finished_at: instant.nullable() },
  waiting: z.boolean().meta({ description: 'for an answer to a question' }),
};

export const taskAnswer = z
  .strictObject({ ...taskFields, steps: z.strictObject({ done: count, total: count }) })
  .meta({ id: 'Task' });

const stepFields = { title: text, details: text, done: z.boolean(), task: text.nullable() };
const step = z.strictObject(stepFields);
const { budget } = keyShapes(['budget']);

const question = z
  .strictObject({
    ...{ key: text, author: text, at: text, text },
    answers: z.array(
      z.strictObject({ author: text.nullable(), role: text.nullable(), at: text.nullable(), text }),
    ),
  })
  .meta({ id: 'Question' });

const checks = z
  .strictObject({
    commands: z.array(text),
    unconfirmed: z.array(text).meta({ description: 'what the file says that does not count' }),
    last: z
      .strictObject({
        turn: text,
        state: z.enum(['open', 'held', 'passed', 'failed', 'gave_up', 'waived']),
        failures: count,
        results: z.array(
          z.strictObject({
            command: text,
            ended: z.enum(['ok', 'exit', 'timed_out', 'output_limit', 'unstarted', 'stopped']),
            exit_code: z.int().nullable(),
            took_ms: z.number(),
            output: text,
          }),
        ),
      })
      .nullable(),
  })
  .meta({ id: 'Checks' });

const remote = z
  .strictObject({
    ref: text,
    url: text.nullable(),
    chore: text.nullable(),
    state: text.nullable(),
    message: text.nullable(),
  })
  .meta({ id: 'RemoteSide', description: 'The issue that a task mirrors.' });

export const spent = z
  .strictObject({
    turns: count,
    seconds: count,
    input_tokens: count,
    output_tokens: count,
    cost_usd: z.number().nullable(),
  })
  .meta({ id: 'Spent' });

export const detailAnswer = z
  .strictObject({
    ...taskFields,
    thread_id: text.nullable(),
    steps: z.strictObject({ done: count, total: count, list: z.array(step) }),
    ...keyShapes(['resources', 'sort', 'created_by', 'completed_by', 'budget']),
    blockers: z.array(
      z.strictObject({ ref: text, name: text.nullable(), status: z.enum(STATUSES).nullable() }),
    ),
    subtasks: z.array(
      z.strictObject({ id: text, name: text, status: z.enum(STATUSES), owner: text.nullable() }),
    ),
    blocks: z.array(z.strictObject({ id: text, name: text, status: z.enum(STATUSES) })),
    questions: z.array(question),
    odd: z.array(problem),
    remote: remote.nullable(),
    checks: checks.nullable(),
    archived: z.boolean(),
    deleted: z.boolean(),
    comments: z.array(z.strictObject({ author: text, role: text.nullable(), at: text, text })),
    turns: z.array(turnAnswer),
    attempts: count,
    used: spent,
    body: text,
    text: text.meta({ description: 'the whole file' }),
    task_text: text.meta({ description: 'what stands under Task: what `body` of a change replaces' }),
    is_foreign: z.boolean().meta({ description: 'that text is a tracker’s' }),
    sections: z.array(z.strictObject({ name: text, text })).meta({ description: 'the other sections' }),
  })
  .meta({ id: 'TaskDetail' });

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
    today: spent.meta({ description: 'what its turns that began today used' }),
  })
  .meta({ id: 'Agent' });

export const taskListAnswer = z
  .strictObject({
    tasks: z.array(taskAnswer),
    agents: z.array(agentAnswer),
    in_flight: z.array(text).meta({ description: 'ids of the tasks that have a turn now' }),
    turns: z.array(turnAnswer).optional(),
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
  today: spent,
});
