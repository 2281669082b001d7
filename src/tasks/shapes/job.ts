// Shell commands in the background, as every face answers them.
import * as z from 'zod';
import { instant, once, text } from '../../core/shapes.ts';
import type { JobReason, JobRecord } from '../../store/ledger/turns/jobs.ts';
import { processFields } from './turn.ts';

const fields = () => ({
  id: text() as unknown as z.ZodType<JobRecord['id']>,
  kind: z.enum(['job', 'monitor']),
  thread: text().meta({ description: "its own: it blocks no task's turn" }),
  task: text(),
  turn: text().nullable().meta({ description: 'that asked for it; null for a person' }),
  agent: text(),
  command: text(),
  description: text(),
  keep: z.boolean(),
  watch: text().nullable(),
  state: z.enum(['pending', 'running', 'completed', 'failed', 'killed']),
  reason: text().nullable() as unknown as z.ZodType<JobReason | null>,
  asked_at: instant(),
  started_at: instant().nullable(),
  ended_at: instant().nullable(),
  paused_ms: z.number(),
  ...processFields(),
  output_path: text(),
});

export const jobAnswer = once(() => z.strictObject(fields()).meta({ id: 'Job' }));

export const jobReading = once(() =>
  z
    .strictObject({
      ...fields(),
      output: text(),
      output_offset: z.int().meta({ description: 'the byte to go on from' }),
      output_bytes: z.int().meta({ description: 'bytes there are now' }),
    })
    .meta({ id: 'JobReading' }),
);

export type JobReading = z.output<ReturnType<typeof jobReading>>;
export type JobJson = z.output<ReturnType<typeof jobAnswer>>;
