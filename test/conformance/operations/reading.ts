// Looking at tasks and turns.
import type { Case } from './case.ts';

export const READING: Record<string, Case> = {
  list: (call) => call('list', { all: true }),
  'list, open ones': (call) => call('list', {}),
  'list, by id': (call) => call('list', { ids: ['aaaa1111', 'nowhere1'] }),
  'list, filtered': (call) => call('list', { status: ['todo'], ready: true, limit: 5, sort: 'name' }),
  'how many tasks': (call) => call('taskStats', {}),
  show: (call) => call('show', { ref: 'One' }),
  'show, nothing there': (call) => call('show', { ref: 'Nowhere' }),
  names: (call) => call('names', {}),
  context: async (call) => (await call('context', { ref: 'One' })).context,
  'context of nothing': (call) => call('context', { ref: 'Nowhere' }),
  'output of a turn without any': (call) => call('turnOutput', { turn: 'b11111111', limit: 100 }),
  history: (call) => call('history', { limit: 3 }),
  turns: (call) => call('listTurns', { task: 'One', state: 'running' }),
  turn: (call) => call('showTurn', { turn: 'One' }),
  stats: (call) => call('stats', {}),
  'stats of no week': (call) => call('stats', { weeks: 0 }),
};
