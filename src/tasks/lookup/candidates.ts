// Everything that a word may mean: the files there are, and the tasks the ledger remembers without one.
import type { TaskId } from '../../core/ids.ts';
import { nameOfPath } from '../../core/task/task-name.ts';
import type { Snapshot } from '../observe/snapshot.ts';
import type { Candidate } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';

export function candidates(handle: RoomHandle, snapshot: Snapshot): Candidate[] {
  const absent = handle.deps.ledger.tasks.absent();
  const present = new Set(snapshot.tasks.map(({ id }) => id));
  // A file that can't be read is still the task it last was, under every word for it.
  const lastId = (path: string): TaskId | null => {
    const id = handle.deps.ledger.tasks.byPath(path)?.id ?? null;
    return present.has(id) ? null : id;
  };
  return [
    ...snapshot.tasks.map(({ id, name, path, title }) => ({ id, name, path, title })),
    ...snapshot.invalid.map(({ path }) => ({ id: lastId(path), name: nameOfPath(path), path })),
    ...absent.filter(({ id }) => !present.has(id)),
  ];
}
