// Chores, mirrors and syncs as every face shows them.
import * as z from 'zod';
import { FIELDS, MIRROR_STATES } from './chore/fields.ts';
import { ERROR_CODES } from './errors.ts';
import { count, flag, instant, list, named, once, optional, orNull, text, unreadable } from './shapes.ts';

const fault = () => z.strictObject({ code: z.enum(ERROR_CODES), message: text(), hint: text().nullable() });

const choreShape = named('Chore', () => ({
  ...{ name: text(), path: text(), kind: z.enum(['mirror', 'prompt']) },
  source: orNull(text(), '`github:acme/web` of a mirror'),
  schedule: orNull(text(), 'as written; null for only when asked'),
  paused: z.boolean(),
  stopped: orNull(text(), 'why it stands still until a person looks'),
  running: z.boolean(),
  pending: flag('its turn waits for its place, or a run was asked for'),
  started_at: instant().nullable(),
  ended_at: instant().nullable(),
  result: orNull(
    z.strictObject({
      ...{ ok: z.boolean(), message: text(), turn: text().nullable() },
      counts: z.record(text(), z.number()),
    }),
    'of the last run',
  ),
  failures: count('failed runs in a row'),
  sync: orNull(
    z.strictObject({ synced_at: instant().nullable(), error: fault().nullable() }),
    'how its source stands, by whatever synced it last',
  ),
  next_at: orNull(instant(), 'when it is due; null for never by itself'),
}));

export const choreList = once(() =>
  z.strictObject({ chores: z.array(choreShape()), invalid: z.array(unreadable()) }),
);
export type ChoreList = z.output<ReturnType<typeof choreList>>;
export type ChoreJson = ChoreList['chores'][number];

const conflict = named(
  'Conflict',
  () => ({
    ...{ id: text(), task: text(), field: z.enum(FIELDS), at: instant().nullable() },
    lost_side: z
      .enum(['local', 'remote'])
      .meta({ description: 'whose text lost: of the file, or of the tracker' }),
    standing: text('what the file says now; a list has one item a line, no value is `none`'),
    lost: text("the other side's text"),
    kept: orNull(text(), 'where the text that lost lies too'),
    version: text('another one whenever either text is another'),
  }),
  'A field of which both sides said something else.',
);
export type ConflictJson = z.output<ReturnType<typeof conflict>>;

export const mirrorShape = named('Mirror', () => ({
  ...{ provider: text(), ref: text(), url: text().nullable(), task: text() },
  ...{ name: text().nullable(), title: text().nullable(), path: text().nullable(), chore: text() },
  state: z.enum(MIRROR_STATES),
  message: text().nullable(),
  remote_updated_at: instant().nullable(),
  synced_at: instant().nullable(),
  waiting: z.int().meta({ description: 'writes upstream that wait' }),
  due_at: orNull(instant(), 'when a write that has to wait is made'),
  conflicts: z.array(conflict()),
}));
export type MirrorJson = z.output<ReturnType<typeof mirrorShape>>;

const take = () =>
  z
    .enum(['standing', 'lost', 'own'])
    .meta({ description: 'keep what stands, take the text that lost, or `text`' });

export const settleWish = () => ({
  conflict: text('its id'),
  take: take(),
  text: optional(text(), 'a text of your own'),
  version: text('of the conflict as you looked at it'),
});

export type SettleWish = z.output<z.ZodObject<ReturnType<typeof settleWish>>>;

export const settlement = once(() =>
  conflict()
    .extend({ take: take(), changed: flag('whether the file was changed by it') })
    .meta({ id: 'Settlement' }),
);
export type SettlementJson = z.output<ReturnType<typeof settlement>>;

export const linked = named('Linked', () => ({
  ...{ task: text(), provider: text(), ref: text(), url: text().nullable(), chore: text() },
}));
export type LinkedJson = z.output<ReturnType<typeof linked>>;

export const syncReport = named('SyncReport', () => ({
  ...{ chore: text(), provider: text(), source: text(), dry_run: z.boolean() },
  created: count('tasks made'),
  updated: count('tasks whose file was changed'),
  pushed: count('issues that were written'),
  ...{ comments_in: count(), comments_out: count(), conflicts: count(), detached: count() },
  skipped: z.array(
    z.strictObject({ ref: text().nullable(), task: text().nullable(), what: text(), why: text() }),
  ),
  plan: list(text(), 'of a dry run, a line each'),
  ...{ requests: count(), not_modified: count() },
  remaining: orNull(z.number(), 'requests that the tracker still allows'),
  reset_at: orNull(z.number(), 'epoch ms'),
  waiting: count('what is still to be sent'),
  error: orNull(fault().extend({ retry_after_ms: count().exactOptional() }), 'why it ended early'),
}));
export type SyncReportJson = z.output<ReturnType<typeof syncReport>>;

export interface SyncProgress {
  chore: string;
  /** `waiting`: another process syncs this source; `who` names it. */
  phase: 'waiting' | 'pulling' | 'applying' | 'pushing' | 'sending' | 'checking';
  done: number;
  total: number | null; // Null while it is not known.
  who?: string;
}
