// Several tasks at once, and the jobs of agents.
import * as z from 'zod';
import { OPERATIONS } from '../../../operations/table/operation-table.ts';
import { MAX_BULK } from '../../../tasks/contract/bulk.ts';
import { changedAnswer } from '../../../tasks/shapes/changed.ts';
import { jobJson, jobReadingJson } from '../../shapes/job-json.ts';
import { jobAnswer, jobReadingAnswer, jobsAnswer } from '../answers/job-answers.ts';
import { route } from '../gate/route.ts';

const text = z.string();
const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const onJob = z.strictObject({ job: text.meta({ description: 'its id, or a unique prefix of it' }) });
const MAX_BYTES = 1024 * 1024;

export const WORK_ROUTES = [
  route({
    method: 'post',
    path: '/api/tasks/bulk',
    id: 'bulk',
    about: `Up to ${MAX_BULK} changes, all of them or none.`,
    group: 'tasks',
    needs: 'change',
    body: OPERATIONS.get('bulk')!.input,
    answers: {
      200: {
        about: 'One answer a change, in their order.',
        schema: z.strictObject({ tasks: z.array(changedAnswer()) }),
      },
    },
    async run({ tasks, caller }, { body }) {
      const { changes } = body as { changes: Parameters<typeof tasks.bulk>[0] };
      return { body: { tasks: await tasks.bulk(changes, caller.actor) } };
    },
  }),
  route({
    method: 'post',
    path: '/api/jobs',
    id: 'startJob',
    about: 'Starts a shell command of a task, in the folder its agent works in.',
    group: 'turns',
    needs: 'person',
    body: z.strictObject({
      task: text,
      command: text,
      description: text.exactOptional(),
      keep: z.boolean().exactOptional().meta({ description: 'it goes on when the turn ends' }),
      watch: text.exactOptional().meta({ description: 'lines that hold this are noted in the task' }),
    }),
    answers: { 201: { about: 'The job.', schema: jobAnswer } },
    async run({ tasks, caller }, { body: { task, ...job } }) {
      return { status: 201, body: jobJson(await tasks.startJob(task, job, caller.actor)) };
    },
  }),
  route({
    method: 'get',
    path: '/api/jobs',
    id: 'listJobs',
    about: 'Background commands of agents, newest first.',
    group: 'turns',
    needs: 'look',
    query: z.strictObject({ task: text.optional() }),
    answers: { 200: { about: 'The jobs.', schema: jobsAnswer } },
    async run({ tasks }, { query: { task } }) {
      return { body: { jobs: (await tasks.jobs(task === undefined ? {} : { ref: task })).map(jobJson) } };
    },
  }),
  route({
    method: 'get',
    path: '/api/jobs/:job',
    id: 'showJob',
    about: 'One job with its output, from a byte on.',
    group: 'turns',
    needs: 'look',
    params: onJob,
    query: z.strictObject({
      offset: whole(0, Number.MAX_SAFE_INTEGER).optional(),
      limit: whole(4, MAX_BYTES).optional(),
      wait: whole(0, 60).optional().meta({ description: 'seconds, at most 60' }),
    }),
    answers: { 200: { about: 'The job.', schema: jobReadingAnswer } },
    async run({ tasks }, { params, query: { offset = 0, limit, wait = 0 } }) {
      const asked = { offset, waitMs: wait * 1000, ...(limit === undefined ? {} : { limit }) };
      return { body: jobReadingJson(await tasks.job(params.job, asked)) };
    },
  }),
  route({
    method: 'post',
    path: '/api/jobs/:job/stop',
    id: 'stopJob',
    about: 'Ends a job.',
    group: 'turns',
    needs: 'person',
    params: onJob,
    answers: { 200: { about: 'The job.', schema: jobAnswer } },
    run: async ({ tasks, caller }, { params }) => ({
      body: jobJson(await tasks.stopJob(params.job, caller.actor)),
    }),
  }),
];
