import * as z from 'zod';
import { count, text } from '../../core/shapes.ts';
import { jobReading } from '../../tasks/shapes/turn.ts';
import { operation } from '../operation.ts';

export const showJob = operation({
  name: 'showJob',
  summary: 'one job with its output, from a byte on',
  needs: 'read',
  http: { method: 'get', path: '/api/jobs/{job}' },
  cli: { command: 'job show', words: ['job'], flags: { offset: '--from <byte>', limit: null } },
  input: () =>
    z.strictObject({
      job: text().meta({ description: 'the id of a job, or its beginning' }),
      offset: count().exactOptional().meta({ description: 'output from this byte on' }),
      limit: count().exactOptional().meta({ description: 'bytes, at most 1 MiB' }),
      wait: z
        .number()
        .min(0)
        .exactOptional()
        .meta({ description: 'wait for its end, so many seconds at most, 600 of them' }),
    }),
  output: jobReading,
  run: async (on, { job, ...options }, actor) =>
    (await import('../../tasks/turns/jobs.ts')).readJob(on, job, options, actor),
});
