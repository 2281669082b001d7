import { choreList } from '../../core/chore-shapes.ts';
import { operation } from '../operation.ts';

export const listChores = operation({
  name: 'listChores',
  summary: 'the chores of the room, with their last run and their next',
  needs: 'read',
  outsideTurns: true,
  http: { method: 'get', path: '/api/chores' },
  cli: {
    command: 'chores list',
    words: [],
    notes:
      'With --json: {"chores":[…],"invalid":[…]}, with run {"name","kind","daemon"}.\nWithout a daemon a run is noted, and begins with the next taskroom up or once.',
  },
  output: choreList,
  run: async ({ deps, ports }) =>
    (await import('../../chores/chore-list.ts')).listChores(deps, ports.daemonRuns()),
});
