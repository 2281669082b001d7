import { newTask } from '../../tasks/shapes/change.ts';
import { levelOfStatus, operation } from '../operation.ts';

export const create = operation({
  summary: 'write a new task',
  about: 'Writes a new task file in tasks/. A running room takes it up at once, unless it is a draft.',
  needs: 'create',
  level: ({ status }, own) => levelOfStatus(status, own),
  http: {
    ...{ method: 'post', path: '/api/tasks', status: 201 },
    ...{ also: '/api/scopes/{scope}/tasks', location: '/api/tasks/{id}' },
  },
  cli: {
    command: 'new',
    words: ['name', 'description'],
    stdin: ['description'],
    needed: ['name'],
    switches: { draft: { about: 'write it as a draft, which does not run', given: { status: 'draft' } } },
    flags: { status: null, sort: null },
    examples: {
      'taskroom new "Fix the build" "CI fails on main since Monday."':
        'a task that runs as soon as it is seen',
      'taskroom new "Write the notes" - --blocked-by "Fix the build" < brief.md':
        'text from stdin; waits for another',
      'taskroom new "Think about caching" --draft --edit': 'start a draft in your editor',
    },
    done: ({ path }) => `is written: ${path}`,
  },
  tool: {
    name: 'create_task',
    about: 'Make a task. Its owner gets a turn for it; yours unless another agent is named.',
    only: [
      ...['title', 'description', 'status', 'owner', 'priority', 'labels', 'blocked_by', 'parent'],
      ...['sprint', 'artifact', 'scope', 'sort'],
    ],
  },
  input: newTask,
  run: async (on, task, actor) =>
    (await import('../../tasks/change/create-task.ts')).createTask(on, task, actor),
});
