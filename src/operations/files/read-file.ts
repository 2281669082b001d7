import * as z from 'zod';
import { text } from '../../core/shapes.ts';
import { operation } from '../operation.ts';

export const readFile = operation({
  name: 'readFile',
  summary: 'a task file as an editor has it',
  about: 'Its whole text, readable as a task or not.',
  needs: 'person',
  http: { method: 'get', path: '/api/files' },
  input: () =>
    z.strictObject({
      path: text().meta({ description: 'of a task file, open or archived, relative to the room' }),
    }),
  output: () =>
    z.strictObject({
      text: text(),
      hash: text().meta({ description: 'of the text: what an edit of it names' }),
    }),
  run: async ({ deps }, { path }) =>
    (await import('../../tasks/change/file-text.ts')).readFileText(deps, path),
});
