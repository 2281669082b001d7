// What agents ask, and what they are answered.
import * as z from 'zod';
import { ownKey } from '../../tasks/task-room.ts';
import { none, operation, ref, text } from './entry.ts';

export const QUESTIONS = [
  operation(
    'ask',
    'write',
    'readonly',
    z.strictObject({ ref, question: text, key: text.exactOptional() }),
    (on, { ref: task, question, key }, actor) => on.ask(task, question, actor, ownKey(actor, key)),
  ),
  operation(
    'answer',
    'person',
    'full',
    z.strictObject({ ref, text, question: text.exactOptional() }),
    (on, { ref: task, text: words, question }, actor) => on.answer(task, words, actor, question),
  ),
  operation(
    'accept',
    'person',
    'full',
    z.strictObject({ what: text.exactOptional() }),
    (on, { what }, actor) => on.accept(what, actor),
  ),
  operation('inbox', 'read', 'minimal', none, (on) => on.inbox()),
];
