import { operation, text } from '../operation.ts';

export const readFile = operation({
  summary: 'read a task file as an editor has it',
  about: 'Its whole text, readable as a task or not.',
  needs: 'person',
  http: { method: 'get', path: '/api/files' },
  input: () => ({ path: text('of a task file, open or archived, relative to the room') }),
  output: () => ({ text: text(), hash: text('of the text: what an edit of it names') }),
  run: async (on, { path }) => (await import('../../tasks/change/update-task.ts')).readFileText(on, path),
});
