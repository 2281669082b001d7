// One task file from disk to facts: read at rest, then parsed. Knows nothing of the ledger's tasks.
import { RoomError } from '../../core/errors.ts';
import { readTask } from '../../core/task/read-task.ts';
import type { Task } from '../../core/task/task.ts';
import type { FileRow } from '../../store/ledger/tasks/files.ts';
import { readStable } from '../../store/write/stable-read.ts';
import type { TaskRoom } from '../task-room.ts';

/** A reading with the text it was made of, '' where the bytes are no text, and those bytes. */
export type ReadRow = FileRow & { text: string; bytes: Uint8Array };

/** The bytes of a file of the room, once nobody writes it; null where it is none. @throws RoomError `io` */
export function readAtRest({ room, effects, writer }: TaskRoom, path: string) {
  const isOurs = (hash: string) => writer.isOurs(path, hash);
  return readStable(room.at(path), { effects, isOurs, shownAs: path });
}

/** Null when nothing is there, `unstable` when it kept changing. @throws RoomError `io` */
export async function readFileRow(deps: TaskRoom, path: string): Promise<ReadRow | null | 'unstable'> {
  const read = await readAtRest(deps, path);
  if (read === null) return null;
  if (read.unstable) return 'unstable';
  const { stat: stamp, hash } = read;
  if (!read.ok) {
    const reading = { ok: false as const, invalid: { path, problems: read.problems } };
    return { path, stamp, hash, reading, text: '', bytes: new Uint8Array() };
  }
  const { text, bytes } = read;
  return { path, stamp, hash, reading: readTask(path, text, deps.config, hash), text, bytes };
}

/** @throws RoomError `not_found`, `invalid_file` with its problems, `conflict` when it does not come to rest */
export async function readTaskFile(deps: TaskRoom, path: string): Promise<{ task: Task; text: string }> {
  const row = await readFileRow(deps, path);
  if (row === null) throw new RoomError('not_found', `${path} is gone`, 'see: taskroom list');
  if (row === 'unstable') {
    throw new RoomError('conflict', `${path} keeps changing`, {
      hint: 'wait until what writes it is done, then try again',
      retryAfterMs: 2000,
    });
  }
  if (!row.reading.ok) throw invalidFile(path, row.reading.invalid.problems);
  return { task: row.reading.task, text: row.text };
}

/** The file as that task's; null when it is gone, keeps changing, can't be read or is another's. @throws RoomError `io` */
export async function readAsTask(deps: TaskRoom, path: string, id: string) {
  const row = await readFileRow(deps, path);
  if (row === null || row === 'unstable' || !row.reading.ok || row.reading.task.id !== id) return null;
  return { task: row.reading.task, text: row.text };
}

export const invalidFile = (path: string, problems: RoomError['problems']): RoomError =>
  new RoomError('invalid_file', `${path} can't be read as a task`, {
    problems,
    hint: 'mend the file in an editor, then try again',
  });

/** The facts of a text. @throws RoomError `invalid_file` with its problems */
export function mustReadTask({ config }: Pick<TaskRoom, 'config'>, path: string, text: string): Task {
  const reading = readTask(path, text, config);
  if (!reading.ok) throw invalidFile(path, reading.invalid.problems);
  return reading.task;
}
