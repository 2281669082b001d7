// Scopes and jobs, as far as they need no daemon.
import type { Case } from './case.ts';

export const SCOPES: Record<string, Case> = {
  scopes: async (tasks, actor) => [
    await tasks.call('createScope', { name: 'spike' }, actor),
    await tasks.call('createScope', { name: 'spike' }, actor),
    await tasks.call('create', { name: 'In it', scope: 'spike' }, actor),
    (await tasks.call('listScopes', {}, actor)).scopes.map(({ name, created_by, counts }) => [
      name,
      created_by,
      counts,
    ]),
    (await tasks.call('removeScope', { name: 'spike' }, actor)).removed.map(({ name }) => name),
    (await tasks.call('listScopes', {}, actor)).scopes,
  ],
  'scopes, nothing there': (tasks, actor) => tasks.call('removeScope', { name: 'nowhere' }, actor),
  'jobs, none': (tasks, actor) => tasks.call('listJobs', { task: 'One' }, actor),
  'job, not allowed': (tasks, actor) => tasks.call('startJob', { task: 'One', command: 'true' }, actor),
  'job, an empty command': (tasks, actor) => tasks.call('startJob', { task: 'One', command: ' ' }, actor),
  'job, not there': (tasks, actor) => tasks.call('showJob', { job: 'b00000000' }, actor),
  'job, stopped though it is not there': (tasks, actor) => tasks.call('stopJob', { job: 'b00000000' }, actor),
};
