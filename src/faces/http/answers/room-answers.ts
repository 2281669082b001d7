// What the API answers of the room as a whole, as schemas: how it stands, its figures, its scopes, and what agents told.
import * as z from 'zod';
import { STATUSES } from '../../../core/task/status.ts';
import { removedAnswer } from '../../../tasks/shapes/changed.ts';
import { problem, spent, unreadable, whyNot } from './task-answers.ts';
import { turnAnswer } from './turn-answers.ts';
import { workerAnswer } from './worker-answers.ts';

const text = z.string();
const instant = z.iso.datetime();
const count = z.int().min(0);
const named = { id: text.nullable(), name: text, path: text };
const byStatus = z.record(z.enum(STATUSES), count);

const noticeAnswer = z
  .strictObject({
    seq: z.int(),
    at: instant.nullable(),
    from: text.meta({ description: '`agent:<id>`, `taskroom`, or `person` for a trial of the own' }),
    turn: text.nullable(),
    task: text.nullable(),
    name: text.nullable(),
    text,
    sent_at: instant.nullable(),
    error: text.nullable(),
  })
  .meta({ id: 'Notice' });

export const noticesAnswer = z.strictObject({ notices: z.array(noticeAnswer) });

export const statusAnswer = z
  .strictObject({
    room: text.meta({ description: 'its folder' }),
    daemon: z.strictObject({ pid: z.int(), host: text, command: text, since: instant.nullable() }).nullable(),
    running: z.array(turnAnswer),
    ended: z.array(turnAnswer).meta({ description: 'since the person last looked' }),
    notices: z.array(noticeAnswer),
    waiting: z.array(
      z.strictObject({
        agent: text.nullable().meta({ description: 'null for the room' }),
        until: instant.nullable(),
        why: z.enum(['usage_limit', 'budget']),
        text,
        taken_by: text.nullable(),
        tasks: count,
      }),
    ),
    today: spent,
    pending: z.array(z.strictObject(named)),
    held: z.array(z.strictObject(named)),
    stuck: z.array(z.strictObject({ ...named, why_not: whyNot })),
    next_retry: z.strictObject({ ...named, at: instant.nullable() }).nullable(),
    trouble: z.array(z.strictObject({ message: text, hint: text.nullable() })),
    inbox: count,
    invalid: z.array(unreadable),
    problems: z.array(
      z.strictObject({ ...problem.shape, text: text.meta({ description: 'all of it on one line' }) }),
    ),
    workers: z
      .array(workerAnswer)
      .optional()
      .meta({ description: 'on other machines; with what follows, of a room whose turns run there' }),
    places: z
      .record(text, text.nullable())
      .optional()
      .meta({ description: 'worker of each turn that runs; null while it waits for one' }),
    unserved: z.array(text).optional().meta({ description: 'agents that no living worker can run' }),
    queue: z.strictObject({ answers: z.boolean(), trouble: text.nullable() }).optional(),
  })
  .meta({ id: 'RoomStatus' });

const taskCounts = z.strictObject({ open: count, done: count, canceled: count });
const turnCounts = z.strictObject({
  ...{ turns: count, failed: count, ms: z.number() },
  ...{ input_tokens: z.number(), output_tokens: z.number(), cost_usd: z.number() },
});

export const figuresAnswer = z
  .strictObject({
    status: byStatus.meta({ description: 'files in tasks/' }),
    archived: count,
    agents: z.array(z.strictObject({ agent: text, tasks: taskCounts, turns: turnCounts })),
    sprints: z.array(z.strictObject({ sprint: text.nullable(), tasks: taskCounts })),
    weeks: z.array(
      z.strictObject({
        ...{ week: text, from: text, done: count, canceled: count },
        turns: turnCounts,
        sync: z.strictObject({ syncs: count, failed: count, requests: count }),
      }),
    ),
  })
  .meta({ id: 'Figures' });

export const scopeRemoved = z.strictObject({ name: text, removed: z.array(removedAnswer()) });
