// What the API answers of jobs, as schemas.
import * as z from 'zod';

const text = z.string();
const instant = z.iso.datetime();

const jobFields = {
  id: text,
  kind: z.enum(['job', 'monitor']),
  thread: text,
  task: text,
  turn: text.nullable(),
  agent: text,
  command: text,
  description: text,
  keep: z.boolean(),
  watch: text.nullable(),
  state: z.enum(['pending', 'running', 'completed', 'failed', 'killed']),
  reason: text.nullable(),
  asked_at: instant.nullable(),
  started_at: instant.nullable(),
  ended_at: instant.nullable(),
  paused_ms: z.number(),
  exit_code: z.int().nullable(),
  signal: text.nullable(),
  pid: z.int().nullable(),
  message: text.nullable(),
  tool_call: text.nullable(),
  told: z.boolean(),
  output_path: text,
};

export const jobAnswer = z.strictObject(jobFields).meta({ id: 'Job' });

export const jobsAnswer = z.strictObject({ jobs: z.array(jobAnswer) });

export const jobReadingAnswer = z
  .strictObject({
    ...jobFields,
    output: text,
    output_offset: z.int().meta({ description: 'the byte to go on from' }),
    output_bytes: z.int().meta({ description: 'bytes there are now' }),
  })
  .meta({ id: 'JobReading' });
