import * as z from 'zod';
import { count, text } from '../../core/shapes.ts';
import { operation } from '../operation.ts';

export const saveFile = operation({
  name: 'saveFile',
  summary: 'save what a person typed into a task file',
  about: 'Replaces a place of its text, whatever the file then says: as an editor beside the room would.',
  needs: 'person',
  http: { method: 'patch', path: '/api/files' },
  input: () =>
    z.strictObject({
      path: text(),
      edit: z.strictObject({
        only: text().meta({
          description: 'the hash of the text that is edited; refused where the file says another',
        }),
        ...{ start: count(), end: count(), text: text() },
      }),
    }),
  output: () => z.strictObject({ changed: z.boolean() }),
  run: async (on, { path, edit }, actor) =>
    (await import('../../tasks/change/file-text.ts')).saveFileText(on, path, edit, actor),
});
