// Changing several tasks at once.
import * as z from 'zod';
import { DELETED } from '../../core/task/status.ts';
import { MAX_BULK } from '../../tasks/contract/bulk.ts';
import { levelOfKeys, levelOfStatus, listFilter, newTask, operation, ref, status, text } from './entry.ts';

const change = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('create'), task: newTask }),
  z.strictObject({
    do: z.literal('update'),
    ref,
    changes: z.record(text, text).default({}),
    text: text.exactOptional(),
    status: status.or(z.literal(DELETED)).exactOptional(),
  }),
  z.strictObject({ do: z.literal('complete'), ref, outcome: text.exactOptional() }),
  z.strictObject({ do: z.literal('delete'), ref }),
]);

type Change = z.infer<typeof change>;

function isFull(given: Change): boolean {
  if (given.do === 'create') return levelOfStatus(given.task.status) === 'full';
  if (given.do !== 'update') return true;
  const { status: to, changes } = given;
  return to === DELETED || levelOfStatus(to) === 'full' || levelOfKeys(changes) === 'full';
}

const filter = listFilter.default({});

export const BULK = [
  operation(
    'bulk',
    'create',
    ({ changes }) => (changes.some(isFull) ? 'full' : 'readonly'),
    z.strictObject({ changes: z.array(change).min(1).max(MAX_BULK) }),
    (on, { changes }, actor) => on.bulk(changes, actor),
  ),
  operation('completeAll', 'write', 'full', z.strictObject({ filter }), (on, input, actor) =>
    on.completeAll(input.filter, actor),
  ),
  operation(
    'removeAll',
    'write',
    'full',
    z.strictObject({ which: z.enum(['completed', 'all']), filter }),
    (on, input, actor) => on.removeAll(input.which, input.filter, actor),
  ),
];
