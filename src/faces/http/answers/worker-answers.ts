// What the API says of workers on other machines, and answers them, as schemas. What an agent's file says, a prompt's context and what an operation
// answered pass as they are: they are taskroom's own, on both ends.
import * as z from 'zod';
import { ERROR_CODES } from '../../../core/errors.ts';
import { problem } from './task-answers.ts';

const text = z.string();
const attempt = z.int().min(0);
const agent = z.unknown().meta({ description: 'as its file says, without secrets' });

export const greeting = z.strictObject({
  room: text.meta({ description: "the room's id" }),
  queue: text.meta({ description: 'name of the variable that holds the address of the queue, on the host' }),
  agents: z.array(agent),
});

export const news = z.strictObject({
  work: z.boolean().meta({ description: 'there may be something to fetch' }),
  stop: z.array(z.strictObject({ turn: text, attempt, reason: text })),
  changed: z.boolean().meta({ description: 'the agents are others than when it came' }),
  trouble: text.optional().meta({ description: 'why the worker is offered nothing' }),
  over: z
    .array(text)
    .optional()
    .meta({ description: 'of the tasks it asked about, those that are archived' }),
});

const workspace = z.strictObject({
  repository: text,
  from: text.nullable(),
  branch: text,
  base: text,
  tip: text.nullable(),
  folder: text,
  prefix: text,
});

export const claimed = z.strictObject({
  ...{ turn: text, attempt, tries: z.int() },
  subject: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('task'), task: z.strictObject({ id: text, name: text }) }),
    z.strictObject({ kind: z.literal('chore'), chore: z.strictObject({ name: text, prompt: text }) }),
  ]),
  prompt: text,
  context: z.unknown(),
  agent,
  caller: z.strictObject({ agent: text, access: text, task: text.nullable(), programs: z.boolean() }),
  token: text.meta({ description: "what the turn's agent reports with" }),
  session: text.nullable(),
  paths: z.strictObject({ turn: text, cwd: text, room: text, program: text }),
  workspace: workspace.nullable(),
});

const failure = z.strictObject({
  code: z.enum(ERROR_CODES),
  message: text,
  hint: text.optional(),
  problems: z.array(problem).optional(),
  retryAfterMs: z.number().optional(),
});

const bridged = z.discriminatedUnion('ok', [
  z.strictObject({ key: text, ok: z.literal(true), result: z.unknown() }),
  z.strictObject({ key: text, ok: z.literal(false), error: failure }),
]);

export const reported = z.strictObject({
  answers: z.array(
    z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('request'), answer: bridged }),
      z.strictObject({ kind: z.literal('service'), result: z.unknown() }),
      z.strictObject({ kind: z.literal('failed'), error: failure }),
      z.strictObject({ kind: z.literal('output'), size: z.int() }),
      z.strictObject({ kind: z.literal('done') }),
    ]),
  ),
});

export const branchPiece = z.strictObject({ size: z.int(), data: text.meta({ description: 'base64' }) });
