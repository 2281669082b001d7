// What changed on disk since it was last observed: for looks at the ledger that must not be older than the files.
import type { TaskReading } from '../../core/task/task.ts';
import { runScan } from '../../store/files/scan.ts';
import { readAll } from '../observe/room-files.ts';
import type { RoomHandle } from '../room-handle.ts';

/** By path; null for a file that is gone. Costs a look at all stamps. @throws RoomError `room_gone`, `io` */
export async function readNews({ deps, ports }: RoomHandle): Promise<Map<string, TaskReading | null>> {
  const { files } = deps.ledger;
  const { changed, gone } = runScan(
    deps.room,
    files.changeTimes(),
    (ctimeMs, stamp) => ctimeMs === stamp.ctimeMs,
  );
  const news = new Map<string, TaskReading | null>(gone.map((path) => [path, null]));
  for (const path of files.missing()) news.set(path, null);
  for (const path of files.unobserved())
    if (!news.has(path)) news.set(path, shown(files.get(path)?.reading ?? null));
  const rows = await readAll(
    { deps, ports },
    changed.map(({ path }) => path),
  );
  for (const { path, reading } of rows) news.set(path, shown(reading));
  return news;
}

/** One that says it is deleted is as good as gone. */
function shown(reading: TaskReading | null): TaskReading | null {
  return reading?.ok === false && reading.invalid.deleted ? null : reading;
}
