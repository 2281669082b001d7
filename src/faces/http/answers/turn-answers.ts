// What the API answers of turns, as schemas.
import * as z from 'zod';

const text = z.string();
const instant = z.iso.datetime();

export const turnAnswer = z
  .strictObject({
    id: text,
    task: text.nullable(),
    thread: text,
    description: text,
    origin: text,
    agent: text,
    runner: text,
    state: z.enum(['pending', 'running', 'completed', 'failed', 'killed']),
    reason: text.nullable(),
    reasons: z.array(text),
    attempt: z.int(),
    asked_at: instant.nullable(),
    started_at: instant.nullable(),
    ended_at: instant.nullable(),
    exit_code: z.int().nullable(),
    signal: text.nullable(),
    pid: z.int().nullable(),
    message: text.nullable(),
    paused_ms: z.number().meta({ description: 'how long the machine slept meanwhile' }),
    tool_call: text.nullable(),
    told: z.boolean(),
    command: text.nullable().meta({ description: 'what its agent runs; null for a model' }),
    output_path: text,
    output_offset: z.int().meta({ description: 'bytes of its output now: where to read on' }),
    limited_until: instant.nullable(),
    usage: z
      .strictObject({ input_tokens: z.number(), output_tokens: z.number(), cost_usd: z.number().nullable() })
      .nullable(),
  })
  .meta({ id: 'Turn' });

export const turnsAnswer = z.strictObject({ turns: z.array(turnAnswer) });

export const outputAnswer = z
  .strictObject({
    turn: text,
    state: text,
    reason: text.nullable(),
    offset: z.int(),
    next: z.int().meta({ description: 'the byte to go on from' }),
    size: z.int().meta({ description: 'bytes there are now' }),
    text,
  })
  .meta({ id: 'Output' });
