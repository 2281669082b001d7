// Tools that look at tasks (S9).
import * as z from 'zod';
import { STATUSES, type Status } from '../../core/task/status.ts';
import type { ListFilter } from '../../tasks/contract/operations.ts';
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
