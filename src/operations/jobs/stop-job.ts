import { jobAnswer } from '../../tasks/shapes/turn.ts';
import { operation, text } from '../operation.ts';

export const stopJob = operation({
  summary: 'end a job',
  about: 'Ends a job: TERM, 5 s, KILL to its process group.',
  needs: 'write',
  level: 'minimal',
  atOnce: true,
  http: { method: 'post', path: '/api/jobs/{job}/stop' },
  cli: {
    command: 'job stop',
    words: ['job'],
    said: ({ id, ended_at, description }) => [
      `job ${id} ${ended_at === null ? 'is being stopped' : 'is stopped'}: ${description}`,
    ],
  },
  tool: {
    name: 'stop_job',
    about: 'End a job.',
    names: { job: 'id' },
    programs: true,
    said: ({ id, state }) => `${id} ${state}`,
  },
  input: () => ({ job: text('the id of a job, or its beginning') }),
  output: jobAnswer,
  run: async (on, { job }, actor) => (await import('../../tasks/turns/jobs.ts')).stopJob(on, job, actor),
});
