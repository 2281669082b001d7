// Chores, mirrors and syncs as every face shows them.
import * as z from 'zod';
import { FIELDS, MIRROR_STATES } from './chore/fields.ts';
import { ERROR_CODES } from './errors.ts';
import { count, instant, once, text, unreadable } from './shapes.ts';

const fault = () => z.strictObject({ code: z.enum(ERROR_CODES), message: text(), hint: text().nullable() });

const choreShape = once(() =>
  z
    .strictObject({
      ...{ name: text(), path: text(), kind: z.enum(['mirror', 'prompt']) },
      source: text().nullable().meta({ description: '`github:acme/web` of a mirror' }),
      schedule: text().nullable().meta({ description: 'as written; null for only when asked' }),
      paused: z.boolean(),
      stopped: text().nullable().meta({ description: 'why it stands still until a person looks' }),
      running: z.boolean(),
      pending: z.boolean().meta({ description: 'its turn waits for its place, or a run was asked for' }),
      started_at: instant().nullable(),
      ended_at: instant().nullable(),
      result: z
        .strictObject({
          ...{ ok: z.boolean(), message: text(), turn: text().nullable() },
          counts: z.record(text(), z.number()),
        })
        .nullable()
        .meta({ description: 'of the last run' }),
      failures: count().meta({ description: 'failed runs in a row' }),
      sync: z
        .strictObject({ synced_at: instant().nullable(), error: fault().nullable() })
        .nullable()
        .meta({ description: 'how its source stands, by whatever synced it last' }),
      next_at: instant().nullable().meta({ description: 'when it is due; null for never by itself' }),
    })
    .meta({ id: 'Chore' }),
);

export const choreList = once(() =>
  z.strictObject({ chores: z.array(choreShape()), invalid: z.array(unreadable()) }),
);
export type ChoreList = z.output<ReturnType<typeof choreList>>;
export type ChoreJson = ChoreList['chores'][number];

const conflict = once(() =>
  z
    .strictObject({
      ...{ id: text(), task: text(), field: z.enum(FIELDS), at: instant().nullable() },
      lost_side: z
        .enum(['local', 'remote'])
        .meta({ description: 'whose text lost: of the file, or of the tracker' }),
      standing: text().meta({
        description: 'what the file says now; a list has one item a line, no value is `none`',
      }),
      lost: text().meta({ description: "the other side's text" }),
      kept: text().nullable().meta({ description: 'where the text that lost lies too' }),
      version: text().meta({ description: 'another one whenever either text is another' }),
    })
    .meta({ id: 'Conflict', description: 'A field of which both sides said something else.' }),
);
export type ConflictJson = z.output<ReturnType<typeof conflict>>;

export const mirrorShape = once(() =>
  z
    .strictObject({
      ...{ provider: text(), ref: text(), url: text().nullable(), task: text() },
      ...{ name: text().nullable(), title: text().nullable(), path: text().nullable(), chore: text() },
      state: z.enum(MIRROR_STATES),
      message: text().nullable(),
      remote_updated_at: instant().nullable(),
      synced_at: instant().nullable(),
      waiting: z.int().meta({ description: 'writes upstream that wait' }),
      due_at: instant().nullable().meta({ description: 'when a write that has to wait is made' }),
      conflicts: z.array(conflict()),
    })
    .meta({ id: 'Mirror' }),
);
export type MirrorJson = z.output<ReturnType<typeof mirrorShape>>;

const take = () =>
  z
    .enum(['standing', 'lost', 'own'])
    .meta({ description: 'keep what stands, take the text that lost, or `text`' });

export const settleWish = () => ({
  conflict: text().meta({ description: 'its id' }),
  take: take(),
  text: text().exactOptional().meta({ description: 'a text of your own' }),
  version: text().meta({ description: 'of the conflict as you looked at it' }),
});

export type SettleWish = z.output<z.ZodObject<ReturnType<typeof settleWish>>>;

export const settlement = once(() =>
  conflict()
    .extend({
      take: take(),
      changed: z.boolean().meta({ description: 'whether the file was changed by it' }),
    })
    .meta({ id: 'Settlement' }),
);
export type SettlementJson = z.output<ReturnType<typeof settlement>>;

export const linked = once(() =>
  z
    .strictObject({
      ...{ task: text(), provider: text(), ref: text(), url: text().nullable(), chore: text() },
    })
    .meta({ id: 'Linked' }),
);
export type LinkedJson = z.output<ReturnType<typeof linked>>;

export const syncReport = once(() =>
  z
    .strictObject({
      ...{ chore: text(), provider: text(), source: text(), dry_run: z.boolean() },
      created: count().meta({ description: 'tasks made' }),
      updated: count().meta({ description: 'tasks whose file was changed' }),
      pushed: count().meta({ description: 'issues that were written' }),
      ...{ comments_in: count(), comments_out: count(), conflicts: count(), detached: count() },
      skipped: z.array(
        z.strictObject({ ref: text().nullable(), task: text().nullable(), what: text(), why: text() }),
      ),
      plan: z.array(text()).meta({ description: 'of a dry run, a line each' }),
      ...{ requests: count(), not_modified: count() },
      remaining: z.number().nullable().meta({ description: 'requests that the tracker still allows' }),
      reset_at: z.number().nullable().meta({ description: 'epoch ms' }),
      waiting: count().meta({ description: 'what is still to be sent' }),
      error: fault()
        .extend({ retry_after_ms: count().exactOptional() })
        .nullable()
        .meta({ description: 'why it ended early' }),
    })
    .meta({ id: 'SyncReport' }),
);
export type SyncReportJson = z.output<ReturnType<typeof syncReport>>;

export interface SyncProgress {
  chore: string;
  /** `waiting`: another process syncs this source; `who` names it. */
  phase: 'waiting' | 'pulling' | 'applying' | 'pushing' | 'sending' | 'checking';
  done: number;
  /** Null while it is not known. */
  total: number | null;
  who?: string;
}
