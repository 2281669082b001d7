import { operation, text, z } from '../operation.ts';

export const names = operation({
  summary: 'list names of the files in tasks/, none of them opened: for completions',
  needs: 'read',
  http: { method: 'get', path: '/api/names' },
  output: () => ({ names: z.array(text()) }),
  run: async (on) => ({ names: (await import('../../tasks/views/task-names.ts')).taskNames(on) }),
});
