// Several tasks changed at once.
import type { Case } from './case.ts';

export const BULK: Record<string, Case> = {
  bulk: (tasks, actor) =>
    tasks.call(
      'bulk',
      {
        changes: [
          { do: 'create', name: 'First', parent: 'One' },
          { do: 'create', name: 'Second', blocked_by: ['First'] },
          { do: 'update', ref: 'One', keys: { priority: 'high' } },
          { do: 'complete', ref: 'Part', outcome: 'It works.' },
        ],
      },
      actor,
    ),
  'bulk, one that can not be': (tasks, actor) =>
    tasks.call(
      'bulk',
      {
        changes: [
          { do: 'create', name: 'First' },
          { do: 'update', ref: 'Nowhere', keys: { priority: 'high' } },
        ],
      },
      actor,
    ),
  "bulk, one of another's": (tasks, actor) =>
    tasks.call(
      'bulk',
      {
        changes: [
          { do: 'complete', ref: 'Part' },
          { do: 'complete', ref: 'Other' },
        ],
      },
      actor,
    ),
  'bulk, deletion': (tasks, actor) => tasks.call('bulk', { changes: [{ do: 'delete', ref: 'Part' }] }, actor),
  'complete all': (tasks, actor) => tasks.call('completeAll', {}, actor),
  'complete all that fit': (tasks, actor) => tasks.call('completeAll', { label: 'web' }, actor),
  'remove all that are over': async (tasks, actor) => {
    await tasks.call('cancel', { ref: 'Part' }, actor);
    return tasks.call('removeAll', { which: 'completed' }, actor);
  },
};
