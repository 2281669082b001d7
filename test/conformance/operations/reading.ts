// Looking at tasks and turns.
import type { Case } from './case.ts';

export const READING: Record<string, Case> = {
  list: (tasks) => tasks.list(),
  'list, filtered': (tasks) => tasks.list({ status: ['todo'], ready: true, limit: 5, sort: 'name' }),
  overview: (tasks) => tasks.overview(),
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
