import { jobAnswer, newJob } from '../../tasks/shapes/turn.ts';
import { operation, text } from '../operation.ts';

// Whether an agent may run programs follows from its permissions, never from its access to tasks.
export const startJob = operation({
  summary: 'start a shell command of a task',
  about:
    'Starts a shell command of a task, in the folder its agent works in. It is on record, and pending, when this answers.',
  needs: 'write',
  level: 'minimal',
  atOnce: true,
  http: { method: 'post', path: '/api/jobs', status: 201 },
  cli: {
    command: 'job start',
    words: ['command'],
    flags: { description: '--about <line>' },
    said: ({ id }) => [`job ${id} is started`, `taskroom job show ${id} --wait 30`],
  },
  tool: {
    name: 'start_job',
    about: 'Run a shell command in the background, its output on disk. It ends with your turn unless `keep`.',
    names: { task: 'id' },
    without: ['watch'],
    programs: true,
    said: ({ id, state }) => `${id} ${state}\nget_job tells how it stands.`,
  },
  input: () => ({ task: text('the task it belongs to; inside a turn its own'), ...newJob() }),
  output: jobAnswer,
  run: async (on, { task, ...job }, actor) =>
    (await import('../../tasks/turns/jobs.ts')).startJob(on, task, job, actor),
});
