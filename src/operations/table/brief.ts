// A task as agents are shown it.
import * as z from 'zod';
import { count, operation, ref } from './entry.ts';

export const BRIEF = [
  operation(
    'brief',
    'read',
    'minimal',
    z.strictObject({ ref, offset: count.exactOptional(), limit: count.exactOptional() }),
    (on, { ref: task, ...page }) => on.brief(task, page),
  ),
];
