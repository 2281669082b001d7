// The steps of a task.
import type { Case } from './case.ts';

export const STEPS: Record<string, Case> = {
  steps: async (call) => [
    await call('editStep', { ref: 'One', index: 0, done: true }),
    await call('addStep', { ref: 'One', title: 'Second', details: 'with details' }),
    await call('setSteps', { ref: 'One', steps: [{ title: 'Only', details: '', done: false, task: null }] }),
  ],
  'step, not there': (call) => call('editStep', { ref: 'One', index: 7, done: true }),
  'edit a step': async (call) => [
    await call('editStep', { title: 'Renamed', details: 'with\ndetails', ref: 'One', index: 0 }),
    await call('editStep', { done: true, ref: 'One', index: 0 }),
    await call('editStep', { details: '', ref: 'One', index: 0 }),
    await call('editStep', { title: 'Renamed', ref: 'One', index: 0 }),
    (await call('show', { ref: 'One' })).steps.list,
  ],
  'edit a step, nothing to change': (call) => call('editStep', { ref: 'One', index: 0 }),
  'edit a step, not there': (call) => call('editStep', { done: true, ref: 'One', index: 7 }),
  'edit a step, a title too long': (call) =>
    call('editStep', { title: 'x'.repeat(61), ref: 'One', index: 0 }),
  'edit a step, a link in its title': (call) =>
    call('editStep', { title: 'Look (task:other123)', ref: 'One', index: 0 }),
  'edit a linked step': async (call) => {
    await call('createSubtask', { ref: 'One', name: 'Child', index: 0 });
    await call('editStep', { title: 'Renamed', details: 'why', ref: 'One', index: 0 });
    return (await call('show', { ref: 'One' })).steps.list.map(({ title, details, task }) => [
      title,
      details,
      task !== null,
    ]);
  },
  'replace steps, a linked one dropped': async (call) => {
    await call('createSubtask', { ref: 'One', name: 'Child', index: 0 });
    return call('setSteps', { ref: 'One', steps: [] });
  },
  'replace steps, a link made': (call) =>
    call('setSteps', { ref: 'One', steps: [{ title: 'Only', details: '', done: false, task: 'other123' }] }),
  'replace steps, one linked twice': async (call) => {
    await call('createSubtask', { ref: 'One', name: 'Child', index: 0 });
    const [step] = (await call('show', { ref: 'One' })).steps.list;
    return call('setSteps', { ref: 'One', steps: [step!, step!] });
  },
};
