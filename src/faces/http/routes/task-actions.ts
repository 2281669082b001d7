// What is done to a task beside changing its keys: each is one operation, and answers what came of it.
import * as z from 'zod';
import type { Client } from '../../../operations/client.ts';
import type { Changed } from '../../../tasks/contract/operations.ts';
import { changedAnswer } from '../../../tasks/shapes/changed.ts';
import type { Actor } from '../../../tasks/task-room.ts';
import type { Route, RouteNeeds } from '../gate/route.ts';
import { taskVerb } from './task-verb.ts';

type Act<Body> = (tasks: Client, ref: string, body: Body, actor: Actor) => Promise<Changed>;

/** A verb that is one operation on the task. */
function action<Body extends z.ZodType>(
  verb: string,
  about: string,
  body: Body,
  act: Act<z.infer<Body>>,
  needs: RouteNeeds = 'change',
): Route {
  const answers = { 200: { about: 'What came of it.', schema: changedAnswer() } };
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
];
