// Tools that read (S9, B5): lists of tasks in pages, and the output of jobs and turns, which is data.
import * as z from 'zod';
import { fence, oneLine } from '../../core/context/fence.ts';
import { TURN_LETTERS } from '../../core/ids.ts';
import { isOver } from '../../core/rules/turn.ts';
import { count, flag, optional, status, text, words } from '../../core/shapes.ts';
import { STATUSES, type Status } from '../../core/task/status.ts';
import type { ListFilter, TaskRow } from '../../tasks/shapes/task.ts';
import type { TurnJson } from '../../tasks/shapes/turn.ts';
import type { OutputOf } from '../client.ts';
import { type ToolCaller, taskLine, tool } from './tool.ts';

const PAGE = 50;
const MOST = 500;
const OPEN: Status[] = STATUSES.filter((each) => each !== 'done' && each !== 'canceled');

type ListInput = ListFilter & { all?: boolean; offset?: number; limit?: number };

/** A page of tasks; the caller's open ones unless others are asked for. */
export async function readPage(
  { tasks, actor, agent }: ToolCaller,
  { all, offset: from = 0, limit = PAGE, ...asked }: ListInput,
) {
  const isOthers = all || asked.owner !== undefined || asked.parent !== undefined || agent === null;
  const filter = {
    ...{ status: OPEN, ...asked },
    ...(isOthers ? {} : { owner: agent }),
    ...{ offset: from, limit: Math.min(Math.max(limit, 1), MOST) },
  };
  const { tasks: found, invalid, next_offset: more } = await tasks.call('list', filter, actor);
  return { tasks: found, more, invalid };
}

type LineOf = (task: TaskRow) => string;

/** The same as text, one line a task. @param none the text of an empty list */
export async function listText(caller: ToolCaller, asked: ListInput, none: string, lineOf: LineOf) {
  const { tasks, more, invalid } = await readPage(caller, asked);
  const lines = tasks.length === 0 ? [none] : tasks.map(lineOf);
  if (more !== null) lines.push(`(there are more: ask again with offset ${more})`);
  return { text: lines.join('\n'), invalid: invalid.length };
}

export const LIST_TASKS = tool(
  'list_tasks',
  'minimal',
  'List tasks, one a line; the open ones of yours unless you ask for others.',
  z.strictObject({
    all: optional(flag(), "other agents' too"),
    status: optional(words(status()).max(5)),
    ...{ owner: optional(text()), parent: optional(text()), sprint: optional(text()) },
    ...{ artifact: optional(text()), scope: optional(text()), label: optional(text()) },
    text: optional(text(), 'words to search for'),
    ready: optional(flag(), 'could start now'),
    ...{ offset: optional(count()), limit: optional(count()) },
  }),
  async (caller, input) => {
    const { text: listed, invalid } = await listText(caller, input, 'No tasks.', taskLine);
    return invalid === 0 ? listed : `${listed}\n(${invalid} files can't be read as tasks; the person knows)`;
  },
);

export const GET_JOB = tool(
  'get_job',
  'minimal',
  'How a job stands and what it printed, waiting up to `wait` seconds for its end.',
  z.strictObject({
    id: text(),
    wait: z.number().min(0).max(600).optional(),
    offset: count().optional().describe('byte of its output; its end when left out'),
  }),
  (caller, { id: job, wait = 0, offset = null }) => jobText(caller, job, wait, offset),
);

const PIECE = 12_000; // Bytes of output in an answer.

/** The state of a job and a piece of its output; waits at most `wait` seconds for its end. @param from null for the last piece */
export async function jobText({ tasks, actor }: ToolCaller, id: string, wait: number, from: number | null) {
  const { output_bytes: all } = await tasks.call('showJob', { job: id, limit: 1, wait }, actor);
  const at = from ?? Math.max(0, all - PIECE);
  const job = await tasks.call('showJob', { job: id, offset: at, limit: PIECE }, actor);
  const { output: text, output_offset: next, output_bytes: size } = job;
  const about = `: ${oneLine(job.description).slice(0, 200)}`;
  return outputText({ ...job, about }, job.id, at, { text, next, size });
}

const TURN_ID = new RegExp(`^[${Object.values(TURN_LETTERS).join('')}][0-9a-z]{8}$`);

/** Ids of tasks that we make have 8 characters. */
export const isTurnId = (word: string) => TURN_ID.test(word);

/** As {@link jobText}, of a turn. */
export async function turnText(caller: ToolCaller, turn: string, wait: number, from: number | null) {
  const { tasks, actor } = caller;
  let shown = await tasks.call('showTurn', { turn }, actor);
  const { id } = shown;
  if (!isOver(shown.state) && wait > 0) {
    // No output comes after this byte, so that the call waits for the end.
    await tasks.call('turnOutput', { turn: id, offset: Number.MAX_SAFE_INTEGER, wait }, actor);
    shown = await tasks.call('showTurn', { turn: id }, actor);
  }
  const at = from ?? Math.max(0, shown.output_offset - PIECE);
  const piece = await tasks.call('turnOutput', { turn: id, offset: at, limit: PIECE }, actor);
  return outputText({ ...shown, about: '' }, shown.agent, at, piece);
}

function outputText(
  { id, state, reason, exit_code: exit, about }: Pick<TurnJson, 'id' | 'state' | 'exit_code'> & Headed,
  author: string,
  from: number,
  { text: said, next, size }: Pick<OutputOf<'turnOutput'>, 'text' | 'next' | 'size'>,
): string {
  const head = `${id} ${state}${reason === null ? '' : ` (${reason})`}${exit === null ? '' : `, exit code ${exit}`}`;
  const shown = fence({ what: 'output', author, trust: 'agent', text: said }, `out${id}`);
  const more = next >= size ? '' : `\n(bytes ${from} to ${next} of ${size}: ask again with offset ${next})`;
  return `${head}${about}\n${shown}${more}`;
}

type Headed = { reason: string | null; about: string };
