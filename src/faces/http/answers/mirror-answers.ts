// What the API says of mirrors and their conflicts, and how one is settled, as schemas.
import * as z from 'zod';
import { FIELDS } from '../../../core/chore/chore.ts';
import { MIRROR_STATES } from '../../../core/chore/mirror-state.ts';

const text = z.string();

const conflict = z
  .strictObject({
    id: text,
    task: text,
    field: z.enum(FIELDS),
    at: z.iso.datetime().nullable(),
    lost_side: z
      .enum(['local', 'remote'])
      .meta({ description: 'whose text lost: of the file, or of the tracker' }),
    standing: text.meta({
      description: 'what the file says now; a list has one item a line, no value is `none`',
    }),
    lost: text.meta({ description: "the other side's text" }),
    kept: text.nullable().meta({ description: 'where the text that lost lies too' }),
    version: text.meta({ description: 'another one whenever either text is another' }),
  })
  .meta({ id: 'Conflict', description: 'A field of which both sides said something else.' });

export const mirrorAnswer = z
  .strictObject({
    provider: text,
    ref: text,
    url: text.nullable(),
    task: text,
    name: text.nullable(),
    path: text.nullable(),
    chore: text,
    state: z.enum(MIRROR_STATES),
    message: text.nullable(),
    remote_updated_at: z.iso.datetime().nullable(),
    synced_at: z.iso.datetime().nullable(),
    waiting: z.int(),
    due_at: z.iso.datetime().nullable(),
    conflicts: z.array(conflict),
  })
  .meta({ id: 'Mirror' });

export const settleAsked = z
  .strictObject({
    conflict: text.meta({ description: 'its id' }),
    take: z
      .enum(['standing', 'lost', 'own'])
      .meta({ description: 'keep what stands, take the text that lost, or `text`' }),
    text: text.optional().meta({ description: 'with `own`' }),
    version: text.meta({ description: 'of the conflict as you looked at it' }),
  })
  .meta({ id: 'SettleAsked' });

export const settlementAnswer = conflict
  .extend({
    take: z.enum(['standing', 'lost', 'own']),
    changed: z.boolean().meta({ description: 'whether the file was changed by it' }),
  })
  .meta({ id: 'Settlement' });
