// The steps of a task.
import type { Case } from './case.ts';

export const STEPS: Record<string, Case> = {
  steps: async (tasks, actor) => [
    await tasks.setStep('One', 0, true, actor),
    await tasks.addStep('One', 'Second', actor, 'with details'),
    await tasks.setSteps('One', [{ title: 'Only', details: '', done: false, task: null }], actor),
  ],
  'step, not there': (tasks, actor) => tasks.setStep('One', 7, true, actor),
  'edit a step': async (tasks, actor) => [
    await tasks.editStep('One', 0, { title: 'Renamed', details: 'with\ndetails' }, actor),
    await tasks.editStep('One', 0, { done: true }, actor),
    await tasks.editStep('One', 0, { details: '' }, actor),
    await tasks.editStep('One', 0, { title: 'Renamed' }, actor),
    (await tasks.show('One')).stepList,
  ],
  'edit a step, nothing to change': (tasks, actor) => tasks.editStep('One', 0, {}, actor),
  'edit a step, not there': (tasks, actor) => tasks.editStep('One', 7, { done: true }, actor),
  'edit a step, a title too long': (tasks, actor) =>
    tasks.editStep('One', 0, { title: 'x'.repeat(61) }, actor),
  'edit a step, a link in its title': (tasks, actor) =>
    tasks.editStep('One', 0, { title: 'Look (task:other123)' }, actor),
  'edit a linked step': async (tasks, actor) => {
    await tasks.createSubtask('One', { name: 'Child' }, actor, 0);
    await tasks.editStep('One', 0, { title: 'Renamed', details: 'why' }, actor);
    return (await tasks.show('One')).stepList.map(({ title, details, task }) => [
      title,
      details,
      task !== null,
    ]);
  },
  'replace steps, a linked one dropped': async (tasks, actor) => {
    await tasks.createSubtask('One', { name: 'Child' }, actor, 0);
    return tasks.setSteps('One', [], actor);
  },
  'replace steps, a link made': (tasks, actor) =>
    tasks.setSteps('One', [{ title: 'Only', details: '', done: false, task: 'other123' }], actor),
  'replace steps, one linked twice': async (tasks, actor) => {
    await tasks.createSubtask('One', { name: 'Child' }, actor, 0);
    const [step] = (await tasks.show('One')).stepList;
    return tasks.setSteps('One', [step!, step!], actor);
  },
};
