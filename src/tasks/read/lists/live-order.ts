// The order in which tasks are listed, and which of them wait for which: put together anew only when a task comes, goes, or
// stands elsewhere than before.
import type { TaskId } from '../../../core/ids.ts';
import { type ListedTask, rankOf } from '../../../core/task/listed-line.ts';
import { idOfRef } from '../../references.ts';
import { inOrder } from './list-tasks.ts';

export interface Placed {
  /** Its place in the order of lists. */
  at: number;
}

type Entry = Placed & { path: string; task: ListedTask };

export interface Order<E extends Entry> {
  order: E[];
  /** Of those the ones that name what they wait for. */
  blocked: E[];
  /** Those by what they wait for. */
  dependents: ReadonlyMap<TaskId, E[]>;
  /** Those that wait for something that is no task of the list: what the ledger says of that may change unseen. */
  outside: readonly E[];
  /** No view was made in it yet. */
  isNew: boolean;
}

/** Whether an order that holds for the one holds for the other. */
export const standsAsBefore = (before: ListedTask, now: ListedTask): boolean =>
  before.id === now.id &&
  before.sort === now.sort &&
  before.created === now.created &&
  rankOf(before) === rankOf(now) &&
  before.blockedBy.length === now.blockedBy.length &&
  before.blockedBy.every((ref, at) => ref === now.blockedBy[at]);

/** Gives each its place. `byId` holds the tasks of the list that have an id. */
export function placeTasks<E extends Entry>(
  entries: E[],
  byId: ReadonlyMap<TaskId, unknown>,
  firstSeen: () => ReadonlyMap<TaskId, string>,
): Order<E> {
  const placed = inOrder(
    entries.map((entry) => ({
      ...{ entry, path: entry.path, id: entry.task.id },
      ...{ sort: entry.task.sort, created: entry.task.created },
    })),
    ({ entry }) => rankOf(entry.task),
    firstSeen,
  );
  const order = placed.map(({ entry }) => entry);
  for (const [at, entry] of order.entries()) entry.at = at;
  const blocked = order.filter(({ task }) => task.blockedBy.length > 0);
  const dependents = new Map<TaskId, E[]>();
  const outside = new Set<E>();
  for (const entry of blocked)
    for (const ref of entry.task.blockedBy) {
      const id = idOfRef(ref) as TaskId;
      if (!byId.has(id)) outside.add(entry);
      const others = dependents.get(id);
      if (others === undefined) dependents.set(id, [entry]);
      else others.push(entry);
    }
  return { order, blocked, dependents, outside: [...outside], isNew: true };
}
