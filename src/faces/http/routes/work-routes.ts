// Several tasks at once, the sets that tasks belong to, and the jobs of agents.
import * as z from 'zod';
import { MAX_BULK } from '../../../tasks/contract/bulk.ts';
import type { ScopeView } from '../../../tasks/contract/scopes.ts';
import { OPERATIONS } from '../../../tasks/table/operation-table.ts';
import { changeJson } from '../../shapes/change-json.ts';
import { isoOrNull } from '../../shapes/iso-time.ts';
import { jobJson, jobReadingJson } from '../../shapes/job-json.ts';
import { changedAnswer } from '../answers/task-answers.ts';
import { route } from '../gate/route.ts';

const text = z.string();
const anything = z.looseObject({});
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
        schema: z.strictObject({ tasks: z.array(changedAnswer) }),
      },
    },
    async run({ tasks, caller }, { body }) {
      const { changes } = body as { changes: Parameters<typeof tasks.bulk>[0] };
      return { body: { tasks: (await tasks.bulk(changes, caller.actor)).map(changeJson) } };
    },
  }),
  route({
    method: 'get',
    path: '/api/scopes',
    id: 'listScopes',
    about: 'The sets that tasks belong to.',
    group: 'tasks',
    needs: 'look',
    answers: { 200: { about: 'The scopes.', schema: z.strictObject({ scopes: z.array(anything) }) } },
    run: async ({ tasks }) => ({ body: { scopes: (await tasks.scopes()).map(scopeJson) } }),
  }),
  route({
    method: 'get',
    path: '/api/jobs',
    id: 'listJobs',
    about: 'Background commands of agents, newest first.',
    group: 'turns',
    needs: 'look',
    query: z.strictObject({ task: text.optional() }),
    answers: { 200: { about: 'The jobs.', schema: z.strictObject({ jobs: z.array(anything) }) } },
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
    answers: { 200: { about: 'The job.', schema: anything } },
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
    answers: { 200: { about: 'The job.', schema: anything } },
    run: async ({ tasks, caller }, { params }) => ({
      body: jobJson(await tasks.stopJob(params.job, caller.actor)),
    }),
  }),
];

function scopeJson({ name, createdBy, chore, createdAt, counts }: ScopeView) {
  return { name, created_by: createdBy, chore, created_at: isoOrNull(createdAt), counts };
}
