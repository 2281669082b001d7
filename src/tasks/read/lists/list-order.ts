// The orders a list can be asked for in; tasks that are alike keep the order they came in.

import type { TaskView } from '../../../core/task/listed-line.ts';
import { rankOf } from '../../../core/task/listed-line.ts';
import { STATUSES } from '../../../core/task/status.ts';
import { readDue } from '../../../core/time/due-date.ts';
import type { SortKey } from '../../shapes/list.ts';

/** When the task is due, epoch ms; null without a date that can be read. Days end in this machine's time zone. */
export function dueMoment({ due }: Pick<TaskView, 'due'>): number | null {
  const text = due === null ? null : readDue(due);
  return text === null ? null : Date.parse(text);
}

const PLACES: Readonly<Record<Exclude<SortKey, 'name'>, (view: TaskView) => number>> = {
  due: (view) => dueMoment(view) ?? Number.POSITIVE_INFINITY,
  priority: rankOf,
  status: ({ status }) => STATUSES.indexOf(status),
  // The newest first, open ones last.
  finished: ({ finishedAt }) => (finishedAt === null ? Number.POSITIVE_INFINITY : -finishedAt),
};

export function sortedBy(key: SortKey, views: readonly TaskView[]): TaskView[] {
  if (key === 'name') return views.toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  const placed = views.map((view) => ({ view, place: PLACES[key](view) }));
  return placed.toSorted((a, b) => (a.place === b.place ? 0 : a.place - b.place)).map(({ view }) => view);
}
