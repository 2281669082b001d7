// The tools under the names and words of session todos (C1, C2): one of them, a list of them, or all.
import * as z from 'zod';
import { oneLine, word } from '../../core/context/fence.ts';
import { RoomError } from '../../core/errors.ts';
import { parseStatus, STATUSES, type Status } from '../../core/task/status.ts';
import { type BulkChange, MAX_BULK } from '../contract/bulk.ts';
import type { TaskView } from '../contract/operations.ts';
import { carryOutAll } from './bulk-tool.ts';
import { flag, given, id, listOf, offset, priority, text } from './inputs.ts';
import { readPage } from './task-tools.ts';
import { meant, type ToolCaller, tool } from './tool.ts';

const WORDS: Readonly<Record<Status, string>> = {
  draft: 'draft',
  todo: 'pending',
  doing: 'in_progress',
  done: 'completed',
  canceled: 'cancelled',
};
const status = z.enum(['pending', 'in_progress', 'completed', 'cancelled']);
const ids = listOf(text, MAX_BULK).optional();

const TODO = {
  title: text.optional(),
  priority: priority.optional(),
  notes: text.optional(),
  parent_id: text.optional(),
  sprint_id: text.optional(),
  artifact_id: text.optional(),
};

const TODO_ADD = tool(
  'todo_add',
  'readonly',
  `Add one todo, or up to ${MAX_BULK} as items; what is given beside them holds for each.`,
  z.strictObject({ ...TODO, items: listOf(z.strictObject(TODO), MAX_BULK).optional() }),
  (caller, { items, ...shared }) =>
    carryOutAll(
      caller,
      (items ?? [{}]).map((item) => addition({ ...given(shared), ...given(item) })),
    ),
);

const CHANGES = { ...TODO, status: status.optional() };

const TODO_UPDATE = tool(
  'todo_update',
  'readonly',
  'Change one todo, or several as updates: all of them or none.',
  z.strictObject({
    id,
    ...CHANGES,
    progress: text.optional().describe('a dated entry that the requester reads; of one todo'),
    updates: listOf(z.strictObject({ id: text, ...CHANGES }), MAX_BULK).optional(),
  }),
  async (caller, { id: one, updates, progress, ...changes }) => {
    const { tasks, actor } = caller;
    const own = given(changes);
    const single = Object.keys(own).length > 0 ? [{ ...own, id: meant(caller, one) }] : [];
    const all = [...single, ...(updates ?? [])].flatMap((update) => updateOf(caller, given(update)));
    if (progress !== undefined) await tasks.progress(meant(caller, one), progress, actor);
    if (all.length === 0 && progress !== undefined) return 'Noted.';
    return carryOutAll(caller, all);
  },
);

const TODO_COMPLETE = tool(
  'todo_complete',
  'full',
  'Mark one todo, several, or all as completed.',
  z.strictObject({ id, ids, all: flag.optional(), outcome: text.optional() }),
  async (caller, { id: one, ids: several, all, outcome }) => {
    if (all) return countText(await caller.tasks.completeAll(own(caller), caller.actor), 'completed');
    const refs = several ?? [meant(caller, one)];
    return carryOutAll(
      caller,
      refs.map((ref) => ({ do: 'complete', ref: meant(caller, ref), ...given({ outcome }) })),
    );
  },
);

const TODO_DELETE = tool(
  'todo_delete',
  'full',
  'Delete one todo, several, or by scope: completed takes the cancelled along, all takes every one. Subtasks go with their parent.',
  z.strictObject({ id: text.optional(), ids, scope: z.enum(['completed', 'all']).optional() }),
  async (caller, { id: one, ids: several, scope }) => {
    if (scope !== undefined)
      return countText(await caller.tasks.removeAll(scope, own(caller), caller.actor), 'deleted');
    const refs = several ?? (one === undefined ? [] : [one]);
    return carryOutAll(
      caller,
      refs.map((ref) => ({ do: 'delete', ref: meant(caller, ref) })),
    );
  },
);

const TODO_LIST = tool(
  'todo_list',
  'minimal',
  'List your todos, or those of a sprint or a plan.',
  z.strictObject({
    status: status.optional(),
    sprint_id: text.optional(),
    artifact_id: text.optional(),
    all: flag.optional().describe("other agents' too"),
    offset: offset.optional(),
  }),
  async (caller, { status: at, sprint_id: sprint, artifact_id: artifact, ...page }) => {
    const wanted = at === undefined ? [...STATUSES] : [parseStatus(at)!];
    const { tasks, more } = await readPage(caller, {
      ...given({ ...page, sprint, artifact }),
      status: wanted,
    });
    if (tasks.length === 0) return 'No todos.';
    const lines = tasks.map(lineOf);
    return [...lines, ...(more === null ? [] : [`(there are more: ask again with offset ${more})`])].join(
      '\n',
    );
  },
);

const TODO_GET = tool(
  'todo_get',
  'minimal',
  'Read a todo with its subtasks.',
  z.strictObject({ id, offset: offset.optional() }),
  async (caller, { id: one, ...page }) => (await caller.tasks.brief(meant(caller, one), given(page))).text,
);

export const TODO_TOOLS = [TODO_ADD, TODO_UPDATE, TODO_COMPLETE, TODO_LIST, TODO_GET, TODO_DELETE];

interface Given {
  title?: string;
  priority?: 'high' | 'medium' | 'low';
  notes?: string;
  parent_id?: string;
  sprint_id?: string;
  artifact_id?: string;
  status?: z.infer<typeof status>;
}

function addition({ title, notes, parent_id, sprint_id, artifact_id, priority: rank }: Given): BulkChange {
  if (title === undefined)
    throw new RoomError('bad_input', 'a todo has no title', { hint: 'give title, or items with one each' });
  const links = given({ parent: parent_id, sprint: sprint_id, artifact: artifact_id });
  return { do: 'create', task: { name: title, ...links, ...given({ body: notes, priority: rank }) } };
}

/** Notes of a todo that exists would replace its text: they belong into the task, where more than one word fits. */
function updateOf(caller: ToolCaller, { id: ref, notes, ...update }: Given & { id: string }): BulkChange[] {
  if (notes !== undefined)
    throw new RoomError('bad_input', 'notes are set when a todo is added', {
      hint: 'add words to it with comment_task, or progress',
    });
  const { title, priority: rank, parent_id, sprint_id, artifact_id, status: at } = update;
  const links = { parent: parent_id, sprint: sprint_id, artifact: artifact_id };
  const changes = given({ title, priority: rank, ...links }) as Record<string, string>;
  const to = at === undefined ? {} : { status: parseStatus(at)! };
  return [{ do: 'update', ref: meant(caller, ref), changes, ...to }];
}

/** All is all of the caller's: an assistant's are everybody's. */
function own({ agent }: ToolCaller): { owner?: string } {
  return agent === null ? {} : { owner: agent };
}

function countText(changed: readonly { id: string | null; name: string }[], what: string): string {
  const names = changed.map(({ id: ref, name }) => `\n${ref ?? ''} ${JSON.stringify(oneLine(name))}`);
  return `${changed.length} ${what}${names.join('')}`;
}

function lineOf({ id: ref, path, status: at, priority: rank, title, name, parent }: TaskView): string {
  const words = JSON.stringify(oneLine(title ?? name).slice(0, 120));
  const more = [rank, parent !== null && `parent=${word(parent)}`].filter(Boolean).join(' ');
  return `${ref ?? word(path)} [${WORDS[at]}] ${words}${more === '' ? '' : ` ${more}`}`;
}
