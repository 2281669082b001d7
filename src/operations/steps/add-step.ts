import { operation, optional, ref, text } from '../operation.ts';

export const addStep = operation({
  summary: 'add a step at the end',
  about: 'A title has at most 60 characters.',
  needs: 'write',
  http: { method: 'post', path: '/api/tasks/{ref}/steps' },
  input: () => ({ ref: ref(), title: text(), details: optional(text()) }),
  run: async (on, { ref: task, title, details }, actor) =>
    (await import('../../tasks/change/steps.ts')).addStep(on, task, title, actor, details),
});
