// Jobs: shell commands in the background, for whom may run programs (B5).
import * as z from 'zod';
import { fence, oneLine } from '../../core/context/fence.ts';
import type { JobReading } from '../../tasks/contract/jobs.ts';
import { flag, given, id, offset, text } from './inputs.ts';
import { meant, type Tool, type ToolCaller, tool } from './tool.ts';

const PIECE = 12_000;
/** Less than what a call over a bridge may take, and other calls of the turn wait meanwhile. */
const WAIT_AT_ONCE_MS = 2_000;

export const START_JOB: Tool = {
  ...tool(
    'start_job',
    'minimal',
    'Run a shell command in the background, its output on disk. It ends with your turn unless `keep`.',
    z.strictObject({ command: text, description: text.optional(), keep: flag.optional(), id }),
    async (caller, { id: ref, ...job }) => {
      const { id: started, state } = await caller.tasks.startJob(
        meant(caller, ref),
        given(job),
        caller.actor,
      );
      return `${started} ${state}\nget_job tells how it stands.`;
    },
  ),
  programs: true,
};

export const GET_JOB = tool(
  'get_job',
  'minimal',
  'How a job stands and what it printed, waiting up to `wait` seconds for its end.',
  z.strictObject({
    id: text,
    wait: z.number().min(0).max(600).optional(),
    offset: offset.optional().describe('byte of its output; its end when left out'),
  }),
  (caller, { id: job, wait = 0, offset: from }) => jobText(caller, job, wait * 1000, from),
);

export const STOP_JOB: Tool = {
  ...tool(
    'stop_job',
    'minimal',
    'End a job.',
    z.strictObject({ id: text }),
    async ({ tasks, actor }, { id: job }) => {
      const { id: ended, state } = await tasks.stopJob(job, actor);
      return `${ended} ${state}`;
    },
  ),
  programs: true,
};

/** @param waitMs how long to wait for its end; @param offset byte of its output, its end when absent */
export async function jobText(
  caller: ToolCaller,
  id: string,
  waitMs: number,
  offset: number | undefined,
): Promise<string> {
  let job = await look(caller, id, 0, 0);
  for (let left = waitMs; isOpen(job) && left > 0; left -= WAIT_AT_ONCE_MS)
    job = await look(caller, id, 0, Math.min(left, WAIT_AT_ONCE_MS));
  const from = offset ?? Math.max(0, job.output.size - PIECE);
  const { output, state, reason, exitCode, ...rest } = await look(caller, id, from, 0, PIECE);
  const code = exitCode === null ? '' : `, exit code ${exitCode}`;
  const head = `${rest.id} ${state}${reason === null ? '' : ` (${reason})`}${code}: ${oneLine(rest.description).slice(0, 200)}`;
  const shown = fence(
    { what: 'output', author: rest.id, trust: 'agent', text: output.text },
    `out${rest.id}`,
  );
  const more =
    output.next < output.size
      ? `\n(there is more: ask again with offset ${output.next} of ${output.size})`
      : '';
  return `${head}\n${shown}${more}`;
}

function look(
  { tasks }: ToolCaller,
  id: string,
  offset: number,
  waitMs: number,
  limit = 1,
): Promise<JobReading> {
  return tasks.job(id, { offset, limit, waitMs });
}

function isOpen({ state }: JobReading): boolean {
  return state === 'running' || (state as string) === 'pending';
}
