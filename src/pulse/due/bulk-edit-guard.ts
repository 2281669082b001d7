// Many tasks that edits made due within moments (a branch switch, say) wait for a person's word instead of running. When the
// edits were made is what their files say: a slow disk, or a busy machine, may be long in reading them.
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import { isMassEdit } from '../../core/rules/decide.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';

// Edits within this time of each other count as one bulk edit.
const TOGETHER_MS = 2_000;
// However slow reading is, what was edited with a task is read within this time of it.
const REMEMBERED_MS = 10 * 60_000;

interface Edit {
  id: TaskId;
  /** When it was found to be due, monotonic. */
  seenMs: number;
  /** When its file was changed, on the clock of the disk; null where that is not known. */
  savedMs: number | null;
}

export function createBulkEditGuard(deps: Pick<TaskRoom, 'ledger' | 'effects' | 'config' | 'events'>) {
  const { tasks, files, requests } = deps.ledger;
  let recent: Edit[] = [];

  function savedAt(id: TaskId): number | null {
    const path = tasks.get(id)?.path ?? null;
    return path === null ? null : (files.get(path)?.stamp.ctimeMs ?? null);
  }

  return {
    /** Holds the tasks, and those edited with them that did not start, when they are too many; true when it does. */
    hold(ids: readonly TaskId[]): boolean {
      const { holdAbove } = deps.config();
      const seenMs = deps.effects.monotonicMs();
      const fresh = new Set(ids);
      recent = recent.filter((edit) => seenMs - edit.seenMs < REMEMBERED_MS && !fresh.has(edit.id));
      recent.push(...ids.map((id) => ({ id, seenMs, savedMs: savedAt(id) })));
      const together = new Set([
        ...crowded(recent, holdAbove, (edit) => edit.seenMs),
        ...crowded(recent, holdAbove, ({ savedMs }) => savedMs),
      ]);
      if (!ids.some((id) => together.has(id))) return false;
      deps.ledger.transaction(() => {
        for (const id of new Set([...ids, ...together]))
          if (fresh.has(id) || requests.drop(threadOfTask(id))) tasks.update(id, { held: true });
      });
      deps.events.emit({ type: 'tasks.held', count: tasks.held().length });
      return true;
    },
  };
}

/** Those that stand with more than `holdAbove` others within the time that counts as together. */
function crowded(
  edits: readonly Edit[],
  holdAbove: number,
  timeOf: (edit: Edit) => number | null,
): Set<TaskId> {
  const timed = edits.flatMap((edit) => {
    const atMs = timeOf(edit);
    return atMs === null ? [] : [{ id: edit.id, atMs }];
  });
  timed.sort((a, b) => a.atMs - b.atMs);
  const found = new Set<TaskId>();
  for (let first = 0, last = 0, marked = 0; last < timed.length; last += 1) {
    while (timed[last]!.atMs - timed[first]!.atMs >= TOGETHER_MS) first += 1;
    if (!isMassEdit(last - first + 1, holdAbove)) continue;
    for (marked = Math.max(marked, first); marked <= last; marked += 1) found.add(timed[marked]!.id);
  }
  return found;
}
