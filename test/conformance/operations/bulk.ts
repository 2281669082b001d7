// Several tasks changed at once.
import type { Case } from './case.ts';

export const BULK: Record<string, Case> = {
  bulk: (call) =>
    call('bulk', {
      changes: [
        { do: 'create', name: 'First', parent: 'One' },
        { do: 'create', name: 'Second', blocked_by: ['First'] },
        { do: 'update', ref: 'One', keys: { priority: 'high' } },
        { do: 'complete', ref: 'Part', outcome: 'It works.' },
      ],
    }),
  'bulk, one that can not be': (call) =>
    call('bulk', {
      changes: [
        { do: 'create', name: 'First' },
        { do: 'update', ref: 'Nowhere', keys: { priority: 'high' } },
      ],
    }),
  "bulk, one of another's": (call) =>
    call('bulk', {
      changes: [
        { do: 'complete', ref: 'Part' },
        { do: 'complete', ref: 'Other' },
      ],
    }),
  'bulk, deletion': (call) => call('bulk', { changes: [{ do: 'delete', ref: 'Part' }] }),
  'complete all': (call) => call('completeAll', {}),
  'complete all that fit': (call) => call('completeAll', { label: 'web' }),
  'remove all that are over': async (call) => {
    await call('cancel', { ref: 'Part' });
    return call('removeAll', { which: 'completed' });
  },
};
