import { entryInput } from '../../tasks/shapes/change.ts';
import { operation, optional, z } from '../operation.ts';

export const note = operation({
  summary: 'note in a task what the runtime or a program says of it',
  needs: 'runtime',
  level: 'readonly',
  http: null,
  input: () =>
    entryInput().extend({
      under: optional(
        z.enum(['Progress', 'Outcome']),
        'Progress when left out; what a program printed stands under Outcome',
      ),
    }),
  async run(on, { under, ...entry }, actor) {
    const { addEntry } = await import('../../tasks/change/entry-change.ts');
    return addEntry(on, under === 'Outcome' ? 'output' : 'note', entry, actor);
  },
});
