import { removedAnswer } from '../../tasks/shapes/change.ts';
import { operation, text, z } from '../operation.ts';

export const removeScope = operation({
  summary: 'move the files of all its tasks to the attic',
  about: 'Archived ones stay. What is left of a removal that was cut short goes when it is asked for again.',
  needs: 'write',
  level: 'full',
  http: { method: 'delete', path: '/api/scopes/{name}' },
  cli: {
    command: 'scope delete',
    words: ['name'],
    said: ({ name, removed: gone }) => [
      `${name} is deleted with ${gone.length === 1 ? '1 task' : `${gone.length} tasks`}`,
      ...gone.map(({ name: task, attic }) => `${task} lies in ${attic}`),
    ],
  },
  input: () => ({ name: text() }),
  output: () => ({ name: text(), removed: z.array(removedAnswer()) }),
  async run(on, { name }, actor) {
    const gone = await (await import('../../tasks/change/scopes.ts')).removeScope(on, name, actor);
    return { name: gone.name, removed: gone.removed };
  },
});
