import { taskDetail } from '../../tasks/shapes/task.ts';
import { operation, ref } from '../operation.ts';

export const show = operation({
  summary: 'show one task',
  about:
    'Shows one task: how it stands, what it waits for, its last turns, and its text. Finished, archived and deleted ones too, from what was kept of them.',
  needs: 'read',
  http: { method: 'get', path: '/api/tasks/{ref}' },
  cli: {
    examples: {
      'taskroom show "Fix the build"': 'by name',
      'taskroom show 3npr --json | jq -r .body': 'only the text',
    },
  },
  input: () => ({ ref: ref() }),
  output: taskDetail,
  run: async (on, { ref: task }) => (await import('../../tasks/views/task-detail.ts')).showTask(on, task),
});
