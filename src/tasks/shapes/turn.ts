// Turns as every face answers them: those on record, those that are asked for, and jobs.
import * as z from 'zod';
import { INBOX_KINDS } from '../../core/config/names.ts';
import type { ThreadId, TurnId } from '../../core/ids.ts';
import type { TurnReason } from '../../core/rules/turn.ts';
import {
  count,
  flag,
  instant,
  list,
  named,
  once,
  optional,
  orNull,
  taskId,
  text,
  titleIfAny,
} from '../../core/shapes.ts';
import type { JobReason, JobRecord } from '../../store/ledger/turns/jobs.ts';

const turnId = () => text() as unknown as z.ZodType<TurnId>;
const state = () => z.enum(['pending', 'running', 'completed', 'failed', 'killed']);
const reason = () => text().nullable() as unknown as z.ZodType<TurnReason | null>;

/** What is told of the process of a turn or a job, and of its end. */
const processFields = () => ({
  exit_code: z.int().nullable(),
  signal: text().nullable(),
  pid: z.int().nullable(),
  message: orNull(text(), 'one line for people'),
  tool_call: orNull(text(), "an agent's call that asked for it"),
  told: flag('the person was shown how it ended'),
});

export const turnRef = () => text('id of a turn or job, unique prefix of one, or a task: its newest turn');

export const turnAnswer = named('Turn', () => ({
  id: turnId(),
  task: orNull(taskId(), "null for a chore's"),
  thread: text() as unknown as z.ZodType<ThreadId>,
  description: text(),
  origin: text('chat, task or chore'),
  agent: text(),
  runner: text(),
  state: state(),
  reason: reason().meta({ description: 'why it ended: docs/loop.md has them' }),
  reasons: list(text(), 'why it was asked for'),
  attempt: z.int().meta({ description: 'from 1' }),
  asked_at: instant().nullable(),
  started_at: instant().nullable(),
  ended_at: instant().nullable(),
  paused_ms: z.number().meta({ description: 'how long the machine slept meanwhile' }),
  ...processFields(),
  command: orNull(text(), 'what its agent runs; null for a model'),
  output_path: text(),
  output_offset: z.int().meta({ description: 'bytes of its output now: where to read on' }),
  limited_until: orNull(instant(), 'until when its agent is at a usage limit'),
  usage: z
    .strictObject({
      ...{ input_tokens: z.number(), output_tokens: z.number() },
      cost_usd: z.number().nullable(),
    })
    .nullable(),
}));

export const outputAnswer = named('Output', () => ({
  ...{ turn: turnId(), state: state(), reason: reason() },
  offset: z.int(),
  next: z.int().meta({ description: 'the byte to go on from' }),
  size: z.int().meta({ description: 'bytes there are now' }),
  text: text(),
  format: orNull(text(), 'how its program prints, where that is known'),
}));

export type TurnJson = z.output<ReturnType<typeof turnAnswer>>;
export type OutputJson = z.output<ReturnType<typeof outputAnswer>>;

export const spent = named('Spent', () => ({
  ...{ turns: count(), seconds: count(), input_tokens: count(), output_tokens: count() },
  cost_usd: z.number().nullable(),
}));

export type SpentJson = z.output<ReturnType<typeof spent>>;

// Shell commands in the background, as every face answers them.

const fields = () => ({
  id: text() as unknown as z.ZodType<JobRecord['id']>,
  kind: z.enum(['job', 'monitor']),
  thread: text("its own: it blocks no task's turn"),
  task: text(),
  turn: orNull(text(), 'that asked for it; null for a person'),
  agent: text(),
  command: text(),
  description: text(),
  keep: z.boolean(),
  watch: text().nullable(),
  state: state(),
  reason: text().nullable() as unknown as z.ZodType<JobReason | null>,
  asked_at: instant(),
  started_at: instant().nullable(),
  ended_at: instant().nullable(),
  paused_ms: z.number(),
  ...processFields(),
  output_path: text(),
});

export const newJob = () => ({
  command: text('the shell command'),
  description: optional(text(), 'what it is, in a line'),
  keep: optional(flag(), 'it goes on when the turn ends; its end wakes the task'),
  watch: optional(text(), 'note lines of output that hold this; several with | between'),
});

export type NewJob = z.output<z.ZodObject<ReturnType<typeof newJob>>>;

export const jobAnswer = named('Job', fields);

export const jobReading = named('JobReading', () => ({
  ...fields(),
  output: text(),
  output_offset: z.int().meta({ description: 'the byte to go on from' }),
  output_bytes: z.int().meta({ description: 'bytes there are now' }),
}));

export type JobReading = z.output<ReturnType<typeof jobReading>>;
export type JobJson = z.output<ReturnType<typeof jobAnswer>>;

// Workers on other machines, and where the turns of the room run, as every face shows them.

const worker = named('Worker', () => ({
  ...{ id: text(), name: text(), version: text(), slots: z.int() },
  agents: z.array(text()),
  live: z.boolean(),
  turns: list(text(), 'ids of the turns that it has'),
  trouble: orNull(text(), 'why it takes no turns'),
  started_at: instant().nullable(),
  seen_at: instant().nullable(),
}));

export const workersShape = once(() =>
  z.strictObject({
    workers: z.array(worker()),
    places: orNull(
      z.record(text(), text().nullable()),
      'worker of each turn that runs, null while it waits for one; null for a room whose turns run beside it',
    ),
    unserved: list(text(), 'agents that no living worker can run'),
  }),
);

export type WorkersJson = z.output<ReturnType<typeof workersShape>>;
export type WorkerJson = WorkersJson['workers'][number];

// A token of the API as every face shows it: never the token itself.

export const tokenAccess = once(() =>
  z
    .enum(['full', 'assistant', 'readonly', 'worker'])
    .meta({
      description:
        '`full`: what the person may do; `assistant`: what an agent with full access may; `readonly`: it only looks; `worker`: it takes turns',
    }),
);

export const tokenShape = named('Token', () => ({
  id: text(),
  kind: z.enum(['own', 'given', 'session']),
  name: text(),
  access: tokenAccess(),
  tasks: z.array(text()).nullable(),
  agents: z.array(text()).nullable(),
  created_at: instant().nullable(),
  expires_at: instant().nullable(),
  used_at: instant().nullable(),
}));

export type TokenJson = z.output<ReturnType<typeof tokenShape>>;

// What an agent told the person, as every face answers it.

export const noticeAnswer = named('Notice', () => ({
  seq: z.int(),
  at: instant(),
  from: text('`agent:<id>`, `taskroom`, or `person` for a trial of the own'),
  turn: text().nullable(),
  task: text().nullable(),
  ...{ name: text().nullable(), title: titleIfAny() },
  text: text(),
  told: flag('the person has seen it'),
  sent_at: instant().nullable(),
  error: text().nullable(),
}));

export type NoticeJson = z.output<ReturnType<typeof noticeAnswer>>;

// One thing that needs the person, as every face shows it.

export const inboxItem = named('InboxItem', () => ({
  kind: z.enum(INBOX_KINDS),
  key: text('the same for the same thing, as long as it stands'),
  task: taskId().nullable(),
  name: orNull(text(), "the task's name, or what else it is about"),
  title: titleIfAny(),
  text: text('what is wrong or asked, on one line'),
  settle: text('what settles it: a command, or what to change'),
  at: orNull(instant(), 'since when, where that is known'),
  conflict: optional(
    z.strictObject({
      ...{ id: text(), field: text(), lost_side: z.enum(['local', 'remote']) },
      ...{ standing: text(), lost: text() },
    }),
    'of a conflict: both its texts',
  ),
}));

export type InboxItem = z.output<ReturnType<typeof inboxItem>>;
