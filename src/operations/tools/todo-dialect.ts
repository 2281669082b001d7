// The tools in the names and words of session todos (C1, C2).

import * as z from 'zod';
import { oneLine, word } from '../../core/context/fence.ts';
import { RoomError } from '../../core/errors.ts';
import { defined } from '../../core/plain-data.ts';
import { count, flag, ofStatuses, priority, status, text } from '../../core/shapes.ts';
import { DELETED, STATUSES } from '../../core/task/status.ts';
import { MAX_BULK } from '../../tasks/shapes/change.ts';
import type { TaskRow } from '../../tasks/shapes/task.ts';
import type { OperationName } from '../client.ts';
import { WORDS } from './claude-dialect.ts';
import { asText } from './declared-tool.ts';
import { listText } from './look-tools.ts';
import { id, meant, openTool, placeOf, type Tool, type ToolCaller, tool } from './tool.ts';

const LISTED = ['pending', 'in_progress', 'completed', 'cancelled'];
const ids = z.array(text()).max(MAX_BULK).optional();
const session = text().optional().describe('a scope; yours when left out');

/** A todo as agents are shown it; the operation accepts the words of any dialect. */
const TODO = {
  title: text().optional(),
  priority: priority().optional(),
  notes: text().optional(),
  parent_id: text().optional(),
  sprint_id: text().optional(),
  artifact_id: text().optional(),
  sort_order: z.number().optional(),
};
const CHANGES = { ...TODO, status: ofStatuses(z.enum([...LISTED, DELETED])).optional() };

type Todo = Readonly<Record<string, unknown>>;

const TODO_ADD = openTool(
  'todo_add',
  'readonly',
  `Add one todo, or up to ${MAX_BULK} as items; what is given beside them holds for each.`,
  z.strictObject({ ...TODO, items: z.array(z.strictObject(TODO)).max(MAX_BULK).optional() }),
  async (caller, { items, ...shared }) => {
    assertOneOf('title', { title: shared.title, items });
    return change(
      caller,
      listOf('items', items ?? [{}]).map((item) => ({ do: 'create', ...shared, ...item })),
    );
  },
);

const TODO_UPDATE = openTool(
  'todo_update',
  'readonly',
  'Change one todo, or several as updates: all of them or none.',
  z.strictObject({
    id,
    ...CHANGES,
    progress: text().optional().describe('a dated entry that the requester reads'),
    updates: z
      .array(z.strictObject({ id: text(), ...CHANGES }))
      .max(MAX_BULK)
      .optional(),
  }),
  async (caller, { updates, ...own }) => {
    const { id: _, ...said } = own;
    const single = Object.keys(said).length > 0 || updates === undefined ? [own] : [];
    const all = [...single, ...listOf('updates', updates ?? [])];
    return change(
      caller,
      all.map(({ id: one, ...todo }) => ({ do: 'update', ...todo, ref: meant(caller, one) })),
    );
  },
);

const TODO_COMPLETE = openTool(
  'todo_complete',
  'full',
  'Mark one todo, several, or all of your session as completed.',
  z.strictObject({ id, ids, all: flag().optional(), session_id: session, outcome: text().optional() }),
  async (caller, given) => {
    const { id: one, ids: several, all, session_id, ...rest } = given;
    assertOneOf('the todos', { id: one, ids: several, all: all || undefined });
    if (!all) return changeEach(caller, several ?? [one], { do: 'complete', ...rest });
    const filter = await sessionOf(caller, session_id as string | undefined);
    const { tasks } = await caller.tasks.call('completeAll', { ...rest, ...filter }, caller.actor);
    return countText(tasks, 'completed');
  },
);

const TODO_DELETE = openTool(
  'todo_delete',
  'full',
  'Delete one todo, several, or by scope: completed takes the cancelled along, all takes every one. Subtasks go with their parent.',
  z.strictObject({
    id: text().optional(),
    ids,
    scope: z.enum(['completed', 'all']).optional(),
    session_id: session,
  }),
  async (caller, { id: one, ids: several, scope, session_id, ...rest }) => {
    assertOneOf('the todos', { id: one, ids: several, scope });
    if (scope === undefined) return changeEach(caller, several ?? one ?? [], { do: 'delete', ...rest });
    const filter = await sessionOf(caller, session_id as string | undefined);
    const which = { ...rest, ...filter, which: scope as 'all' };
    return countText((await caller.tasks.call('removeAll', which, caller.actor)).tasks, 'deleted');
  },
);

const TODO_LIST = tool(
  'todo_list',
  'minimal',
  'List the todos of your session, or those of a sprint or a plan.',
  z.strictObject({
    status: status().meta({ enum: LISTED }).optional(),
    sprint_id: text().optional(),
    artifact_id: text().optional(),
    session_id: session,
    all: flag().optional().describe('of the whole room'),
    offset: count().optional(),
  }),
  async (caller, { status: at, sprint_id, artifact_id, session_id, all, offset: from = 0 }) => {
    const asked = {
      ...{ all: true, offset: from, status: at === undefined ? [...STATUSES] : [at] },
      ...(all || sprint_id || artifact_id ? {} : await sessionOf(caller, session_id)),
      ...defined({ sprint: sprint_id, artifact: artifact_id }),
    };
    return (await listText(caller, asked, 'No todos.', lineOf)).text;
  },
);

const deletes = (tool: Tool): Tool => ({ ...tool, destructive: true });
export const TODO_TOOLS = [TODO_ADD, deletes(TODO_UPDATE), TODO_COMPLETE, TODO_LIST, deletes(TODO_DELETE)];

/** Refuses two inputs of which one would be ignored. */
function assertOneOf(what: string, ways: Readonly<Record<string, unknown>>): void {
  const said = Object.keys(ways).filter((way) => ways[way] !== undefined);
  if (said.length > 1)
    throw new RoomError('bad_input', `${what}: ${said.join(' and ')} can't be given together`, {
      hint: `give ${Object.keys(ways).join(' or ')}`,
    });
}

const changeEach = (caller: ToolCaller, refs: unknown, said: Todo) =>
  change(
    caller,
    Array.from([refs].flat(), (ref) => ({ ...said, ref: meant(caller, ref) })),
  );

const ALONE: Readonly<Record<string, OperationName>> = {
  ...{ create: 'create', update: 'set', complete: 'complete', delete: 'remove' },
};

/** One line of JSON a change, in their order. */
async function change({ tasks, actor }: ToolCaller, changes: readonly Todo[]): Promise<string> {
  const [first, ...others] = changes;
  if (first === undefined)
    throw new RoomError('bad_input', 'no todo was given', { hint: 'give one or more' });
  // The refusal of a single change names no index in a list that was not given.
  if (others.length === 0) {
    const { do: what, ...input } = first;
    return asText(await tasks.call(ALONE[what as string]!, input as never, actor));
  }
  return asText(await tasks.call('bulk', { changes: changes as never }, actor));
}

/** @throws RoomError `bad_input` */
function listOf(name: string, given: unknown): readonly Todo[] {
  if (Array.isArray(given) && given.every((each) => typeof each === 'object' && each !== null)) return given;
  throw new RoomError('bad_input', `${name}: expected a list of todos`);
}

/** The filter for the session's todos: the named scope, else that of the turn, else the caller's own tasks. */
async function sessionOf({ tasks, task, agent, actor }: ToolCaller, named: string | undefined) {
  if (named !== undefined) return { scope: named };
  const ofTask = task === null ? null : (await tasks.call('show', { ref: task }, actor)).scope;
  if (ofTask !== null) return { scope: ofTask };
  const turn = actor.kind === 'agent' && task === null ? actor.turn : null;
  const made = turn === null ? [] : (await tasks.call('listScopes', {}, actor)).scopes;
  const ofChore = made.find(({ name, chore }) => chore !== null && name === `${chore} ${turn}`);
  if (ofChore !== undefined) return { scope: ofChore.name };
  return agent === null ? {} : { owner: agent };
}

function countText(changed: readonly { id: string | null; name: string }[], what: string): string {
  const names = changed.map(({ id: ref, name }) => `\n${ref ?? ''} ${JSON.stringify(oneLine(name))}`);
  return `${changed.length} ${what}${names.join('')}`;
}

function lineOf(task: TaskRow): string {
  const { id: ref, path, status: at, priority: rank, title, name, parent } = task;
  const words = JSON.stringify(oneLine(title ?? name).slice(0, 120));
  const more = [rank, parent !== null && `parent=${word(parent)}`, ...placeOf(task)]
    .filter(Boolean)
    .join(' ');
  const said = task.own_status ?? (at === 'canceled' ? 'cancelled' : WORDS[at]);
  return `${ref ?? word(path)} [${said}] ${words}${more === '' ? '' : ` ${more}`}`;
}
