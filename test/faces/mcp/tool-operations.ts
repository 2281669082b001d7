// The operations as an agent has them by tools: each becomes a call of the tool that does it, and what has no tool, or no
// such input of one, is lacking.
import { ERROR_CODES, type ErrorCode, RoomError } from '../../../src/core/errors.ts';
import type { Client } from '../../../src/operations/client.ts';
import { byName, Lacking } from '../../conformance/operations.ts';
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

/** @param look shows a task, for what a case looks at between its calls */
export function operationsByTools(client: LinkedClient, look: Client['show']): Partial<Client> {
  const change = async (name: string, input: object) => first(await ask(client, name, input));
  return {
    async show(ref) {
      await ask(client, 'get_task', { id: ref });
      return look(ref);
    },
    list: async (filter = {}) => {
      const { sort, priority, text, ...rest } = filter;
      lacksUnless(sort === undefined && priority === undefined, 'list by that');
      await ask(client, 'list_tasks', { ...rest, ...(text === undefined ? {} : { text }), all: true });
      return { tasks: [], invalid: [], odd: [] };
    },
    create: ({ body, blockedBy, title, requester, artifact, scope, sort, ...rest }) => {
      lacksUnless(
        [title, requester, artifact, scope, sort].every((each) => each === undefined),
        'create with that',
      );
      return change('create_task', {
        ...rest,
        ...(body === undefined ? {} : { description: body }),
        ...(blockedBy === undefined ? {} : { blocked_by: blockedBy }),
      });
    },
    set: async (ref, changes) => {
      const { title, owner, priority, parent, sprint, ...others } = changes;
      lacksUnless(Object.keys(others).length === 0, 'set of that');
      const keys = Object.entries({ title, owner, priority, parent, sprint });
      return change('update_task', {
        id: ref,
        ...Object.fromEntries(keys.filter(([, value]) => value !== undefined)),
      });
    },
    setStatus: (ref, status, _actor, { onlyFinished: _, onlyIf, withoutChecks, ...options } = {}) => {
      lacksUnless(onlyIf === undefined && withoutChecks === undefined, 'such a status');
      return change('update_task', { id: ref, status, ...options });
    },
    remove: (ref) => change('delete_task', { id: ref }),
    call: byName({
      async history({ ref, ...rest }) {
        await ask(client, 'list_history', { ...rest, ...(ref === undefined ? {} : { id: ref }) });
      },
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
      addResource: ({ ref, kind, value, label = null }) =>
        change('add_resource', { id: ref, [kind]: value, ...(label === null ? {} : { label }) }),
      removeResource: ({ ref, index }) => change('remove_resource', { id: ref, index }),
      async ask({ ref, question, key }) {
        lacksUnless(key === undefined, 'a question by key');
        return change('ask_requester', { id: ref, question });
      },
    }),
    createSubtask: (ref, { body, parent, ...task }, _actor, step) => {
      lacksUnless(parent === undefined, 'a subtask of another parent');
      const index = step === undefined ? {} : { index: step };
      return change('create_subtask', {
        id: ref,
        ...task,
        ...index,
        ...(body === undefined ? {} : { description: body }),
      });
    },
    async bulk(changes) {
      const flat = changes.map(({ do: what, ...change }) => {
        if ('task' in change) {
          const { body, blockedBy, ...task } = change.task;
          return {
            do: what,
            ...task,
            ...(body === undefined ? {} : { description: body }),
            ...(blockedBy === undefined ? {} : { blocked_by: blockedBy }),
          };
        }
        const { ref, ...rest } = change;
        const { changes: keys = {}, ...others } = rest as { changes?: object };
        return { do: what, id: ref, ...keys, ...others };
      });
      const text = await ask(client, 'bulk_tasks', { changes: flat });
      return text.split('\n').map((line) => JSON.parse(line));
    },
  };
}

/** The same by the names of Claude Code. */
export function operationsByClaudeTools(client: LinkedClient, look: Client['show']): Partial<Client> {
  const words = { todo: 'pending', doing: 'in_progress', done: 'completed' } as Record<string, string>;
  const update = async (taskId: string, input: object) => {
    await ask(client, 'TaskUpdate', { taskId, ...input });
    return changedBy(taskId);
  };
  return {
    async show(ref) {
      await ask(client, 'TaskGet', { taskId: ref });
      return look(ref);
    },
    create: async ({ name, body, owner, ...rest }) => {
      lacksUnless(Object.keys(rest).length === 0, 'create with that');
      const more = {
        ...(body === undefined ? {} : { description: body }),
        ...(owner === undefined ? {} : { owner }),
      };
      const text = await ask(client, 'TaskCreate', { subject: name, ...more });
      return changedBy(/^Task #(\w+) created/.exec(text)![1]!);
    },
    setStatus: (ref, status, _actor, { onlyFinished: _, onlyIf, withoutChecks, ...options } = {}) => {
      lacksUnless(onlyIf === undefined && withoutChecks === undefined, 'such a status');
      lacksUnless(words[status] !== undefined, `status ${status}`);
      return update(ref, { status: words[status], ...options });
    },
    remove: (ref) => update(ref, { status: 'deleted' }),
    call: byName({
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
export function operationsByTodoTools(client: LinkedClient, look: Client['show']): Partial<Client> {
  const words = { todo: 'pending', doing: 'in_progress', done: 'completed', canceled: 'cancelled' };
  const change = async (name: string, input: object) => first(await ask(client, name, input));
  return {
    async show(ref) {
      await ask(client, 'todo_get', { id: ref });
      return look(ref);
    },
    create: ({ name, body, parent, sprint, priority, artifact, ...rest }) => {
      lacksUnless(Object.keys(rest).length === 0, 'create with that');
      const all = {
        title: name,
        notes: body,
        parent_id: parent,
        sprint_id: sprint,
        artifact_id: artifact,
        priority,
      };
      return change(
        'todo_add',
        Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
      );
    },
    set: async (ref, { priority, title, ...rest }) => {
      lacksUnless(Object.keys(rest).length === 0, 'set of that');
      return change('todo_update', {
        id: ref,
        ...(priority === undefined ? {} : { priority }),
        ...(title === undefined ? {} : { title }),
      });
    },
    setStatus: (ref, status, _actor, { onlyFinished: _, onlyIf, withoutChecks, outcome } = {}) => {
      lacksUnless(onlyIf === undefined && withoutChecks === undefined, 'such a status');
      lacksUnless(status !== 'draft', 'status draft');
      if (status === 'done')
        return change('todo_complete', { id: ref, ...(outcome === undefined ? {} : { outcome }) });
      lacksUnless(outcome === undefined, 'an outcome with that');
      return change('todo_update', { id: ref, status: words[status as keyof typeof words] });
    },
    remove: (ref) => change('todo_delete', { id: ref }),
    call: byName({
      async progress({ ref, text, key }) {
        lacksUnless(key === undefined, 'progress by key');
        await ask(client, 'todo_update', { id: ref, progress: text });
        return changedBy(ref);
      },
      comment: ({ ref, text }) => change('comment_task', { id: ref, text }),
    }),
    async completeAll(filter) {
      lacksUnless(Object.keys(filter).length === 0, 'such a filter');
      await ask(client, 'todo_complete', { all: true });
      return [];
    },
    async removeAll(which, filter) {
      lacksUnless(Object.keys(filter).length === 0, 'such a filter');
      await ask(client, 'todo_delete', { scope: which });
      return [];
    },
  };
}

const changedBy = (id: string) => ({ id, name: id, path: '', changed: true }) as never;
