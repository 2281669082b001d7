// Subtasks, what waits for what, and resources.
import type { Case } from './case.ts';

export const LINKS: Record<string, Case> = {
  'subtask of a step': async (call) => [
    await call('createSubtask', { ref: 'One', name: 'Child', description: 'Words.', index: 0 }),
    (await call('show', { ref: 'One' })).steps.list.map(({ task }) => task !== null),
    (await call('show', { ref: 'One' })).subtasks.map(({ name, status }) => [name, status]),
  ],
  'subtask without a step': (call) =>
    call('createSubtask', { ref: 'One', name: `A child ${'with a long name '.repeat(5)}` }),
  'subtask, a second one of a step': async (call) => {
    await call('createSubtask', { ref: 'One', name: 'Child', index: 0 });
    return call('createSubtask', { ref: 'One', name: 'Twin', index: 0 });
  },
  'subtask of a step that is not there': (call) =>
    call('createSubtask', { ref: 'One', name: 'Child', index: 7 }),
  'subtask that names another parent': (call) =>
    call('createSubtask', { ref: 'One', name: 'Child', parent: 'Other' }),
  'subtask for nobody': (call) =>
    call('createSubtask', { ref: 'One', name: 'Child', owner: 'nobody', index: 0 }),
  'subtask of a task that is over': async (call) => {
    await call('complete', { ref: 'Part' });
    return call('createSubtask', { ref: 'Part', name: 'Child' });
  },
  "subtask of another's task": (call) => call('createSubtask', { ref: 'Other', name: 'Child' }),
  'block and unblock': async (call) => [
    await call('block', { ref: 'One', by: 'Part' }),
    await call('block', { ref: 'One', by: 'part1234' }),
    (await call('show', { ref: 'One' })).blockers,
    (await call('show', { ref: 'Part' })).blocks,
    await call('unblock', { ref: 'One', by: 'Part' }),
    await call('unblock', { ref: 'One', by: 'Part' }),
  ],
  'block, in a circle': (call) => call('block', { ref: 'One', by: 'Other' }),
  'block, by itself': (call) => call('block', { ref: 'One', by: 'One' }),
  'block, by nothing there': (call) => call('block', { ref: 'One', by: 'Nowhere' }),
  'block, the other end': (call) => call('block', { ref: 'Part', by: 'One' }),
  resources: async (call) => [
    await call('addResource', { kind: 'url', value: 'https://example.org/spec', label: 'Spec', ref: 'One' }),
    await call('addResource', { kind: 'file', value: 'docs/plan.md', label: null, ref: 'One' }),
    await call('addResource', { kind: 'file', value: 'docs/plan.md', label: null, ref: 'One' }),
    (await call('show', { ref: 'One' })).resources,
    await call('removeResource', { ref: 'One', index: 0 }),
    (await call('show', { ref: 'One' })).resources,
    await call('removeResource', { ref: 'One', index: 0 }),
  ],
  'resource, no URL': (call) =>
    call('addResource', { kind: 'url', value: 'docs/plan.md', label: null, ref: 'One' }),
  'resource, empty': (call) => call('addResource', { kind: 'file', value: ' ', label: null, ref: 'One' }),
  'resource, not there': (call) => call('removeResource', { ref: 'One', index: 2 }),
};
