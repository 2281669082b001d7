import { removedAnswer } from '../../tasks/shapes/change.ts';
import { flag, operation, optional, text, z } from '../operation.ts';

export const removeScope = operation({
  summary: 'move the files of all its tasks to the attic',
  about: 'Archived ones stay. What is left of a removal that was cut short goes when it is asked for again.',
  needs: 'write',
  level: 'full',
  http: { method: 'delete', path: '/api/scopes/{name}' },
  cli: {
    command: 'scope delete',
    words: ['name'],
    asks: 'Delete it?',
    said: ({ name, removed: gone }) => {
      const isDry = gone.some(({ changed }) => !changed);
      return [
        `${name} ${isDry ? 'would be' : 'is'} deleted with ${gone.length === 1 ? '1 task' : `${gone.length} tasks`}`,
        ...gone.map(({ name: task, attic }) =>
          isDry ? `${task} would go to the attic` : `${task} lies in ${attic}`,
        ),
      ];
    },
  },
  input: () => ({ name: text(), dry_run: optional(flag(), 'only say what would go') }),
  output: () => ({ name: text(), removed: z.array(removedAnswer()) }),
  async run(on, { name, dry_run }, actor) {
    const { removeScope } = await import('../../tasks/change/scopes.ts');
    return removeScope(on, name, actor, dry_run);
  },
});
