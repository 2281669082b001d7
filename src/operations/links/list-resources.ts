import { keyShapes } from '../../core/task/key-shapes.ts';
import { operation, ref, z } from '../operation.ts';

export const listResources = operation({
  summary: 'list what a task points at',
  about:
    'Lists the resources of a task, adds one, or takes one away: URLs and files that its agent is shown.',
  needs: 'read',
  http: { method: 'get', path: '/api/tasks/{ref}/resources' },
  cli: {
    command: 'resource',
    examples: {
      'taskroom resource "Fix the build" --add https://ci.example/run/7 --label "failed run"': 'add a URL',
      'taskroom resource 3npr': 'list them with their numbers',
      'taskroom resource 3npr --remove 1': 'take the first one away',
    },
    notes: 'Without --add and --remove, --json prints {"resources":[{"kind","value","label"}…]}.',
  },
  input: () => ({ ref: ref() }),
  output: () => z.strictObject(keyShapes(['resources'])),
  async run(on, { ref: task }) {
    const { resources } = await (await import('../../tasks/views/task-detail.ts')).showTask(on, task);
    return { resources };
  },
});
