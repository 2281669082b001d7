// Jobs as lines of a terminal.
import type { JobView } from '../../../tasks/contract/jobs.ts';
import type { Paint } from '../paint.ts';
import { cleanLine, fit, truncate } from './display-text.ts';
import { lengthOf } from './time-text.ts';

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

export function jobLine(job: JobView, nowMs: number, paint: Paint, columns: number | null): string {
  const took = job.startedAt === null ? '' : lengthOf((job.endedAt ?? nowMs) - job.startedAt);
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
