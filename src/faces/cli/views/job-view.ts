// Jobs as lines of a terminal: a line each, or one with its output.
import type { OutputOf } from '../../../operations/client.ts';
import type { JobJson } from '../../../tasks/shapes/turn.ts';
import { cleanLine, cleanText, fit, truncate } from '../lines/display-text.ts';
import { lengthOf } from '../lines/time-text.ts';
import type { Paint } from '../paint.ts';

const COLOURS = {
  pending: 'yellow',
  running: 'cyan',
  completed: 'green',
  failed: 'red',
  killed: 'dim',
} as const;
const STATE_CELLS = 10;
const AGENT_CELLS = 12;
const TIME_CELLS = 8;

export function jobLines(
  { jobs }: OutputOf<'listJobs'>,
  paint: Paint,
  columns: number | null,
  nowMs: number,
): string[] {
  return jobs.length === 0
    ? [paint('dim', 'no jobs')]
    : jobs.map((job) => jobLine(job, paint, columns, nowMs));
}

export function jobDetailLines(
  job: OutputOf<'showJob'>,
  paint: Paint,
  columns: number | null,
  nowMs: number,
): string[] {
  const { output, output_offset: next, output_bytes: size } = job;
  return [
    jobLine(job, paint, columns, nowMs),
    ...(output === '' ? [] : [cleanText(output).replace(/\n$/, '')]),
    ...(next < size ? [paint('dim', `  more: taskroom job show ${job.id} --from ${next}`)] : []),
  ];
}

function jobLine(job: JobJson, paint: Paint, columns: number | null, nowMs: number): string {
  const { started_at: from, ended_at: to } = job;
  const took = from === null ? '' : lengthOf((to === null ? nowMs : Date.parse(to)) - Date.parse(from));
  const used = 2 + job.id.length + 2 + STATE_CELLS + 2 + TIME_CELLS + 2 + AGENT_CELLS + 2;
  const keeps = job.keep ? ' (kept)' : '';
  const said = job.message === null || job.message === '' ? '' : ` · ${cleanLine(job.message)}`;
  const words = truncate(
    `${cleanLine(job.description)}${keeps}${said}`,
    columns === null ? null : columns - used,
  );
  const state = paint(COLOURS[job.state], fit(job.state, STATE_CELLS));
  return `  ${job.id}  ${state}  ${fit(took, TIME_CELLS)}  ${fit(cleanLine(job.agent), AGENT_CELLS)}  ${words}`.trimEnd();
}
