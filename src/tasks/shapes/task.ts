// A task as every face shows it: a row of a list, and all of it.
import * as z from 'zod';
import { pullRequest } from '../../core/review-shapes.ts';
import { count, instant, once, problem, taskId, text, titleIfAny, turnId } from '../../core/shapes.ts';
import { keyShapes } from '../../core/task/key-shapes.ts';
import { STATUSES } from '../../core/task/status.ts';
import { LISTED_KEYS } from '../../core/task/task-keys.ts';
import { spent, turnAnswer } from './turn.ts';

export const whyNot = once(() =>
  z
    .strictObject({ reason: text(), text: text(), hint: text().nullable() })
    .meta({ id: 'WhyNot', description: 'Why a task has no turn now, and what would change that.' }),
);

const status = () => z.enum(STATUSES);
const name = text;

const fields = () => ({
  ...keyShapes(LISTED_KEYS),
  id: taskId().nullable().meta({ description: 'null until the runtime has given one' }),
  ...{ name: name(), path: text() },
  blocked: z.boolean().meta({ description: 'an open task with a blocker that is not done' }),
  running: turnId().nullable().meta({ description: 'the turn that runs now' }),
  pending: z.boolean().meta({ description: 'a turn is asked for' }),
  held: z.boolean().meta({ description: 'it waits for `taskroom run --all`' }),
  retry_at: instant().nullable().meta({ description: 'when a failed turn is tried again' }),
  parked_until: instant().nullable().meta({
    description:
      "its turn is asked for and waits until then, for its agent's usage limit or a budget of the day",
  }),
  nothing_written: z
    .boolean()
    .meta({ description: 'its last turn ended well and wrote nothing, and it is open' }),
  why_not: whyNot().nullable(),
  finished_at: instant().nullable().meta({ description: 'when it was seen to be done or canceled' }),
  waiting: z.boolean().meta({ description: 'for an answer to a question' }),
});

export const taskRow = once(() =>
  z
    .strictObject({
      ...fields(),
      steps: z.strictObject({ done: count(), total: count() }),
      archived: z.boolean().exactOptional(),
    })
    .meta({ id: 'Task' }),
);

export type TaskRow = z.output<ReturnType<typeof taskRow>>;

export const question = once(() =>
  z
    .strictObject({
      ...{ key: text(), author: text() },
      at: text().meta({ description: '`YYYY-MM-DD HH:MM` in UTC' }),
      text: text(),
      answers: z
        .array(
          z.strictObject({
            author: text().nullable().meta({ description: 'null for what was typed by hand' }),
            ...{ role: text().nullable(), at: text().nullable(), text: text() },
          }),
        )
        .meta({ description: 'empty while it is open' }),
    })
    .meta({ id: 'Question' }),
);

const checks = once(() =>
  z
    .strictObject({
      commands: z.array(text()),
      unconfirmed: z.array(text()).meta({ description: 'what the file says that does not count' }),
      last: z
        .strictObject({
          turn: text(),
          state: z.enum(['open', 'held', 'passed', 'failed', 'gave_up', 'waived']),
          failures: count(),
          results: z.array(
            z.strictObject({
              command: text(),
              ended: z.enum(['ok', 'exit', 'timed_out', 'output_limit', 'unstarted', 'stopped']),
              ...{ exit_code: z.int().nullable(), took_ms: z.number(), output: text() },
            }),
          ),
        })
        .nullable()
        .meta({ description: 'of the newest turn that had checks' }),
    })
    .meta({ id: 'Checks' }),
);

const remote = once(() =>
  z
    .strictObject({
      ...{ ref: text(), url: text().nullable() },
      chore: text().nullable().meta({ description: 'that governs the mirror; null when nothing follows it' }),
      ...{ state: text().nullable(), message: text().nullable() },
    })
    .meta({ id: 'RemoteSide', description: 'The issue that a task mirrors.' }),
);

const detail = () => ({
  ...fields(),
  thread_id: text().nullable(),
  steps: z.strictObject({
    ...{ done: count(), total: count() },
    list: z.array(
      z.strictObject({ title: text(), details: text(), done: z.boolean(), task: text().nullable() }),
    ),
  }),
  ...keyShapes(['resources', 'created_by', 'completed_by', 'budget']),
  blockers: z.array(
    z.strictObject({
      ...{ ref: text(), name: text().nullable(), title: titleIfAny(), status: status().nullable() },
    }),
  ),
  subtasks: z
    .array(
      z.strictObject({
        id: text(),
        name: name(),
        title: titleIfAny(),
        status: status(),
        owner: text().nullable(),
      }),
    )
    .meta({ description: 'those whose `parent` it is, and those its steps are linked to' }),
  blocks: z
    .array(z.strictObject({ id: text(), name: name(), title: titleIfAny(), status: status() }))
    .meta({ description: 'the tasks that wait for it' }),
  archived: z.boolean(),
  deleted: z.boolean().meta({ description: 'this is what the attic or the history kept of it' }),
  comments: z.array(z.strictObject({ author: text(), role: text().nullable(), at: text(), text: text() })),
  questions: z.array(question()),
  turns: z.array(turnAnswer()).meta({ description: 'pending ones first, then the newest; jobs among them' }),
  attempts: count(),
  used: spent().meta({ description: 'since it began, or was last resumed' }),
  odd: z.array(problem()).meta({ description: 'what in its file is read as text, and may have meant more' }),
  remote: remote().nullable(),
  pull_request: pullRequest().nullable(),
  checks: checks().nullable(),
  body: text(),
  text: text().meta({ description: 'the whole file' }),
  task_text: text().meta({ description: 'what stands under Task: what `body` of a change replaces' }),
  is_foreign: z.boolean().meta({ description: 'that text is a tracker’s' }),
  sections: z
    .array(z.strictObject({ name: text(), text: text() }))
    .meta({ description: 'the other sections' }),
});

export const taskDetail = once(() => z.strictObject(detail()).meta({ id: 'TaskDetail' }));

export type QuestionView = z.output<ReturnType<typeof question>>;
export type TaskDetail = z.output<ReturnType<typeof taskDetail>>;
