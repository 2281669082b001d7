import { jobReading } from '../../tasks/shapes/turn.ts';
import { count, operation, optional, text, z } from '../operation.ts';

export const showJob = operation({
  summary: 'show one job with its output, from a byte on',
  needs: 'read',
  http: { method: 'get', path: '/api/jobs/{job}' },
  cli: { command: 'job show', words: ['job'], flags: { offset: '--from <byte>', limit: null } },
  input: () => ({
    job: text('the id of a job, or its beginning'),
    offset: optional(count(), 'output from this byte on'),
    limit: optional(count(), 'bytes, at most 1 MiB'),
    wait: optional(z.number().min(0), 'wait for its end, so many seconds at most, 600 of them'),
  }),
  output: jobReading,
  run: async (on, { job, ...options }, actor) =>
    (await import('../../tasks/turns/jobs.ts')).readJob(on, job, options, actor),
});
