import { jobAnswer } from '../../tasks/shapes/turn.ts';
import { operation, optional, text, z } from '../operation.ts';

export const listJobs = operation({
  summary: 'list background commands of agents, newest first',
  needs: 'read',
  http: { method: 'get', path: '/api/jobs' },
  cli: {
    command: 'job list',
    about: [
      'shell commands in the background',
      'Background jobs: shell commands of a task, run in the folder its agent works in, with their output on disk. A job ends with the turn that starts it, unless it is kept.',
    ],
    examples: {
      'taskroom job start "npm run build" --task web': 'start one; its id is printed',
      'taskroom job show b3k --wait 30': 'its state and output, once it ended or after 30 s',
      'taskroom job stop b3k': 'end it: TERM, 5 s, KILL',
    },
    notes:
      'With --json: {"jobs":[…]}; start, show and stop print one job, show with "output", "output_offset" (where to go on) and "output_bytes".\nAgents start jobs only where "permissions" in their agent.json is run or all.',
  },
  input: () => ({ task: optional(text(), 'the task it belongs to; inside a turn its own') }),
  output: () => ({ jobs: z.array(jobAnswer()) }),
  run: async (on, filter) => (await import('../../tasks/turns/jobs.ts')).listJobs(on, filter),
});
