import { count, operation, optional, orNull, ref, taskId, text, z } from '../operation.ts';

export const brief = operation({
  summary: 'read a task as agents are shown it, in pages',
  needs: 'read',
  http: { method: 'get', path: '/api/tasks/{ref}/brief' },
  tool: {
    name: 'get_task',
    about:
      'Read a task: facts, text, steps by index, comments. Finished and deleted ones too. Long ones come in pages.',
    names: { ref: 'id' },
    said: ({ text: page }) => page,
  },
  input: () => ({
    ref: ref(),
    offset: optional(count(), '`next` of the page before'),
    limit: optional(count(), 'characters of texts, about; 14,000 when absent'),
  }),
  output: () =>
    z
      .strictObject({
        ...{ id: taskId(), name: text() },
        text: text('facts, then texts of others between markers with author and trust'),
        next: orNull(count(), 'where the next page begins; null for the last'),
      })
      .meta({ id: 'Brief' }),
  run: async (on, { ref: task, ...page }) =>
    (await import('../../tasks/views/brief.ts')).briefTask(on, task, page),
});
