// Tools that look at tasks (S9).
import * as z from 'zod';
import { STATUSES, type Status } from '../../core/task/status.ts';
import type { ListFilter } from '../../tasks/shapes/list.ts';
import { taskLine } from './answers.ts';
import { flag, given, offset, status, text } from './inputs.ts';
import { type ToolCaller, tool } from './tool.ts';

const PAGE = 50;
const MOST = 500;

export const LIST_TASKS = tool(
  'list_tasks',
  'minimal',
  'List tasks, one a line; the open ones of yours unless you ask for others.',
  z.strictObject({
    all: flag.optional().describe("other agents' too"),
    status: z.array(status).max(5).optional(),
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

export interface ListInput extends ListFilter {
  all?: boolean;
  offset?: number;
  limit?: number;
}

const OPEN: Status[] = STATUSES.filter((each) => each !== 'done' && each !== 'canceled');

/** A page of the tasks that fit. */
export async function readPage(
  caller: ToolCaller,
  { all, offset: from = 0, limit = PAGE, ...asked }: ListInput,
) {
  const count = Math.min(Math.max(limit, 1), MOST);
  const own = all || asked.owner !== undefined || asked.parent !== undefined || caller.agent === null;
  const filter = {
    ...given(asked),
    status: asked.status ?? OPEN,
    ...(own ? {} : { owner: caller.agent! }),
    ...{ offset: from, limit: count },
  };
  const { tasks, invalid, next_offset: more } = await caller.tasks.call('list', filter, caller.actor);
  return { tasks, more, invalid };
}

async function listTasks(caller: ToolCaller, input: ListInput): Promise<string> {
  const { tasks, more, invalid } = await readPage(caller, input);
  const lines = tasks.map(taskLine);
  if (lines.length === 0) lines.push('No tasks.');
  if (more !== null) lines.push(`(there are more: ask again with offset ${more})`);
  if (invalid.length > 0) lines.push(`(${invalid.length} files can't be read as tasks; the person knows)`);
  return lines.join('\n');
}
