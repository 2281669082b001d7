// Which tasks are in which scope: as the files in tasks/ say now, read anew where they changed since they were kept.
import { compareNames } from '../../core/task/natural-order.ts';
import type { Task } from '../../core/task/task.ts';
import { sameStamp } from '../../store/ledger/tasks/files.ts';
import { runScan } from '../../store/scan.ts';
import { readAll } from '../observe/snapshot.ts';
import type { RoomHandle } from '../room-handle.ts';

/** Every task that names a scope, by path. @throws RoomError `room_gone`, `io` */
export async function scopedTasks(handle: RoomHandle): Promise<(Task & { scope: string })[]> {
  const { files } = handle.deps.ledger;
  const { changed, gone } = runScan(handle.deps.room, files.stamps(), sameStamp);
  const stale = new Set([...gone, ...changed.map(({ path }) => path)]);
  const fresh = await readAll(
    handle,
    changed.map(({ path }) => path),
  );
  return [...files.naming('scope').filter(({ path }) => !stale.has(path)), ...fresh]
    .flatMap(({ reading }) => (reading.ok && reading.task.scope !== null ? [reading.task] : []))
    .map((task) => ({ ...task, scope: task.scope!.trim() }))
    .sort((a, b) => compareNames(a.path, b.path));
}
