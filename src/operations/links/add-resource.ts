import * as z from 'zod';
import { ref, text } from '../../core/shapes.ts';
import { changedAnswer } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const addResource = operation({
  name: 'addResource',
  summary: 'attach a url or a file to a task',
  about: 'One that is there already, label and all, is not added again.',
  needs: 'write',
  http: { method: 'post', path: '/api/tasks/{ref}/resources' },
  tool: { name: 'add_resource', names: { ref: 'id' } },
  input: () =>
    z.strictObject({
      ref: ref(),
      kind: z.enum(['url', 'file']),
      value: text().meta({ description: 'the URL, or the path' }),
      label: text().nullable().exactOptional().meta({ description: 'what it is' }),
    }),
  output: changedAnswer,
  run: async (on, { ref: task, label = null, ...resource }, actor) =>
    (await import('../../tasks/change/new-front-matter.ts')).addResource(
      on,
      task,
      { ...resource, label },
      actor,
    ),
});
