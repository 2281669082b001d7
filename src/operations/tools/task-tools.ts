// Tools for whole tasks: made, looked at, changed, finished, deleted, listed (S9).
import * as z from 'zod';
import { STATUSES, type Status } from '../../core/task/status.ts';
import type { ListFilter } from '../../tasks/contract/operations.ts';
import { changeText, taskLine } from './answers.ts';
import {
  flag,
  given,
  id,
  listOf,
  number,
  offset,
  priority,
  status,
  statusOrDeleted,
  text,
  texts,
} from './inputs.ts';
import { meant, type ToolCaller, tool } from './tool.ts';
import { updateTask } from './update-task.ts';

/** What a task is made of, beside its name. */
export const PARTS = {
  owner: text.optional().describe('agent id'),
  priority: priority.optional(),
  labels: texts.optional(),
  blocked_by: texts.optional().describe('task ids'),
  parent: text.optional(),
  sprint: text.optional(),
  artifact: text.optional(),
  scope: text.optional(),
  sort: number.optional().describe('its place among others'),
};

const PAGE = 50;
const MOST = 500;

export const CREATE_TASK = tool(
  'create_task',
  'readonly',
  'Make a task. Its owner gets a turn for it; yours unless another agent is named.',
  z.strictObject({ name: text, description: text.optional(), status: status.optional(), ...PARTS }),
  async ({ tasks, actor }, { description, blocked_by, ...task }) =>
    changeText(
      await tasks.create({ ...given({ ...task, body: description, blockedBy: blocked_by }) }, actor),
    ),
);

export const UPDATE_TASK = tool(
  'update_task',
  'readonly',
  'Change a task: its text, keys, status, pause. `progress` and `outcome` add a dated entry that the requester reads.',
  z.strictObject({
    id,
    title: text.optional(),
    description: text.optional().describe('the text under Task, whole'),
    status: statusOrDeleted.optional(),
    paused: flag.optional(),
    progress: text.optional(),
    outcome: text.optional(),
    active_form: text.optional().describe('what is being done, shown while it runs'),
    ...PARTS,
  }),
  (caller, { id: ref, ...changes }) => updateTask(caller, meant(caller, ref), given(changes)),
);

export const COMPLETE_TASK = tool(
  'complete_task',
  'full',
  'Mark a task done, with what came of it.',
  z.strictObject({ id, outcome: text.optional() }),
  (caller, { id: ref, outcome }) => finish(caller, ref, 'done', outcome),
);

export const DELETE_TASK = tool(
  'delete_task',
  'full',
  'Take a task out of the room.',
  z.strictObject({ id: text }),
  async (caller, { id: ref }) => changeText(await caller.tasks.remove(meant(caller, ref), caller.actor)),
);

export const LIST_TASKS = tool(
  'list_tasks',
  'minimal',
  'List tasks, one a line; the open ones of yours unless you ask for others.',
  z.strictObject({
    all: flag.optional().describe("other agents' too"),
    status: listOf(status, 5).optional(),
    owner: text.optional(),
    parent: text.optional(),
    sprint: text.optional(),
    artifact: text.optional(),
    scope: text.optional(),
    label: text.optional(),
    text: text.optional().describe('words to search for'),
    ready: flag.optional().describe('could start now'),
    offset: offset.optional(),
    limit: offset.optional(),
  }),
  (caller, input) => listTasks(caller, input as ListInput),
);

async function finish(
  caller: ToolCaller,
  ref: string | undefined,
  to: Status,
  outcome: string | undefined,
): Promise<string> {
  const words = outcome?.trim() ? { outcome } : {};
  return changeText(await caller.tasks.setStatus(meant(caller, ref), to, caller.actor, words), {
    status: to,
  });
}

export interface ListInput extends Omit<ListFilter, 'limit'> {
  all?: boolean;
  offset?: number;
  limit?: number;
}

const OPEN: Status[] = STATUSES.filter((each) => each !== 'done' && each !== 'canceled');

/** A page of the tasks that fit; one more is asked for, to know whether there are more. */
export async function readPage(
  caller: ToolCaller,
  { all, offset: from = 0, limit = PAGE, ...asked }: ListInput,
) {
  const count = Math.min(Math.max(limit, 1), MOST);
  const own = all || asked.owner !== undefined || asked.parent !== undefined || caller.agent === null;
  const filter: ListFilter = {
    ...given(asked),
    status: asked.status ?? OPEN,
    ...(own ? {} : { owner: caller.agent! }),
    limit: from + count + 1,
  };
  const { tasks, invalid } = await caller.tasks.list(filter);
  return {
    tasks: tasks.slice(from, from + count),
    more: tasks.length > from + count ? from + count : null,
    invalid,
  };
}

async function listTasks(caller: ToolCaller, input: ListInput): Promise<string> {
  const { tasks, more, invalid } = await readPage(caller, input);
  const lines = tasks.map(taskLine);
  if (lines.length === 0) lines.push('No tasks.');
  if (more !== null) lines.push(`(there are more: ask again with offset ${more})`);
  if (invalid.length > 0) lines.push(`(${invalid.length} files can't be read as tasks; the person knows)`);
  return lines.join('\n');
}
