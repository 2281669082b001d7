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
    await tasks.block('One', 'Part', actor),
    await tasks.block('One', 'part1234', actor),
    (await tasks.show('One')).blockers,
    (await tasks.show('Part')).blocks,
    await tasks.unblock('One', 'Part', actor),
    await tasks.unblock('One', 'Part', actor),
  ],
  'block, in a circle': (tasks, actor) => tasks.block('One', 'Other', actor),
  'block, by itself': (tasks, actor) => tasks.block('One', 'One', actor),
  'block, by nothing there': (tasks, actor) => tasks.block('One', 'Nowhere', actor),
  'block, the other end': (tasks, actor) => tasks.block('Part', 'One', actor),
  resources: async (tasks, actor) => [
    await tasks.addResource('One', { kind: 'url', value: 'https://example.org/spec', label: 'Spec' }, actor),
    await tasks.addResource('One', { kind: 'file', value: 'docs/plan.md', label: null }, actor),
    await tasks.addResource('One', { kind: 'file', value: 'docs/plan.md', label: null }, actor),
    (await tasks.show('One')).resources,
    await tasks.removeResource('One', 0, actor),
    (await tasks.show('One')).resources,
    await tasks.removeResource('One', 0, actor),
  ],
  'resource, no URL': (tasks, actor) =>
    tasks.addResource('One', { kind: 'url', value: 'docs/plan.md', label: null }, actor),
  'resource, empty': (tasks, actor) =>
    tasks.addResource('One', { kind: 'file', value: ' ', label: null }, actor),
  'resource, not there': (tasks, actor) => tasks.removeResource('One', 2, actor),
};
