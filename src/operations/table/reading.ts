// Looking at tasks.
import * as z from 'zod';
import { listFilter, none, operation } from './entry.ts';

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
];
