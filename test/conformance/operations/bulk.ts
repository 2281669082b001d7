// Several tasks changed at once.
import type { Case } from './case.ts';

export const BULK: Record<string, Case> = {
  bulk: (tasks, actor) =>
    tasks.bulk(
      [
        { do: 'create', task: { name: 'First', parent: 'One' } },
        { do: 'create', task: { name: 'Second', blockedBy: ['First'] } },
        { do: 'update', ref: 'One', changes: { priority: 'high' } },
        { do: 'complete', ref: 'Part', outcome: 'It works.' },
      ],
      actor,
    ),
  'bulk, one that can not be': (tasks, actor) =>
    tasks.bulk(
      [
        { do: 'create', task: { name: 'First' } },
        { do: 'update', ref: 'Nowhere', changes: { priority: 'high' } },
      ],
      actor,
    ),
  "bulk, one of another's": (tasks, actor) =>
    tasks.bulk(
      [
        { do: 'complete', ref: 'Part' },
        { do: 'complete', ref: 'Other' },
      ],
      actor,
    ),
  'bulk, deletion': (tasks, actor) => tasks.bulk([{ do: 'delete', ref: 'Part' }], actor),
  'complete all': (tasks, actor) => tasks.completeAll({}, actor),
  'complete all that fit': (tasks, actor) => tasks.completeAll({ label: 'web' }, actor),
  'remove all that are over': async (tasks, actor) => {
    await tasks.setStatus('Part', 'canceled', actor);
    return tasks.removeAll('completed', {}, actor);
  },
};
