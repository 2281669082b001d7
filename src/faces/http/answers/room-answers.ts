// What the API answers of the room as a whole, as schemas: how it stands, its figures, its scopes, and what agents told.
import * as z from 'zod';
import { noticeAnswer } from '../../../tasks/shapes/notice.ts';
import { whyNot } from '../../../tasks/shapes/task.ts';
import { spent, turnAnswer } from '../../../tasks/shapes/turn.ts';
import { workersShape } from '../../../tasks/shapes/workers.ts';
import { problem, unreadable } from './task-answers.ts';

const text = z.string();
const instant = z.iso.datetime();
const count = z.int().min(0);
const named = { id: text.nullable(), name: text, path: text };

export const statusAnswer = z
  .strictObject({
    room: text.meta({ description: 'its folder' }),
    daemon: z.strictObject({ pid: z.int(), host: text, command: text, since: instant.nullable() }).nullable(),
    running: z.array(turnAnswer()),
    ended: z.array(turnAnswer()).meta({ description: 'since the person last looked' }),
    notices: z.array(noticeAnswer()),
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
    today: spent(),
    pending: z.array(z.strictObject(named)),
    held: z.array(z.strictObject(named)),
    stuck: z.array(z.strictObject({ ...named, why_not: whyNot() })),
    next_retry: z.strictObject({ ...named, at: instant.nullable() }).nullable(),
    trouble: z.array(z.strictObject({ message: text, hint: text.nullable() })),
    inbox: count,
    invalid: z.array(unreadable),
    problems: z.array(
      z.strictObject({ ...problem.shape, text: text.meta({ description: 'all of it on one line' }) }),
    ),
    workers: z
      .array(workersShape().shape.workers.element)
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
