// Scopes and jobs, as far as they need no daemon.
import type { Case } from './case.ts';

export const SCOPES: Record<string, Case> = {
  scopes: async (call) => [
    await call('createScope', { name: 'spike' }),
    await call('createScope', { name: 'spike' }),
    await call('create', { name: 'In it', scope: 'spike' }),
    (await call('listScopes', {})).scopes.map(({ name, created_by, counts }) => [name, created_by, counts]),
    (await call('removeScope', { name: 'spike' })).removed.map(({ name }) => name),
    (await call('listScopes', {})).scopes,
  ],
  'scopes, nothing there': (call) => call('removeScope', { name: 'nowhere' }),
  'jobs, none': (call) => call('listJobs', { task: 'One' }),
  'job, not allowed': (call) => call('startJob', { task: 'One', command: 'true' }),
  'job, an empty command': (call) => call('startJob', { task: 'One', command: ' ' }),
  'job, not there': (call) => call('showJob', { job: 'b00000000' }),
  'job, stopped though it is not there': (call) => call('stopJob', { job: 'b00000000' }),
};
