import { listAnswer, listInput } from '../../tasks/shapes/task.ts';
import { operation, text } from '../operation.ts';

export const listScopeTasks = operation({
  summary: 'list the tasks of a scope, finished ones too',
  about: 'As the list of all; refused where there is no such scope.',
  needs: 'read',
  http: { method: 'get', path: '/api/scopes/{scope}/tasks', given: { agents: true } },
  input: () =>
    listInput()
      .omit({ ids: true, all: true, since: true })
      .extend({ scope: text('its name') }),
  output: listAnswer,
  run: async (on, input, actor) => (await import('../../tasks/views/list.ts')).listScope(on, input, actor),
});
