// One thing that needs the person, as every face shows it.
import * as z from 'zod';
import { INBOX_KINDS } from '../../core/config/inbox-kinds.ts';
import { instant, once, taskId, text } from '../../core/shapes.ts';

export const inboxItem = once(() =>
  z
    .strictObject({
      kind: z.enum(INBOX_KINDS),
      key: text().meta({ description: 'the same for the same thing, as long as it stands' }),
      task: taskId().nullable(),
      name: text().nullable().meta({ description: "the task's name, or what else it is about" }),
      text: text().meta({ description: 'what is wrong or asked, on one line' }),
      settle: text().meta({ description: 'what settles it: a command, or what to change' }),
      at: instant().nullable().meta({ description: 'since when, where that is known' }),
      conflict: z
        .strictObject({
          ...{ id: text(), field: text(), lost_side: z.enum(['local', 'remote']) },
          ...{ standing: text(), lost: text() },
        })
        .exactOptional()
        .meta({ description: 'of a conflict: both its texts' }),
    })
    .meta({ id: 'InboxItem' }),
);

export type InboxItem = z.output<ReturnType<typeof inboxItem>>;
