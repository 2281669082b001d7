import * as z from 'zod';
import { changedAnswer, entryInput } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const note = operation({
  name: 'note',
  summary: 'what the runtime or a program said of a task: it stays in the file',
  needs: 'runtime',
  level: 'readonly',
  http: null,
  input: () =>
    entryInput().extend({
      under: z
        .enum(['Progress', 'Outcome'])
        .exactOptional()
        .meta({ description: 'Progress when left out; what a program printed stands under Outcome' }),
    }),
  output: changedAnswer,
  run: async (on, { under, ...entry }, actor) =>
    (await import('../../tasks/change/entry-change.ts')).addEntry(
      on,
      under === 'Outcome' ? 'output' : 'note',
      entry,
      actor,
    ),
});
