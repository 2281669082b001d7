import type { TurnContext } from '../../core/context/context-shape.ts';
import { operation, ref, text, z } from '../operation.ts';

export const context = operation({
  summary: 'show what an agent would get',
  about: "Shows what an agent would get for a task: the context's two objects, and the prompt.",
  needs: 'read',
  http: { method: 'get', path: '/api/tasks/{ref}/context' },
  cli: {
    examples: {
      'taskroom context "Fix the build"': 'context, then prompt',
      'taskroom context 3npr --json | jq .context.task_services': 'what the agent could do',
    },
    notes: 'With --json: {"context":{"task":{…},"task_services":{…},…},"prompt":"…"}.',
  },
  input: () => ({ ref: ref() }),
  output: () => ({
    context: z
      .looseObject({})
      .meta({ description: 'as docs/spec.md has it' }) as unknown as z.ZodType<TurnContext>,
    prompt: text(),
  }),
  run: async (on, { ref: task }) => (await import('../../tasks/views/task-detail.ts')).showContext(on, task),
});
