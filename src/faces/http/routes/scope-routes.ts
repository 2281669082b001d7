// The tasks of a scope.
import * as z from 'zod';
import { taskListAnswer } from '../answers/task-answers.ts';
import { route } from '../gate/route.ts';
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
];
