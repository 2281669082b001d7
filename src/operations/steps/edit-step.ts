import { count, flag, operation, optional, ref, text } from '../operation.ts';

export const editStep = operation({
  summary: 'tick, untick or reword one step',
  about: 'Changes title, details or tick of one step; its link stays.',
  needs: 'write',
  http: { method: 'patch', path: '/api/tasks/{ref}/steps/{index}' },
  tool: { name: 'update_step', names: { ref: 'id' } },
  input: () => ({
    ref: ref(),
    index: count('from 0'),
    title: optional(text()),
    details: optional(text()),
    done: optional(flag()),
  }),
  run: async (on, { ref: task, index, ...change }, actor) =>
    (await import('../../tasks/change/steps.ts')).editStep(on, task, index, change, actor),
});
