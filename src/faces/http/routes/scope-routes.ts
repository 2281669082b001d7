// The tasks of a scope.
import * as z from 'zod';
import { changedAnswer } from '../../../tasks/shapes/changed.ts';
import { scopeRemoved } from '../answers/room-answers.ts';
import { taskListAnswer } from '../answers/task-answers.ts';
import { route } from '../gate/route.ts';
import { makeTask, newScopeTask } from './one-task.ts';
import { answerList, listQuery } from './task-lists.ts';

const text = z.string();
const onScope = z.strictObject({ scope: text.meta({ description: 'its name' }) });

export const SCOPE_ROUTES = [
  route({
    method: 'get',
    path: '/api/scopes/:scope/tasks',
    id: 'listScopeTasks',
    about: 'Lists the tasks of a scope, as the list of all.',
    group: 'tasks',
    needs: 'look',
    params: onScope,
    query: listQuery.omit({ scope: true, ids: true, all: true }),
    headers: { 'if-none-match': 'answers 304 while nothing changed' },
    answers: { 200: { about: 'The tasks, in order.', schema: taskListAnswer }, 304: { about: 'As before.' } },
    run: (on, { params, query }) =>
      answerList(on, { ...query, all: true, scope: params.scope, needsScope: true }),
  }),
  route({
    method: 'post',
    path: '/api/scopes/:scope/tasks',
    id: 'createScopeTask',
    about: 'Makes a task in a scope.',
    group: 'tasks',
    needs: 'change',
    params: onScope,
    body: newScopeTask,
    answers: { 201: { about: 'It is made.', schema: changedAnswer() } },
    run: (on, { params, body }) => makeTask(on, { ...body, scope: params.scope }),
  }),
  route({
    method: 'post',
    path: '/api/scopes/:scope/complete',
    id: 'completeScope',
    about: 'Finishes every todo and doing task of a scope: all of them or none.',
    group: 'tasks',
    needs: 'change',
    params: onScope,
    answers: {
      200: { about: 'What came of each.', schema: z.strictObject({ tasks: z.array(changedAnswer()) }) },
    },
    async run({ tasks, caller }, { params }) {
      const done = await tasks.completeAll(params, caller.actor);
      return { body: { tasks: done } };
    },
  }),
  route({
    method: 'delete',
    path: '/api/scopes/:scope/tasks',
    id: 'removeScopeTasks',
    about: 'Moves the files of its tasks to the attic: the done and canceled ones, or all. The scope stays.',
    group: 'tasks',
    needs: 'change',
    params: onScope,
    query: z.strictObject({ which: z.enum(['completed', 'all']) }),
    answers: { 200: { about: 'The tasks that went.', schema: scopeRemoved } },
    async run({ tasks, caller }, { params, query }) {
      const removed = await tasks.removeAll(query.which, params, caller.actor);
      return { body: { name: params.scope, removed: removed } };
    },
  }),
];
