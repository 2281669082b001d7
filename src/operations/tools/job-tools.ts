// Looking at a job, a shell command in the background (B5).
import * as z from 'zod';
import { fence, oneLine } from '../../core/context/fence.ts';
import { offset, text } from './inputs.ts';
import { type ToolCaller, tool } from './tool.ts';

const PIECE = 12_000;

export const GET_JOB = tool(
  'get_job',
  'minimal',
  'How a job stands and what it printed, waiting up to `wait` seconds for its end.',
  z.strictObject({
    id: text,
    wait: z.number().min(0).max(600).optional(),
    offset: offset.optional().describe('byte of its output; its end when left out'),
  }),
  (caller, { id: job, wait = 0, offset: from }) => jobText(caller, job, wait, from),
);

/** @param wait seconds to wait for its end; @param offset byte of its output, its end when absent */
export async function jobText(
  caller: ToolCaller,
  id: string,
  wait: number,
  offset: number | undefined,
): Promise<string> {
  const { tasks, actor } = caller;
  const { output_bytes: all } = await tasks.call('showJob', { job: id, limit: 1, wait }, actor);
  const from = offset ?? Math.max(0, all - PIECE);
  const job = await tasks.call('showJob', { job: id, offset: from, limit: PIECE }, actor);
  const code = job.exit_code === null ? '' : `, exit code ${job.exit_code}`;
  const reason = job.reason === null ? '' : ` (${job.reason})`;
  const head = `${job.id} ${job.state}${reason}${code}: ${oneLine(job.description).slice(0, 200)}`;
  const shown = fence({ what: 'output', author: job.id, trust: 'agent', text: job.output }, `out${job.id}`);
  const { output_offset: next, output_bytes: size } = job;
  const more = next < size ? `\n(there is more: ask again with offset ${next} of ${size})` : '';
  return `${head}\n${shown}${more}`;
}
