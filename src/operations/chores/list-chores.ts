import { choreList } from '../../core/chore-shapes.ts';
import { operation } from '../operation.ts';

export const listChores = operation({
  summary: 'list the chores of the room, with their last run and their next',
  needs: 'read',
  outsideTurns: true,
  http: { method: 'get', path: '/api/chores' },
  cli: {
    command: 'chores list',
    about: [
      'list the chores, or run one now',
      'Lists the chores with their last run and their next, or runs one now.',
    ],
    examples: {
      'taskroom chores': 'all chores of the room',
      'taskroom chores run web-issues': 'sync a mirror, or give a prompt its turn, now',
      "taskroom chores --json | jq '.chores[] | select(.failures > 0)'": 'those that fail',
    },
    notes:
      'With --json: {"chores":[…],"invalid":[…]}, with run {"name","kind","daemon"}.\nWithout a daemon a run is noted, and begins with the next taskroom up or once.',
  },
  output: choreList,
  run: async (on) => (await import('../../chores/chore-list.ts')).listChores(on, on.ports.daemonRuns()),
});
