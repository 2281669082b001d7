import { newStep } from '../../tasks/shapes/change.ts';
import { operation, optional, ref, text, z } from '../operation.ts';

export const setSteps = operation({
  summary: 'set the whole plan of a task',
  about:
    'Titles have at most 60 characters. A step that links a subtask keeps its link by its title and may not be left out.',
  needs: 'write',
  http: { method: 'put', path: '/api/tasks/{ref}/steps' },
  tool: { name: 'update_steps', names: { ref: 'id' } },
  input: () => ({ ref: ref(), steps: z.array(newStep({ task: optional(text().nullable()) })).max(200) }),
  run: async (on, { ref: task, steps }, actor) =>
    (await import('../../tasks/change/steps.ts')).setSteps(on, task, steps, actor),
});
