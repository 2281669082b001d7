// The steps of a task.
import type { Case } from './case.ts';

export const STEPS: Record<string, Case> = {
  steps: async (tasks, actor) => [
    await tasks.call('editStep', { ref: 'One', index: 0, done: true }, actor),
    await tasks.call('addStep', { ref: 'One', title: 'Second', details: 'with details' }, actor),
    await tasks.call(
      'setSteps',
      { ref: 'One', steps: [{ title: 'Only', details: '', done: false, task: null }] },
      actor,
    ),
  ],
  'step, not there': (tasks, actor) => tasks.call('editStep', { ref: 'One', index: 7, done: true }, actor),
  'edit a step': async (tasks, actor) => [
    await tasks.call(
      'editStep',
      { ...{ title: 'Renamed', details: 'with\ndetails' }, ref: 'One', index: 0 },
      actor,
    ),
    await tasks.call('editStep', { ...{ done: true }, ref: 'One', index: 0 }, actor),
    await tasks.call('editStep', { ...{ details: '' }, ref: 'One', index: 0 }, actor),
    await tasks.call('editStep', { ...{ title: 'Renamed' }, ref: 'One', index: 0 }, actor),
    (await tasks.call('show', { ref: 'One' }, actor)).steps.list,
  ],
  'edit a step, nothing to change': (tasks, actor) =>
    tasks.call('editStep', { ...{}, ref: 'One', index: 0 }, actor),
  'edit a step, not there': (tasks, actor) =>
    tasks.call('editStep', { ...{ done: true }, ref: 'One', index: 7 }, actor),
  'edit a step, a title too long': (tasks, actor) =>
    tasks.call('editStep', { ...{ title: 'x'.repeat(61) }, ref: 'One', index: 0 }, actor),
  'edit a step, a link in its title': (tasks, actor) =>
    tasks.call('editStep', { ...{ title: 'Look (task:other123)' }, ref: 'One', index: 0 }, actor),
  'edit a linked step': async (tasks, actor) => {
    await tasks.call('createSubtask', { ref: 'One', name: 'Child', index: 0 }, actor);
    await tasks.call('editStep', { ...{ title: 'Renamed', details: 'why' }, ref: 'One', index: 0 }, actor);
    return (await tasks.call('show', { ref: 'One' }, actor)).steps.list.map(({ title, details, task }) => [
      title,
      details,
      task !== null,
    ]);
  },
  'replace steps, a linked one dropped': async (tasks, actor) => {
    await tasks.call('createSubtask', { ref: 'One', name: 'Child', index: 0 }, actor);
    return tasks.call('setSteps', { ref: 'One', steps: [] }, actor);
  },
  'replace steps, a link made': (tasks, actor) =>
    tasks.call(
      'setSteps',
      { ref: 'One', steps: [{ title: 'Only', details: '', done: false, task: 'other123' }] },
      actor,
    ),
  'replace steps, one linked twice': async (tasks, actor) => {
    await tasks.call('createSubtask', { ref: 'One', name: 'Child', index: 0 }, actor);
    const [step] = (await tasks.call('show', { ref: 'One' }, actor)).steps.list;
    return tasks.call('setSteps', { ref: 'One', steps: [step!, step!] }, actor);
  },
};
