// Looking at tasks and turns.
import type { Case } from './case.ts';

export const READING: Record<string, Case> = {
  list: (tasks, actor) => tasks.call('list', { all: true }, actor),
  'list, open ones': (tasks, actor) => tasks.call('list', {}, actor),
  'list, by id': (tasks, actor) => tasks.call('list', { ids: ['aaaa1111', 'nowhere1'] }, actor),
  'list, filtered': (tasks, actor) =>
    tasks.call('list', { status: ['todo'], ready: true, limit: 5, sort: 'name' }, actor),
  'how many tasks': (tasks, actor) => tasks.call('taskStats', {}, actor),
  show: (tasks, actor) => tasks.call('show', { ref: 'One' }, actor),
  'show, nothing there': (tasks, actor) => tasks.call('show', { ref: 'Nowhere' }, actor),
  names: (tasks, actor) => tasks.call('names', {}, actor),
  context: async (tasks, actor) => (await tasks.call('context', { ref: 'One' }, actor)).context,
  'context of nothing': (tasks, actor) => tasks.call('context', { ref: 'Nowhere' }, actor),
  'output of a turn without any': (tasks, actor) =>
    tasks.call('turnOutput', { turn: 'b11111111', limit: 100 }, actor),
  history: (tasks, actor) => tasks.call('history', { limit: 3 }, actor),
  turns: (tasks, actor) => tasks.call('listTurns', { task: 'One', state: 'running' }, actor),
  turn: (tasks, actor) => tasks.call('showTurn', { turn: 'One' }, actor),
  stats: (tasks, actor) => tasks.call('stats', {}, actor),
  'stats of no week': (tasks, actor) => tasks.call('stats', { weeks: 0 }, actor),
};
