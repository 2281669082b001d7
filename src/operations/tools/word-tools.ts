// The tool by which an agent speaks to its person.
import * as z from 'zod';
import { id, text } from './inputs.ts';
import { tool } from './tool.ts';

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
