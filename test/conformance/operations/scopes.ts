// Scopes and jobs, as far as they need no daemon.
import type { Case } from './case.ts';

export const SCOPES: Record<string, Case> = {
  scopes: async (tasks, actor) => [
    await tasks.call('createScope', { name: 'spike' }, actor),
    await tasks.call('createScope', { name: 'spike' }, actor),
    await tasks.create({ name: 'In it', scope: 'spike' }, actor),
    (await tasks.call('listScopes', {}, actor)).scopes.map(({ name, created_by, counts }) => [
      name,
      created_by,
      counts,
    ]),
    (await tasks.call('removeScope', { name: 'spike' }, actor)).removed.map(({ name }) => name),
    (await tasks.call('listScopes', {}, actor)).scopes,
  ],
  'scopes, nothing there': (tasks, actor) => tasks.call('removeScope', { name: 'nowhere' }, actor),
  'jobs, none': (tasks) => tasks.jobs({ ref: 'One' }),
  'job, not allowed': (tasks, actor) => tasks.startJob('One', { command: 'true' }, actor),
  'job, an empty command': (tasks, actor) => tasks.startJob('One', { command: ' ' }, actor),
  'job, not there': (tasks) => tasks.job('b00000000'),
  'job, stopped though it is not there': (tasks, actor) => tasks.stopJob('b00000000', actor),
};
