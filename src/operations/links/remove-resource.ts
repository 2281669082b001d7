import { count, operation, ref } from '../operation.ts';

export const removeResource = operation({
  summary: 'take a resource off a task',
  about: 'The file or the page itself stays where it is.',
  needs: 'write',
  http: { method: 'delete', path: '/api/tasks/{ref}/resources/{index}' },
  cli: {
    command: 'resource',
    flag: ['remove'],
    flags: { index: '--remove <number>' },
    fromOne: ['index'],
    done: 'no longer has that resource',
  },
  tool: { name: 'remove_resource', names: { ref: 'id' } },
  input: () => ({ ref: ref(), index: count('its number, from 0') }),
  run: async (on, { ref: task, index }, actor) =>
    (await import('../../tasks/change/new-front-matter.ts')).removeResource(on, task, index, actor),
});
