// Looking at tasks.
import * as z from 'zod';
import { count, listFilter, none, onTask, operation, ref } from './entry.ts';

export const READING = [
  operation(
    'list',
    'read',
    'minimal',
    z.strictObject({ filter: listFilter.exactOptional() }),
    async (on, { filter }) => {
      const { whyNot, ...list } = await on.list(filter);
      return { ...list, ...(whyNot === undefined ? {} : { whyNot: [...whyNot] }) };
    },
  ),
  operation('listAsJson', 'read', 'minimal', none, async (on) => {
    const list = await on.listAsJson();
    if (list === null) return null;
    const { bytes: _, chunks, ...rest } = list;
    return { ...rest, chunks: [...chunks] };
  }),
  operation('overview', 'read', 'minimal', none, (on) => on.overview()),
  operation('show', 'read', 'minimal', onTask, (on, input) => on.show(input.ref)),
  operation('names', 'read', 'minimal', none, (on) => on.names()),
  operation(
    'history',
    'read',
    'minimal',
    z.strictObject({ limit: count.exactOptional(), ref: ref.exactOptional() }),
    (on, input) => on.history(input),
  ),
  operation('context', 'read', 'minimal', onTask, (on, input) => on.context(input.ref)),
  operation('skipped', 'read', 'minimal', none, (on) => on.skipped()),
];
