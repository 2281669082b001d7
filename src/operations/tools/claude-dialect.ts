// The tools in the names and words of Claude Code (G1, G2, G5).
import * as z from 'zod';
import { oneLine, word } from '../../core/context/fence.ts';
import { nullIf } from '../../core/errors.ts';
import { count, flag, ofStatuses, optional, text } from '../../core/shapes.ts';
import { STATUSES, type Status } from '../../core/task/status.ts';
import type { TaskRow } from '../../tasks/shapes/task.ts';
import { inOurNames, parsed } from '../accept-input.ts';
import { toolFor } from './declared-tool.ts';
import { isTurnId, jobText, listText, turnText } from './look-tools.ts';
import { changeText, id, meant, type Tool, tool } from './tool.ts';

/** Statuses as other task tools name them; the todo tools of others spell `cancelled`. */
export const WORDS: Readonly<Record<Status, string>> = {
  ...{ draft: 'draft', todo: 'pending', doing: 'in_progress', done: 'completed', canceled: 'canceled' },
};

const TASK_CREATE = toolFor(
  'create',
  {
    name: 'TaskCreate',
    about: 'Make a task.',
    names: { title: 'subject', active_form: 'active_form' },
    only: ['title', 'description', 'active_form', 'owner'],
  },
  ({ id: ref, later }, { subject, title = subject, name = title }) =>
    later
      ? `Task ${JSON.stringify(oneLine(String(name)))} is written down: it is made when the room runs again.`
      : `Task #${ref} created: ${oneLine(String(name))}`,
);

const TASK_GET = tool(
  'TaskGet',
  'minimal',
  'Read a task, with all that hangs on it; or, by the id of a turn or a job, its status and output, waiting up to `wait` seconds for its end.',
  z.strictObject({ taskId: id, wait: z.number().min(0).max(600).optional(), offset: count().optional() }),
  async (caller, { taskId, wait = 0, offset = null }) => {
    const ref = meant(caller, taskId);
    const { tasks, actor } = caller;
    if (!isTurnId(ref)) return (await tasks.call('brief', { ref, offset: offset ?? 0 }, actor)).text;
    // Ids of jobs and of turns look alike.
    const job = await tasks.call('showJob', { job: ref, limit: 1 }, actor).catch(nullIf('not_found'));
    return (job === null ? turnText : jobText)(caller, ref, wait, offset);
  },
);

const UPDATE = toolFor(
  'set',
  {
    name: 'TaskUpdate',
    destructive: true,
    about:
      'Change a task. `progress` and `outcome` add a dated entry that the requester reads; deleted takes it out of the room.',
    names: { ref: 'taskId', title: 'subject', active_form: 'active_form' },
    only: ['ref', 'title', 'description', 'active_form', 'status', 'owner', 'progress', 'outcome'],
    shown: {
      status: () => ofStatuses(z.enum(['pending', 'in_progress', 'completed', 'deleted'])).optional(),
    },
  },
  (changed, { status }) => {
    const said = typeof status === 'string' ? ` (${status})` : '';
    const rest = changeText(changed).split('\n').slice(1);
    return [`Updated task #${word(changed.id ?? changed.name)}${said}`, ...rest].join('\n');
  },
);

const LINKS = {
  addBlocks: z.array(text()).optional().describe('ids of tasks that wait for this one'),
  addBlockedBy: z.array(text()).optional().describe('ids of tasks that this one waits for'),
};

/** With links to other tasks, each of which is an operation of its own. */
const TASK_UPDATE: Tool = {
  ...UPDATE,
  input: UPDATE.input.extend(LINKS),
  async run(caller, said) {
    const { addBlocks: _, addBlockedBy: __, ...changes } = said as Record<string, unknown>;
    const links = parsed(z.object(LINKS), inOurNames(z.object(LINKS), said));
    const { taskId, task_id, id: short, ref = taskId ?? task_id ?? short, ...rest } = changes;
    const own = meant(caller, ref);
    const { tasks, actor } = caller;
    for (const by of links.addBlockedBy ?? [])
      await tasks.call('block', { ref: own, by: meant(caller, by) }, actor);
    for (const waits of links.addBlocks ?? [])
      await tasks.call('block', { ref: meant(caller, waits), by: own }, actor);
    const isAll = Object.keys(links).length > 0 && Object.keys(rest).length === 0;
    return isAll ? { text: `Updated task #${word(own)}` } : UPDATE.run(caller, { ...rest, ref: own });
  },
};

const TASK_LIST = tool(
  'TaskList',
  'minimal',
  'List your tasks, finished ones too.',
  z.strictObject({ all: optional(flag(), "other agents' too"), offset: optional(count()) }),
  async (caller, input) =>
    (await listText(caller, { ...input, status: [...STATUSES] }, 'No tasks.', lineOf)).text,
);

export const CLAUDE_TOOLS = [TASK_CREATE, TASK_GET, TASK_UPDATE, TASK_LIST];

function lineOf({
  id: ref,
  path,
  status,
  blocked,
  blocked_by,
  owner,
  title,
  name,
  own_status: own,
}: TaskRow): string {
  const waits = blocked ? ` [blocked by ${blocked_by.map((each) => `#${word(each)}`).join(', ')}]` : '';
  const whose = owner === null ? '' : ` (${word(owner)})`;
  return `#${ref ?? word(path)} [${own ?? WORDS[status]}] ${oneLine(title ?? name).slice(0, 120)}${whose}${waits}`;
}
