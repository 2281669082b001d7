// The tools under the names and words that Claude Code's agents were trained on (G1, G2, G5).
import * as z from 'zod';
import { oneLine, word } from '../../core/context/fence.ts';
import { isRoomError } from '../../core/errors.ts';
import { DELETED, STATUSES, type Status } from '../../core/task/status.ts';
import type { TaskView } from '../../tasks/contract/operations.ts';
import { flag, id, offset, text, texts } from './inputs.ts';
import { jobText } from './job-tools.ts';
import { readPage } from './task-tools.ts';
import { meant, type ToolCaller, tool } from './tool.ts';
import { isTurnId, turnText } from './turn-text.ts';
import { type TaskUpdate, updateTask } from './update-task.ts';

const WORDS: Readonly<Record<Status, string>> = {
  draft: 'draft',
  todo: 'pending',
  doing: 'in_progress',
  done: 'completed',
  canceled: 'canceled',
};

const TASK_CREATE = tool(
  'TaskCreate',
  'readonly',
  'Make a task.',
  z.strictObject({
    subject: text,
    description: text.optional(),
    activeForm: text.optional().describe('shown while it is in progress, as in "Running tests"'),
    owner: text.optional().describe('agent id; you, when left out'),
  }),
  async ({ tasks, actor }, { subject, description, activeForm, owner }) => {
    const body = description === undefined ? {} : { body: description };
    const made = await tasks.create(
      { name: subject, ...body, ...(owner === undefined ? {} : { owner }) },
      actor,
    );
    if (made.later)
      return `Task ${JSON.stringify(oneLine(subject))} is written down: it is made when the room runs again.`;
    if (activeForm !== undefined) await tasks.set(made.id, { active_form: activeForm }, actor);
    return `Task #${made.id} created: ${oneLine(subject)}`;
  },
);

const TASK_GET = tool(
  'TaskGet',
  'minimal',
  'Read a task, with all that hangs on it; or, by the id of a turn or a job, its status and output, waiting up to `wait` seconds for its end.',
  z.strictObject({ taskId: id, wait: z.number().min(0).max(600).optional(), offset: offset.optional() }),
  async (caller, { taskId, wait = 0, offset: from }) => {
    const ref = meant(caller, taskId);
    if (isTurnId(ref) && (await isJob(caller, ref))) return jobText(caller, ref, wait, from);
    if (isTurnId(ref))
      return turnText(caller, ref, { waitMs: wait * 1000, ...(from === undefined ? {} : { offset: from }) });
    const page = from === undefined ? {} : { offset: from };
    return (await caller.tasks.call('brief', { ref, ...page }, caller.actor)).text;
  },
);

/** Ids of jobs and of turns look alike. */
async function isJob({ tasks, actor }: ToolCaller, ref: string): Promise<boolean> {
  try {
    await tasks.call('showJob', { job: ref, limit: 1 }, actor);
    return true;
  } catch (error) {
    if (isRoomError(error, 'not_found')) return false;
    throw error;
  }
}

const CHANGES = {
  subject: text.optional(),
  description: text.optional(),
  activeForm: text.optional(),
  status: z.enum(['pending', 'in_progress', 'completed', 'deleted']).optional(),
  owner: text.optional(),
  addBlocks: texts.optional().describe('ids of tasks that wait for this one'),
  addBlockedBy: texts.optional().describe('ids of tasks that this one waits for'),
  progress: text.optional(),
  outcome: text.optional(),
};

const TASK_UPDATE = tool(
  'TaskUpdate',
  'readonly',
  'Change a task. `progress` and `outcome` add a dated entry that the requester reads; deleted takes it out of the room.',
  z.strictObject({ taskId: id, ...CHANGES }),
  async (caller, { taskId, ...changes }) => {
    const ref = meant(caller, taskId);
    const { addBlocks = [], addBlockedBy = [], status, subject, activeForm, ...rest } = changes;
    const { tasks, actor } = caller;
    for (const by of addBlockedBy) await tasks.call('block', { ref, by: meant(caller, by) }, actor);
    for (const waits of addBlocks) await tasks.call('block', { ref: meant(caller, waits), by: ref }, actor);
    const update = withoutUndefined({
      ...rest,
      title: subject,
      active_form: activeForm,
      status: OURS[status ?? ''],
    });
    const linksAlone = addBlocks.length + addBlockedBy.length > 0 && Object.keys(update).length === 0;
    const said = linksAlone ? '' : await updateTask(caller, ref, update);
    return `Updated task #${word(ref)}${status === undefined ? '' : ` (${status})`}${noteOf(said)}`;
  },
);

const TASK_LIST = tool(
  'TaskList',
  'minimal',
  'List your tasks, finished ones too.',
  z.strictObject({ all: flag.optional().describe("other agents' too"), offset: offset.optional() }),
  (caller, input) => listTasks(caller, input as { all?: boolean; offset?: number }),
);

export const CLAUDE_TOOLS = [TASK_CREATE, TASK_GET, TASK_UPDATE, TASK_LIST];

const OURS: Readonly<Record<string, TaskUpdate['status']>> = {
  deleted: DELETED,
  pending: 'todo',
  in_progress: 'doing',
  completed: 'done',
};

function withoutUndefined(update: { [Key in keyof TaskUpdate]: TaskUpdate[Key] | undefined }): TaskUpdate {
  return Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined));
}

/** What a change says beside that it was made, as that its end waits for checks. */
function noteOf(said: string): string {
  const rest = said.startsWith('{') ? said.split('\n').slice(1).join('\n') : said;
  return rest === '' ? '' : `\n${rest}`;
}

async function listTasks(caller: ToolCaller, input: { all?: boolean; offset?: number }): Promise<string> {
  const { tasks, more } = await readPage(caller, { ...input, status: [...STATUSES] });
  if (tasks.length === 0) return 'No tasks.';
  const lines = tasks.map(lineOf);
  return [...lines, ...(more === null ? [] : [`(there are more: ask again with offset ${more})`])].join('\n');
}

function lineOf({ id: ref, path, status, blocked, blockedBy, owner, title, name }: TaskView): string {
  const waits = blocked ? ` [blocked by ${blockedBy.map((each) => `#${word(each)}`).join(', ')}]` : '';
  const whose = owner === null ? '' : ` (${word(owner)})`;
  return `#${ref ?? word(path)} [${WORDS[status]}] ${oneLine(title ?? name).slice(0, 120)}${whose}${waits}`;
}
