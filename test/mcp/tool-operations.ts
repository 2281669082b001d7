// The operations as an agent has them by tools: each becomes a call of the tool that does it, and what has no tool, or no
// such input of one, is lacking.
import { ERROR_CODES, type ErrorCode, RoomError } from '../../src/core/errors.ts';
import type { Client, OutputOf } from '../../src/operations/client.ts';
import { byName, Lacking } from '../conformance/operations.ts';
import type { LinkedClient } from './linked-client.ts';

/** Calls a tool; an answer that is an error is thrown as the RoomError it tells of. */
async function ask(client: LinkedClient, name: string, input: object): Promise<string> {
  const { text, isError } = await client.call(name, input);
  if (!isError) return text;
  const code = /^(\w+): /.exec(text)?.[1] as ErrorCode;
  // What the schema of a tool refuses is bad input, said by that tool.
  if (!ERROR_CODES.includes(code)) throw new RoomError('bad_input', text);
  throw new RoomError(code, text.slice(code.length + 2));
}

function lacksUnless(fits: boolean, what: string): void {
  if (!fits) throw new Lacking(what);
}

const first = (text: string) => JSON.parse(text.split('\n')[0]!);

type Look = (ref: string) => Promise<OutputOf<'show'>>;

/** @param look shows a task, for what a case looks at between its calls */
export function operationsByTools(client: LinkedClient, look: Look): Partial<Client> {
  const change = async (name: string, input: object) => first(await ask(client, name, input));
  return {
    call: byName({
      async list({ sort, priority, ids, all: _, ...rest }) {
        lacksUnless(sort === undefined && priority === undefined && ids === undefined, 'list by that');
        await ask(client, 'list_tasks', { ...rest, all: true });
        return { tasks: [], invalid: [], odd: [], total: 0, next_offset: null };
      },
      async show({ ref }) {
        await ask(client, 'get_task', { id: ref });
        return look(ref);
      },
      async history({ ref, ...rest }) {
        await ask(client, 'list_history', { ...rest, ...(ref === undefined ? {} : { id: ref }) });
      },
      create: (task) => change('create_task', task),
      set: ({ ref, keys = {}, ...rest }) => {
        lacksUnless(
          Object.keys(keys).every((key) => key === 'priority'),
          'set of that',
        );
        return change('update_task', { id: ref, ...keys, ...rest });
      },
      complete: ({ ref, ...rest }) => change('complete_task', { id: ref, ...rest }),
      cancel: ({ ref, outcome }) =>
        change('cancel_task', { id: ref, ...(outcome === undefined ? {} : { reason: outcome }) }),
      reopen: ({ ref }) => change('update_task', { id: ref, status: 'Pending' }),
      remove: ({ ref }) => change('delete_task', { id: ref }),
      createSubtask: ({ ref, ...task }) => change('create_subtask', { id: ref, ...task }),
      bulk: async ({ changes }) => ({
        tasks: (await ask(client, 'bulk_tasks', { changes })).split('\n').map((line) => JSON.parse(line)),
      }),
      async pause({ ref, reason }) {
        lacksUnless(reason === undefined, 'pause with a reason');
        return change('update_task', { id: ref, paused: true });
      },
      resume: ({ ref }) => change('update_task', { id: ref, paused: false }),
      comment: ({ ref, text }) => change('comment_task', { id: ref, text }),
      async progress({ ref, text, key }) {
        lacksUnless(key === undefined, 'progress by key');
        return change('update_task', { id: ref, progress: text });
      },
      outcome: ({ ref, text }) => change('update_task', { id: ref, outcome: text }),
      describe: ({ ref, text }) => change('update_task', { id: ref, description: text }),
      editStep: ({ ref, ...step }) => change('update_step', { id: ref, ...step }),
      addResource: ({ ref, kind = 'url', value, label = null }) =>
        change('add_resource', { id: ref, [kind]: value, ...(label === null ? {} : { label }) }),
      removeResource: ({ ref, index }) => change('remove_resource', { id: ref, index }),
      async ask({ ref, question, key }) {
        lacksUnless(key === undefined, 'a question by key');
        return change('ask_requester', { id: ref, question });
      },
    }),
  };
}

/** The same by the names of Claude Code. */
export function operationsByClaudeTools(client: LinkedClient, look: Look): Partial<Client> {
  const update = async (taskId: string, input: object) => {
    await ask(client, 'TaskUpdate', { taskId, ...input });
    return changedBy(taskId);
  };
  return {
    call: byName({
      async show({ ref }) {
        await ask(client, 'TaskGet', { taskId: ref });
        return look(ref);
      },
      async create({ name, description, owner, ...rest }) {
        lacksUnless(Object.keys(rest).length === 0, 'create with that');
        const more = {
          ...(description === undefined ? {} : { description }),
          ...(owner === undefined ? {} : { owner }),
        };
        const text = await ask(client, 'TaskCreate', { subject: name, ...more });
        return changedBy(/^Task #(\w+) created/.exec(text)![1]!);
      },
      complete: ({ ref, outcome }) =>
        update(ref, { status: 'completed', ...(outcome === undefined ? {} : { outcome }) }),
      cancel: ({ ref }) => update(ref, { status: 'cancelled' }),
      reopen: ({ ref }) => update(ref, { status: 'pending' }),
      remove: ({ ref }) => update(ref, { status: 'deleted' }),
      async progress({ ref, text, key }) {
        lacksUnless(key === undefined, 'progress by key');
        return update(ref, { progress: text });
      },
      outcome: ({ ref, text }) => update(ref, { outcome: text }),
      describe: ({ ref, text }) => update(ref, { description: text }),
      block: ({ ref, by }) => update(ref, { addBlockedBy: [by] }),
      async comment({ ref, text }) {
        await ask(client, 'comment_task', { id: ref, text });
        return changedBy(ref);
      },
    }),
  };
}

/** The same by the names of session todos. */
export function operationsByTodoTools(client: LinkedClient, look: Look): Partial<Client> {
  const change = async (name: string, input: object) => first(await ask(client, name, input));
  return {
    call: byName({
      async show({ ref }) {
        await ask(client, 'todo_get', { id: ref });
        return look(ref);
      },
      create: ({ name, description, parent, sprint, priority, artifact, ...rest }) => {
        lacksUnless(Object.keys(rest).length === 0, 'create with that');
        const all = {
          ...{ title: name, notes: description, parent_id: parent, sprint_id: sprint },
          ...{ artifact_id: artifact, priority },
        };
        return change(
          'todo_add',
          Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
        );
      },
      set: ({ ref, keys = {}, ...rest }) => {
        lacksUnless(
          Object.keys(keys).every((key) => key === 'priority') && Object.keys(rest).length === 0,
          'set of that',
        );
        return change('todo_update', { id: ref, ...keys });
      },
      complete: ({ ref, outcome }) =>
        change('todo_complete', { id: ref, ...(outcome === undefined ? {} : { outcome }) }),
      cancel: ({ ref, outcome }) => {
        lacksUnless(outcome === undefined, 'an outcome with that');
        return change('todo_update', { id: ref, status: 'cancelled' });
      },
      reopen: ({ ref }) => change('todo_update', { id: ref, status: 'pending' }),
      remove: ({ ref }) => change('todo_delete', { id: ref }),
      async completeAll(filter) {
        lacksUnless(Object.keys(filter).length === 0, 'such a filter');
        await ask(client, 'todo_complete', { all: true });
        return { tasks: [] };
      },
      async removeAll({ which, ...filter }) {
        lacksUnless(Object.keys(filter).length === 0, 'such a filter');
        await ask(client, 'todo_delete', { scope: which });
        return { tasks: [] };
      },
      async progress({ ref, text, key }) {
        lacksUnless(key === undefined, 'progress by key');
        await ask(client, 'todo_update', { id: ref, progress: text });
        return changedBy(ref);
      },
      comment: ({ ref, text }) => change('comment_task', { id: ref, text }),
    }),
  };
}

const changedBy = (id: string) => ({ id, name: id, path: '', changed: true }) as never;
