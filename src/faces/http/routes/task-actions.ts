// What is done to a task beside changing its keys: each is one operation, and answers what came of it.
import * as z from 'zod';
import type { Client } from '../../../operations/client.ts';
import type { Changed } from '../../../tasks/contract/operations.ts';
import { askedAnswer, changedAnswer } from '../../../tasks/shapes/changed.ts';
import type { Actor } from '../../../tasks/task-room.ts';
import { contextAnswer } from '../answers/task-answers.ts';
import { type Route, type RouteNeeds, route } from '../gate/route.ts';
import { onTask, taskVerb } from './task-verb.ts';

type Act<Body> = (tasks: Client, ref: string, body: Body, actor: Actor) => Promise<Changed>;

/** A verb that is one operation on the task. */
function action<Body extends z.ZodType>(
  verb: string,
  about: string,
  body: Body,
  act: Act<z.infer<Body>>,
  needs: RouteNeeds = 'change',
  schema: z.ZodType = changedAnswer(),
): Route {
  const answers = { 200: { about: 'What came of it.', schema } };
  return taskVerb(
    verb,
    { about, group: 'tasks', needs, body, answers },
    async ({ tasks, caller }, ref, said) => ({
      body: await act(tasks, ref, said, caller.actor),
    }),
  );
}

const text = z.string();
const ended = z.strictObject({ outcome: text.optional() });
const completed = ended.extend({
  without_checks: text.optional().meta({ description: 'why it counts whatever its checks say' }),
});

const outcomeOf = (outcome: string | undefined) => (outcome === undefined ? {} : { outcome });

export const TASK_ACTIONS: readonly Route[] = [
  action('complete', 'Finishes a task.', completed, (tasks, ref, { outcome, without_checks }, actor) =>
    tasks.setStatus(ref, 'done', actor, {
      ...outcomeOf(outcome),
      ...(without_checks === undefined ? {} : { withoutChecks: without_checks }),
    }),
  ),
  action(
    'block',
    'Lets a task wait for another one.',
    z.strictObject({ by: text }),
    (tasks, ref, { by }, actor) => tasks.block(ref, by, actor),
  ),
  action(
    'unblock',
    'It waits for that one no more.',
    z.strictObject({ by: text }),
    (tasks, ref, { by }, actor) => tasks.unblock(ref, by, actor),
  ),
  action(
    'answer',
    'Answers what the task waits with. The person alone answers.',
    z.strictObject({
      text,
      question: text.optional().meta({ description: 'its key, where several are open' }),
    }),
    (tasks, ref, { text: said, question }, actor) => tasks.answer(ref, said, actor, question),
    'person',
    askedAnswer(),
  ),
  action(
    'steps',
    'Adds a step.',
    z.strictObject({ title: text, details: text.optional() }),
    (tasks, ref, { title, details }, actor) => tasks.addStep(ref, title, actor, details),
  ),
  route({
    method: 'patch',
    path: '/api/tasks/:ref/steps/:index',
    id: 'editStep',
    about: 'Changes title, details or tick of one step.',
    group: 'tasks',
    needs: 'change',
    params: onTask.extend({ index: z.coerce.number().int().min(0) }),
    body: z.strictObject({ title: text.optional(), details: text.optional(), done: z.boolean().optional() }),
    task: ({ params }) => params.ref,
    answers: { 200: { about: 'What came of it.', schema: changedAnswer() } },
    async run({ tasks, caller }, { params, body }) {
      const change = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      return { body: await tasks.editStep(params.ref, params.index, change, caller.actor) };
    },
  }),
  taskVerb(
    'run',
    {
      ...{ about: 'Asks for a turn now.', group: 'tasks', needs: 'change' },
      body: z.strictObject({ force: z.boolean().optional() }),
      answers: {
        202: {
          about: 'It is asked for.',
          schema: z.strictObject({
            ...{ id: text, name: text, daemon: z.boolean() },
            after: text.nullable().meta({ description: 'the turn that runs now: this one comes after it' }),
          }),
        },
      },
    },
    async ({ tasks, caller }, ref, { force = false }) => {
      return { status: 202, body: await tasks.run(ref, { force }, caller.actor) };
    },
  ),
  route({
    method: 'get',
    path: '/api/tasks/:ref/context',
    id: 'taskContext',
    about: 'What an agent would be given for a turn.',
    group: 'tasks',
    needs: 'look',
    params: onTask,
    task: ({ params }) => params.ref,
    answers: { 200: { about: 'Context and prompt.', schema: contextAnswer } },
    run: async ({ tasks }, { params }) => ({ body: await tasks.context(params.ref) }),
  }),
];
