// A turn as every face shows it: one on record, one that is asked for (`pending`), or a job; and what turns used.
import * as z from 'zod';
import { count, instant, once, taskId, text, turnId } from '../../core/shapes.ts';

export const turn = once(() =>
  z
    .strictObject({
      ...{ id: turnId(), task: taskId().nullable(), thread: text(), description: text() },
      ...{ origin: text(), agent: text(), runner: text() },
      state: z.enum(['pending', 'running', 'completed', 'failed', 'killed']),
      ...{ reason: text().nullable(), reasons: z.array(text()), attempt: z.int() },
      asked_at: instant().nullable(),
      started_at: instant().nullable(),
      ended_at: instant().nullable(),
      ...{ exit_code: z.int().nullable(), signal: text().nullable(), pid: z.int().nullable() },
      message: text().nullable(),
      paused_ms: z.number().meta({ description: 'how long the machine slept meanwhile' }),
      ...{ tool_call: text().nullable(), told: z.boolean() },
      command: text().nullable().meta({ description: 'what its agent runs; null for a model' }),
      output_path: text(),
      output_offset: z.int().meta({ description: 'bytes of its output now: where to read on' }),
      limited_until: instant().nullable(),
      usage: z
        .strictObject({
          input_tokens: z.number(),
          output_tokens: z.number(),
          cost_usd: z.number().nullable(),
        })
        .nullable(),
    })
    .meta({ id: 'Turn' }),
);

export type TurnJson = z.output<ReturnType<typeof turn>>;

export const spent = once(() =>
  z
    .strictObject({
      ...{ turns: count(), seconds: count(), input_tokens: count(), output_tokens: count() },
      cost_usd: z.number().nullable(),
    })
    .meta({ id: 'Spent' }),
);

export type SpentJson = z.output<ReturnType<typeof spent>>;
