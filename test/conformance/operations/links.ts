// Subtasks, what waits for what, and resources.
import type { Case } from './case.ts';

export const LINKS: Record<string, Case> = {
  'subtask of a step': async (tasks, actor) => [
    await tasks.call('createSubtask', { ref: 'One', name: 'Child', description: 'Words.', index: 0 }, actor),
    (await tasks.call('show', { ref: 'One' }, actor)).steps.list.map(({ task }) => task !== null),
    (await tasks.call('show', { ref: 'One' }, actor)).subtasks.map(({ name, status }) => [name, status]),
  ],
  'subtask without a step': (tasks, actor) =>
    tasks.call('createSubtask', { ref: 'One', name: `A child ${'with a long name '.repeat(5)}` }, actor),
  'subtask, a second one of a step': async (tasks, actor) => {
    await tasks.call('createSubtask', { ref: 'One', name: 'Child', index: 0 }, actor);
    return tasks.call('createSubtask', { ref: 'One', name: 'Twin', index: 0 }, actor);
  },
  'subtask of a step that is not there': (tasks, actor) =>
    tasks.call('createSubtask', { ref: 'One', name: 'Child', index: 7 }, actor),
  'subtask that names another parent': (tasks, actor) =>
    tasks.call('createSubtask', { ref: 'One', name: 'Child', parent: 'Other' }, actor),
  'subtask for nobody': (tasks, actor) =>
    tasks.call('createSubtask', { ref: 'One', name: 'Child', owner: 'nobody', index: 0 }, actor),
  'subtask of a task that is over': async (tasks, actor) => {
    await tasks.call('complete', { ref: 'Part' }, actor);
    return tasks.call('createSubtask', { ref: 'Part', name: 'Child' }, actor);
  },
  "subtask of another's task": (tasks, actor) =>
    tasks.call('createSubtask', { ref: 'Other', name: 'Child' }, actor),
  'block and unblock': async (tasks, actor) => [
    await tasks.call('block', { ref: 'One', by: 'Part' }, actor),
    await tasks.call('block', { ref: 'One', by: 'part1234' }, actor),
    (await tasks.call('show', { ref: 'One' }, actor)).blockers,
    (await tasks.call('show', { ref: 'Part' }, actor)).blocks,
    await tasks.call('unblock', { ref: 'One', by: 'Part' }, actor),
    await tasks.call('unblock', { ref: 'One', by: 'Part' }, actor),
  ],
  'block, in a circle': (tasks, actor) => tasks.call('block', { ref: 'One', by: 'Other' }, actor),
  'block, by itself': (tasks, actor) => tasks.call('block', { ref: 'One', by: 'One' }, actor),
  'block, by nothing there': (tasks, actor) => tasks.call('block', { ref: 'One', by: 'Nowhere' }, actor),
  'block, the other end': (tasks, actor) => tasks.call('block', { ref: 'Part', by: 'One' }, actor),
  resources: async (tasks, actor) => [
    await tasks.call(
      'addResource',
      { ...{ kind: 'url', value: 'https://example.org/spec', label: 'Spec' }, ref: 'One' },
      actor,
    ),
    await tasks.call(
      'addResource',
      { ...{ kind: 'file', value: 'docs/plan.md', label: null }, ref: 'One' },
      actor,
    ),
    await tasks.call(
      'addResource',
      { ...{ kind: 'file', value: 'docs/plan.md', label: null }, ref: 'One' },
      actor,
    ),
    (await tasks.call('show', { ref: 'One' }, actor)).resources,
    await tasks.call('removeResource', { ref: 'One', index: 0 }, actor),
    (await tasks.call('show', { ref: 'One' }, actor)).resources,
    await tasks.call('removeResource', { ref: 'One', index: 0 }, actor),
  ],
  'resource, no URL': (tasks, actor) =>
    tasks.call('addResource', { ...{ kind: 'url', value: 'docs/plan.md', label: null }, ref: 'One' }, actor),
  'resource, empty': (tasks, actor) =>
    tasks.call('addResource', { ...{ kind: 'file', value: ' ', label: null }, ref: 'One' }, actor),
  'resource, not there': (tasks, actor) => tasks.call('removeResource', { ref: 'One', index: 2 }, actor),
};
