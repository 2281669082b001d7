// What agents ask, and what they are answered.
import * as z from 'zod';
import { none, operation, text } from './entry.ts';

export const QUESTIONS = [
  operation(
    'accept',
    'person',
    'full',
    z.strictObject({ what: text.exactOptional() }),
    (on, { what }, actor) => on.accept(what, actor),
  ),
  operation('inbox', 'read', 'minimal', none, (on) => on.inbox()),
];
