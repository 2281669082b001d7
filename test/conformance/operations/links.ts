// Subtasks, what waits for what, and resources.
import type { Case } from './case.ts';

export const LINKS: Record<string, Case> = {
  'subtask of a step': async (tasks, actor) => [
    await tasks.createSubtask('One', { name: 'Child', body: 'Words.' }, actor, 0),
    (await tasks.show('One')).stepList.map(({ task }) => task !== null),
    (await tasks.show('One')).subtasks.map(({ name, status }) => [name, status]),
  ],
  'subtask without a step': (tasks, actor) =>
    tasks.createSubtask('One', { name: `A child ${'with a long name '.repeat(5)}` }, actor),
  'subtask, a second one of a step': async (tasks, actor) => {
    await tasks.createSubtask('One', { name: 'Child' }, actor, 0);
    return tasks.createSubtask('One', { name: 'Twin' }, actor, 0);
  },
  'subtask of a step that is not there': (tasks, actor) =>
    tasks.createSubtask('One', { name: 'Child' }, actor, 7),
  'subtask that names another parent': (tasks, actor) =>
    tasks.createSubtask('One', { name: 'Child', parent: 'Other' }, actor),
  'subtask for nobody': (tasks, actor) =>
    tasks.createSubtask('One', { name: 'Child', owner: 'nobody' }, actor, 0),
  'subtask of a task that is over': async (tasks, actor) => {
    await tasks.setStatus('Part', 'done', actor);
    return tasks.createSubtask('Part', { name: 'Child' }, actor);
  },
  "subtask of another's task": (tasks, actor) => tasks.createSubtask('Other', { name: 'Child' }, actor),
  'block and unblock': async (tasks, actor) => [
    await tasks.call('block', { ref: 'One', by: 'Part' }, actor),
    await tasks.call('block', { ref: 'One', by: 'part1234' }, actor),
    (await tasks.show('One')).blockers,
    (await tasks.show('Part')).blocks,
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
    (await tasks.show('One')).resources,
    await tasks.call('removeResource', { ref: 'One', index: 0 }, actor),
    (await tasks.show('One')).resources,
    await tasks.call('removeResource', { ref: 'One', index: 0 }, actor),
  ],
  'resource, no URL': (tasks, actor) =>
    tasks.call('addResource', { ...{ kind: 'url', value: 'docs/plan.md', label: null }, ref: 'One' }, actor),
  'resource, empty': (tasks, actor) =>
    tasks.call('addResource', { ...{ kind: 'file', value: ' ', label: null }, ref: 'One' }, actor),
  'resource, not there': (tasks, actor) => tasks.call('removeResource', { ref: 'One', index: 2 }, actor),
};
