// How much was done.
import * as z from 'zod';
import { count, operation } from './entry.ts';

export const STATS = [
  operation('stats', 'read', 'minimal', z.strictObject({ weeks: count.exactOptional() }), (on, input) =>
    on.stats(input),
  ),
];
