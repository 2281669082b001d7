// Tools for what hangs on a task: subtasks for other agents, and what it points at.
import * as z from 'zod';
import { RoomError } from '../../core/errors.ts';
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

export const ADD_RESOURCE = tool(
  'add_resource',
  'readonly',
  'Attach a url or a file to a task.',
  z.strictObject({ id, url: text.optional(), file: text.optional(), label: text.optional() }),
  async (caller, { id: ref, url, file, label = null }) => {
    if ((url === undefined) === (file === undefined))
      throw new RoomError('bad_input', 'a resource is a url or a file', { hint: 'give one of the two' });
    const resource = {
      kind: url === undefined ? ('file' as const) : ('url' as const),
      value: url ?? file!,
      label,
    };
    return changeText(await caller.tasks.addResource(meant(caller, ref), resource, caller.actor));
  },
);

export const REMOVE_RESOURCE = tool(
  'remove_resource',
  'readonly',
  'Take a resource off a task.',
  z.strictObject({ id, index: index.describe('from 0') }),
  async (caller, { id: ref, index: at }) =>
    changeText(await caller.tasks.removeResource(meant(caller, ref), at, caller.actor)),
);
