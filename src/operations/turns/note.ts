import * as z from 'zod';
import { ref, text } from '../../core/shapes.ts';
import { changedAnswer } from '../../tasks/shapes/changed.ts';
import { ownKey } from '../../tasks/task-room.ts';
import { operation } from '../operation.ts';

export const note = operation({
  name: 'note',
  summary: 'what the runtime or a program said of a task: it stays in the file',
  needs: 'runtime',
  level: 'readonly',
  http: null,
  cli: null,
  tool: null,
  input: () =>
    z.strictObject({
      ref: ref(),
      text: text(),
      key: text().exactOptional().meta({ description: 'the same again adds nothing' }),
      under: z
        .enum(['Progress', 'Outcome'])
        .exactOptional()
        .meta({ description: 'Progress when left out; what a program printed stands under Outcome' }),
    }),
  output: changedAnswer,
  run: async (on, { ref: task, text: words, key, under }, actor) =>
    (await import('../../tasks/change/entry-change.ts')).addEntry(
      on,
      under === 'Outcome' ? 'output' : 'note',
      task,
      words,
      actor,
      ownKey(actor, key),
    ),
});
