import { count, flag, operation, text, z } from '../operation.ts';

export const saveFile = operation({
  summary: 'save what a person typed into a task file',
  about: 'Replaces a place of its text, whatever the file then says: as an editor beside the room would.',
  needs: 'person',
  http: { method: 'patch', path: '/api/files' },
  input: () => ({
    path: text(),
    edit: z.strictObject({
      only: text('the hash of the text that is edited; refused where the file says another'),
      ...{ start: count(), end: count(), text: text() },
    }),
  }),
  output: () => ({ changed: flag() }),
  run: async (on, { path, edit }, actor) =>
    (await import('../../tasks/change/update-task.ts')).saveFileText(on, path, edit, actor),
});
