// Tools by which an agent speaks: to whom follows a task, and to its person.
import * as z from 'zod';
import { changeText } from './answers.ts';
import { id, text } from './inputs.ts';
import { meant, tool } from './tool.ts';

export const NOTIFY_USER = tool(
  'notify_user',
  'readonly',
  'Tell the person something that can not wait until they look at the task.',
  z.strictObject({ text, id }),
  async ({ tasks, actor, task }, { text: words, id: ref = task ?? undefined }) => {
    await tasks.notify(words, actor, ref === undefined ? {} : { ref });
    return 'The person is told.';
  },
);

export const ASK_REQUESTER = tool(
  'ask_requester',
  'readonly',
  'Ask the person behind a task one clear question; the task waits for the answer. Your last act in a turn.',
  z.strictObject({ id, question: text }),
  async (caller, { id: ref, question }) => {
    const { question: key, ...change } = await caller.tasks.ask(meant(caller, ref), question, caller.actor);
    return `${changeText(change, { question: key })}\nEnd your turn now: you go on with the answer.`;
  },
);
