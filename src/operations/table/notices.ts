// What agents tell the person.
import * as z from 'zod';
import { ownKey } from '../../tasks/task-room.ts';
import { count, operation, ref, text } from './entry.ts';

export const NOTICES = [
  operation(
    'notify',
    'comment',
    'readonly',
    z.strictObject({ text, ref: ref.exactOptional(), key: text.exactOptional() }),
    (on, { text: words, key, ...about }, actor) => {
      const own = ownKey(actor, key);
      return on.notify(words, actor, { ...about, ...(own === undefined ? {} : { key: own }) });
    },
  ),
  operation(
    'notices',
    'read',
    'minimal',
    z.strictObject({ untold: z.boolean().exactOptional(), limit: count.exactOptional() }),
    (on, input) => on.notices(input),
  ),
  operation(
    'markNoticesTold',
    'person',
    'full',
    z.strictObject({ seqs: z.array(count) }),
    async (on, { seqs }) => {
      await on.markNoticesTold(seqs);
      return null;
    },
  ),
];
