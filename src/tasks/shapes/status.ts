// How a room stands, as every face shows it.
import * as z from 'zod';
import { byStatus, count, instant, once, problem, text, unreadable } from '../../core/shapes.ts';
import { noticeAnswer } from './notice.ts';
import { whyNot } from './task.ts';
import { spent, turnAnswer } from './turn.ts';
import { workersShape } from './workers.ts';

const named = () => ({ id: text().nullable(), name: text(), path: text() });
const retry = () => z.strictObject({ ...named(), at: instant().nullable() });

export const statusAnswer = once(() =>
  z
    .strictObject({
      room: text().meta({ description: 'its folder' }),
      daemon: z
        .strictObject({ pid: z.int(), host: text(), command: text(), since: instant().nullable() })
        .nullable(),
      counts: byStatus().meta({ description: 'of the files that can be read' }),
      running: z.array(turnAnswer()),
      ended: z.array(turnAnswer()).meta({ description: 'since the person last looked' }),
      notices: z.array(noticeAnswer()),
      waiting: z.array(
        z.strictObject({
          agent: text().nullable().meta({ description: 'null for the room' }),
          until: instant().nullable(),
          why: z.enum(['usage_limit', 'budget']),
          text: text(),
          taken_by: text().nullable().meta({ description: 'who takes its turns meanwhile' }),
          tasks: count().meta({ description: 'how many wait for it' }),
        }),
      ),
      today: spent(),
      pending: z.array(z.strictObject(named())),
      held: z.array(z.strictObject(named())),
      stuck: z
        .array(z.strictObject({ ...named(), why_not: whyNot() }))
        .meta({ description: 'due, but for want of an agent' }),
      retries: z.array(retry()).meta({ description: 'the soonest first' }),
      next_retry: retry().nullable(),
      trouble: z.array(z.strictObject({ message: text(), hint: text().nullable() })),
      inbox: count(),
      invalid: z.array(unreadable()),
      problems: z.array(
        z.strictObject({
          ...problem().shape,
          text: text().meta({ description: 'all of it on one line' }),
        }),
      ),
      workers: workersShape()
        .shape.workers.optional()
        .meta({ description: 'on other machines; with what follows, of a room whose turns run there' }),
      places: workersShape().shape.places.unwrap().optional(),
      unserved: workersShape().shape.unserved.optional(),
      queue: z.strictObject({ answers: z.boolean(), trouble: text().nullable() }).optional(),
    })
    .meta({ id: 'RoomStatus' }),
);

export type RoomStatus = z.output<ReturnType<typeof statusAnswer>>;
