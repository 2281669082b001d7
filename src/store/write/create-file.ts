// Creating a task file: never over one that is there.
import { RoomError } from '../../core/errors.ts';
import { dropStaged, type Staged, stageFile, swapIn } from './replace-file.ts';
import { hashBytes } from './stable-read.ts';
import { syncFolder } from './sync-files.ts';
import { toBytes, type WriteContext } from './write-steps.ts';

export interface CreatedBy {
  actor: string;
  task: string | null;
  /** Unique in the room; known afterwards together with path and task. */
  key?: string;
}

/** Creates a file that is not there yet. Throws RoomError `conflict` when it is. */
export async function createFile(
  context: WriteContext,
  path: string,
  text: string,
  { key, ...by }: CreatedBy,
): Promise<void> {
  const { room, effects, writes, transact } = context;
  const bytes = toBytes(path, text);
  const staged = stageFile(room.at(path), bytes, effects);
  try {
    const write = {
      atMs: effects.now(),
      path,
      ...by,
      beforeHash: '',
      afterHash: hashBytes(bytes),
      base: null,
    };
    let isNew = false;
    const seq = await transact(() => {
      const row = writes.intend(write);
      if (key !== undefined) {
        isNew = writes.entries.byKey(key) === null;
        const { atMs } = write;
        writes.entries.intend({ atMs, path, task: by.task, key, section: 'done', block: '' }, row);
      }
      return row;
    });
    const placed = await place(context, staged, seq);
    if (placed) return syncFolder(staged.target);
    await transact(() => {
      writes.forget(seq);
      // Nothing of it stands anywhere. One that was intended before may be what stands there.
      if (isNew) writes.entries.forgetKey(key!);
    });
    throw new RoomError('conflict', `${path} exists already`);
  } finally {
    dropStaged(staged);
  }
}

/** A file that stands is made, though its record failed: `recover` mends that at the next reading. */
async function place(
  { effects, writes, transact }: WriteContext,
  staged: Staged,
  seq: number,
): Promise<boolean> {
  let placed = false;
  try {
    return await transact(() => {
      const result = swapIn(staged, null, null, effects);
      placed = result.done;
      if (result.done) writes.confirm(seq, result);
      return result.done;
    });
  } catch (error) {
    if (placed) return true;
    await transact(() => writes.forget(seq)).catch(() => undefined);
    throw error;
  }
}
