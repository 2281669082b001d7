import * as z from 'zod';
import { text } from '../../core/shapes.ts';
import { jobAnswer } from '../../tasks/shapes/turn.ts';
import { operation } from '../operation.ts';

export const listJobs = operation({
  name: 'listJobs',
  summary: 'background commands of agents, newest first',
  needs: 'read',
  http: { method: 'get', path: '/api/jobs' },
  cli: {
    command: 'job list',
    words: [],
    notes:
      'With --json: {"jobs":[…]}; start, show and stop print one job, show with "output", "output_offset" (where to go on) and "output_bytes".\nAgents start jobs only where "permissions" in their agent.json is run or all.',
  },
  input: () =>
    z.strictObject({
      task: text().exactOptional().meta({ description: 'the task it belongs to; inside a turn its own' }),
    }),
  output: () => z.strictObject({ jobs: z.array(jobAnswer()) }),
  run: async (on, filter) => (await import('../../tasks/turns/jobs.ts')).listJobs(on, filter),
});
