// What the API answers of chores and syncs, as schemas.
import * as z from 'zod';
import { ERROR_CODES } from '../../../core/errors.ts';
import { unreadable } from './task-answers.ts';

const text = z.string();
const instant = z.iso.datetime();
const count = z.int().min(0);

const fault = z.strictObject({ code: z.enum(ERROR_CODES), message: text, hint: text.nullable() });

const choreAnswer = z
  .strictObject({
    name: text,
    path: text,
    kind: z.enum(['mirror', 'prompt']),
    source: text.nullable(),
    schedule: text.nullable(),
    paused: z.boolean(),
    stopped: text.nullable().meta({ description: 'why it stands still until a person looks' }),
    running: z.boolean(),
    pending: z.boolean(),
    started_at: instant.nullable(),
    ended_at: instant.nullable(),
    result: z
      .strictObject({
        ok: z.boolean(),
        message: text,
        turn: text.nullable(),
        counts: z.record(text, z.number()),
      })
      .nullable(),
    failures: count,
    sync: z.strictObject({ synced_at: instant.nullable(), error: fault.nullable() }).nullable(),
    next_at: instant.nullable(),
  })
  .meta({ id: 'Chore' });

export const choresAnswer = z.strictObject({ chores: z.array(choreAnswer), invalid: z.array(unreadable) });

export const choreAsked = z
  .strictObject({
    name: text,
    kind: z.enum(['mirror', 'prompt']),
    daemon: z.boolean().meta({ description: 'something runs the room' }),
  })
  .meta({ id: 'ChoreAsked' });

export const syncReportAnswer = z
  .strictObject({
    ...{ chore: text, provider: text, source: text, dry_run: z.boolean() },
    created: count.meta({ description: 'tasks made' }),
    updated: count.meta({ description: 'tasks whose file was changed' }),
    pushed: count.meta({ description: 'issues that were written' }),
    comments_in: count,
    comments_out: count,
    conflicts: count,
    detached: count,
    skipped: z.array(z.strictObject({ ref: text.nullable(), task: text.nullable(), what: text, why: text })),
    plan: z.array(text).meta({ description: 'of a dry run, a line each' }),
    requests: count,
    not_modified: count,
    remaining: z.number().nullable().meta({ description: 'requests that the tracker still allows' }),
    reset_at: z.number().nullable().meta({ description: 'epoch ms' }),
    waiting: count.meta({ description: 'what is still to be sent' }),
    error: fault
      .extend({ retry_after_ms: count.optional() })
      .nullable()
      .meta({ description: 'why it ended early' }),
  })
  .meta({ id: 'SyncReport' });
