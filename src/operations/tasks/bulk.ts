import { bulkChange, changedAnswer, keyInputs, MAX_BULK } from '../../tasks/shapes/change.ts';
import { levelOfChange, operation, optional, statusOrDeleted, text, z } from '../operation.ts';

/** The change that agents are shown: one form for all, without keys that they seldom give. */
const shownChange = () => {
  const { due: _, active_form: __, ...keys } = keyInputs();
  return z.strictObject({
    do: z.enum(['create', 'update', 'complete', 'delete']),
    id: optional(text()),
    title: optional(text(), 'of a new one; others of this call may name it'),
    ...{ description: optional(text()), status: optional(statusOrDeleted()), outcome: optional(text()) },
    ...keys,
  });
};

export const bulk = operation({
  summary: 'change several tasks, all or none',
  about: `Makes up to ${MAX_BULK} changes: all of them, or none when one is refused. What a crash cuts short is finished or taken back. Tasks of one call may name each other.`,
  needs: 'create',
  level: ({ changes }, own) =>
    changes.some((change) =>
      change.do === 'create' || change.do === 'update' ? levelOfChange(change, own) === 'full' : true,
    )
      ? 'full'
      : 'readonly',
  http: { method: 'patch', path: '/api/tasks/bulk' },
  cli: {
    input: 'changes',
    examples: {
      'echo \'[{"do":"create","title":"A"},{"do":"create","title":"B","blocked_by":["A"]}]\' | taskroom bulk':
        'two new tasks, one after the other',
      'echo \'[{"do":"complete","ref":"A"},{"do":"update","ref":"B","priority":"high"}]\' | taskroom bulk':
        'finish one, change another',
    },
    notes:
      'The changes are read as JSON from stdin: a list of {"do":"create","title",…}, {"do":"update","ref",…}, {"do":"complete","ref","outcome"} and {"do":"delete","ref"}. With --json: {"tasks":[…]}, in the order of the input.',
    done: ({ path }) => (path.startsWith('tasks/') ? `is changed: ${path}` : 'is changed'),
  },
  tool: {
    name: 'bulk_tasks',
    destructive: true,
    about: `Make, update, complete or delete up to ${MAX_BULK} tasks at once: all of it or nothing.`,
    shown: { changes: () => z.array(shownChange()).max(MAX_BULK) },
  },
  input: () => ({ changes: z.array(bulkChange()).min(1).max(MAX_BULK) }),
  output: () => ({ tasks: z.array(changedAnswer()) }),
  run: async (on, { changes }, actor) => ({
    tasks: await (await import('../../tasks/bulk/bulk-tasks.ts')).carryOutAll(on, changes, actor),
  }),
});
