// The tool for subtasks of other agents.
import * as z from 'zod';
import { changeText } from './answers.ts';
import { given, id, index, priority, text, texts } from './inputs.ts';
import { meant, tool } from './tool.ts';

export const CREATE_SUBTASK = tool(
  'create_subtask',
  'readonly',
  'Hand a part of a task to an agent, as a task of its own linked to a step; you get a turn when it is finished. Without `index` a new step is added.',
  z.strictObject({
    id,
    index: index.optional(),
    name: text,
    description: text.optional(),
    owner: text.optional().describe('agent id'),
    priority: priority.optional(),
    blocked_by: texts.optional(),
  }),
  async (caller, { id: ref, index: at, description, blocked_by, ...task }) => {
    const made = given({ ...task, body: description, blockedBy: blocked_by });
    const { step, ...change } = await caller.tasks.createSubtask(meant(caller, ref), made, caller.actor, at);
    return changeText(change, { step });
  },
);
