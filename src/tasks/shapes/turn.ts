// Turns as every face answers them: those on record, those that are asked for, and jobs.
import * as z from 'zod';
import type { ThreadId, TurnId } from '../../core/ids.ts';
import type { TurnReason } from '../../core/rules/turn.ts';
import { count, instant, once, taskId, text } from '../../core/shapes.ts';

const turnId = () => text() as unknown as z.ZodType<TurnId>;
const state = () => z.enum(['pending', 'running', 'completed', 'failed', 'killed']);
const reason = () => text().nullable() as unknown as z.ZodType<TurnReason | null>;

/** What is told of the process of a turn or a job, and of its end. */
export const processFields = () => ({
  exit_code: z.int().nullable(),
  signal: text().nullable(),
  pid: z.int().nullable(),
  message: text().nullable(),
  tool_call: text().nullable(),
  told: z.boolean(),
});

/** How callers name a turn. */
export const turnRef = () =>
  text().meta({ description: 'id of a turn or job, unique prefix of one, or a task: its newest turn' });

export const turnAnswer = once(() =>
  z
    .strictObject({
      id: turnId(),
      task: taskId().nullable().meta({ description: "null for a chore's" }),
      thread: text() as unknown as z.ZodType<ThreadId>,
      description: text(),
      origin: text(),
      agent: text(),
      runner: text(),
      state: state(),
      reason: reason(),
      reasons: z.array(text()),
      attempt: z.int(),
      asked_at: instant().nullable(),
      started_at: instant().nullable(),
      ended_at: instant().nullable(),
      paused_ms: z.number().meta({ description: 'how long the machine slept meanwhile' }),
      ...processFields(),
      command: text().nullable().meta({ description: 'what its agent runs; null for a model' }),
      output_path: text(),
      output_offset: z.int().meta({ description: 'bytes of its output now: where to read on' }),
      limited_until: instant().nullable(),
      usage: z
        .strictObject({
          ...{ input_tokens: z.number(), output_tokens: z.number() },
          cost_usd: z.number().nullable(),
        })
        .nullable(),
    })
    .meta({ id: 'Turn' }),
);

export const outputAnswer = once(() =>
  z
    .strictObject({
      ...{ turn: turnId(), state: state(), reason: reason() },
      offset: z.int(),
      next: z.int().meta({ description: 'the byte to go on from' }),
      size: z.int().meta({ description: 'bytes there are now' }),
      text: text(),
      format: text().nullable().meta({ description: 'how its program prints, where that is known' }),
    })
    .meta({ id: 'Output' }),
);

export type TurnJson = z.output<ReturnType<typeof turnAnswer>>;
export type OutputJson = z.output<ReturnType<typeof outputAnswer>>;

export const spent = once(() =>
  z
    .strictObject({
      ...{ turns: count(), seconds: count(), input_tokens: count(), output_tokens: count() },
      cost_usd: z.number().nullable(),
    })
    .meta({ id: 'Spent' }),
);

export type SpentJson = z.output<ReturnType<typeof spent>>;
