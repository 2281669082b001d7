// The tools under the names and words of session todos (C1, C2): one of them, a list of them, or all.
import * as z from 'zod';
import { oneLine, word } from '../../core/context/fence.ts';
import { RoomError } from '../../core/errors.ts';
import { DELETED, parseStatus, STATUSES, type Status } from '../../core/task/status.ts';
import { type BulkChange, MAX_BULK } from '../../tasks/contract/bulk.ts';
import type { TaskView } from '../../tasks/contract/operations.ts';
import { placeOf } from './answers.ts';
import { carryOutAll } from './bulk-tool.ts';
import { flag, given, id, listOf, number, offset, priority, text } from './inputs.ts';
import { readPage } from './task-tools.ts';
import { meant, type ToolCaller, tool } from './tool.ts';
import { keysOf } from './update-task.ts';

const WORDS: Readonly<Record<Status, string>> = {
  draft: 'draft',
  todo: 'pending',
  doing: 'in_progress',
  done: 'completed',
  canceled: 'cancelled',
};
const status = z.enum(['pending', 'in_progress', 'completed', 'cancelled']);
const ids = listOf(text, MAX_BULK).optional();
const session = text.optional().describe('a scope; yours when left out');

const TODO = {
  title: text.optional(),
  priority: priority.optional(),
  notes: text.optional(),
  parent_id: text.optional(),
  sprint_id: text.optional(),
  artifact_id: text.optional(),
  sort_order: number.optional(),
};

const TODO_ADD = tool(
  'todo_add',
  'readonly',
  `Add one todo, or up to ${MAX_BULK} as items; what is given beside them holds for each.`,
  z.strictObject({ ...TODO, items: listOf(z.strictObject(TODO), MAX_BULK).optional() }),
  async (caller, { items, ...shared }) => {
    assertOneOf('title', { title: shared.title, items });
    return carryOutAll(
      caller,
      (items ?? [{}]).map((item) => addition({ ...given(shared), ...given(item) })),
    );
  },
);

const CHANGES = { ...TODO, status: status.or(z.literal(DELETED)).optional() };

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
    if (progress !== undefined)
      await tasks.call('progress', { ref: meant(caller, one), text: progress }, actor);
    if (all.length === 0 && progress !== undefined) return 'Noted.';
    return carryOutAll(caller, all);
  },
);

const TODO_COMPLETE = tool(
  'todo_complete',
  'full',
  'Mark one todo, several, or all of your session as completed.',
  z.strictObject({ id, ids, all: flag.optional(), session_id: session, outcome: text.optional() }),
  async (caller, { id: one, ids: several, all, session_id, outcome }) => {
    assertOneOf('the todos', { id: one, ids: several, all: all || undefined });
    if (all) {
      const filter = await sessionOf(caller, session_id);
      return countText(await caller.tasks.completeAll(filter, caller.actor), 'completed');
    }
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
  z.strictObject({
    id: text.optional(),
    ids,
    scope: z.enum(['completed', 'all']).optional(),
    session_id: session,
  }),
  async (caller, { id: one, ids: several, scope, session_id }) => {
    assertOneOf('the todos', { id: one, ids: several, scope });
    if (scope !== undefined) {
      const filter = await sessionOf(caller, session_id);
      return countText(await caller.tasks.removeAll(scope, filter, caller.actor), 'deleted');
    }
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
  'List the todos of your session, or those of a sprint or a plan.',
  z.strictObject({
    status: status.optional(),
    sprint_id: text.optional(),
    artifact_id: text.optional(),
    session_id: session,
    all: flag.optional().describe('of the whole room'),
    offset: offset.optional(),
  }),
  async (caller, { status: at, sprint_id: sprint, artifact_id: artifact, session_id, all, offset: from }) => {
    const wanted = at === undefined ? [...STATUSES] : [parseStatus(at)!];
    const whose = all || sprint || artifact ? {} : await sessionOf(caller, session_id);
    const { tasks, more } = await readPage(caller, {
      ...given({ ...whose, sprint, artifact, offset: from }),
      all: true,
      status: wanted,
    });
    if (tasks.length === 0) return 'No todos.';
    const lines = tasks.map(lineOf);
    return [...lines, ...(more === null ? [] : [`(there are more: ask again with offset ${more})`])].join(
      '\n',
    );
  },
);

export const TODO_TOOLS = [TODO_ADD, TODO_UPDATE, TODO_COMPLETE, TODO_LIST, TODO_DELETE];

interface Given {
  title?: string;
  priority?: 'high' | 'medium' | 'low';
  notes?: string;
  parent_id?: string;
  sprint_id?: string;
  artifact_id?: string;
  sort_order?: number;
  status?: z.infer<typeof status> | typeof DELETED;
}

/** What would be dropped beside another way to say the same is refused. */
function assertOneOf(what: string, ways: Readonly<Record<string, unknown>>): void {
  const said = Object.keys(ways).filter((way) => ways[way] !== undefined);
  if (said.length > 1)
    throw new RoomError('bad_input', `${what}: ${said.join(' and ')} can't be given together`, {
      hint: `give ${Object.keys(ways).join(' or ')}`,
    });
}

function addition({ title, notes, priority: rank, ...places }: Given): BulkChange {
  if (title === undefined)
    throw new RoomError('bad_input', 'a todo has no title', { hint: 'give title, or items with one each' });
  return {
    do: 'create',
    task: { name: title, ...given({ body: notes, priority: rank, ...placed(places) }) },
  };
}

function placed({ parent_id, sprint_id, artifact_id, sort_order }: Given) {
  return { parent: parent_id, sprint: sprint_id, artifact: artifact_id, sort: sort_order };
}

function updateOf(
  caller: ToolCaller,
  { id: ref, notes, status: at, title, priority: rank, ...places }: Given & { id: string },
): BulkChange[] {
  const changes = keysOf({ title, priority: rank, ...placed(places) });
  const to = at === undefined ? undefined : at === DELETED ? at : parseStatus(at)!;
  return [{ do: 'update', ref: meant(caller, ref), changes, ...given({ text: notes, status: to }) }];
}

/** The session's todos: of the scope that is named, else of the one that the turn works in, else of the caller itself. */
async function sessionOf(
  { tasks, task, agent, actor }: ToolCaller,
  named: string | undefined,
): Promise<{ scope?: string; owner?: string }> {
  if (named !== undefined) return { scope: named };
  const ofTask = task === null ? null : (await tasks.show(task)).scope;
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

function lineOf(task: TaskView): string {
  const { id: ref, path, status: at, priority: rank, title, name, parent } = task;
  const words = JSON.stringify(oneLine(title ?? name).slice(0, 120));
  const more = [rank, parent !== null && `parent=${word(parent)}`, ...placeOf(task)]
    .filter(Boolean)
    .join(' ');
  return `${ref ?? word(path)} [${WORDS[at]}] ${words}${more === '' ? '' : ` ${more}`}`;
}
