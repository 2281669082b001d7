// What an agent told the person, as every face answers it.
import * as z from 'zod';
import { instant, once, text } from '../../core/shapes.ts';

export const noticeAnswer = once(() =>
  z
    .strictObject({
      seq: z.int(),
      at: instant(),
      from: text().meta({ description: '`agent:<id>`, `taskroom`, or `person` for a trial of the own' }),
      turn: text().nullable(),
      task: text().nullable(),
      name: text().nullable(),
      text: text(),
      told: z.boolean().meta({ description: 'the person has seen it' }),
      sent_at: instant().nullable(),
      error: text().nullable(),
    })
    .meta({ id: 'Notice' }),
);

export type NoticeJson = z.output<ReturnType<typeof noticeAnswer>>;
