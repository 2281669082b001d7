// Creating files, one or many at once, never over one that is there: one commit for all intentions, then the files, then one
// commit for all records. A crash in between leaves whole files whose write was intended.
import { RoomError } from '../../core/errors.ts';
import type { WriteContext } from './change-file.ts';
import { syncFolder } from './move-file.ts';
import { dropStaged, type Replaced, stageSoon, swapIn, toBytes } from './replace-file.ts';
import { hashBytes } from './stable-read.ts';

export interface NewFile {
  path: string;
  text: string;
  task: string | null;
  /** Unique in the room; known afterwards together with path and task. */
  key?: string | undefined;
}

/** What the caller puts into the ledger along with the files, by their place in the list. */
export interface Creation {
  actor: string;
  /** Called inside the first commit; false leaves the file out. Absent: all are made. */
  claim?(index: number): boolean;
  /** Called once the claims are durable and no file is made yet. */
  claimed?(): void;
  /** Called for each file as soon as it stands. */
  placed?(index: number): void;
  /**
   * Called inside the second commit.
   * @param hashes of the files that were made; null for one that was left out, or where something stands already
   */
  record?(hashes: readonly (string | null)[]): void;
}

/** Creates a file that is not there yet. Throws RoomError `conflict` when it is. */
export async function createFile(context: WriteContext, file: NewFile, actor: string): Promise<void> {
  let isPlaced = false;
  const placed = () => {
    isPlaced = true;
  };
  await createFiles(context, [file], { actor, placed }).catch((error: unknown) => {
    // A file that stands is made, though its record failed: `recover` mends that at the next reading.
    if (!isPlaced) throw error;
  });
  if (!isPlaced) throw new RoomError('conflict', `${file.path} exists already`);
}

/**
 * Creates files that are not there yet.
 * @throws RoomError `io`, `locked`, `bad_input`; what was made before stays
 */
export async function createFiles(
  context: WriteContext,
  files: readonly NewFile[],
  creation: Creation,
): Promise<void> {
  const { room, effects, writes, database, probe } = context;
  const all = files.map((file, index) => {
    const bytes = toBytes(file.path, file.text);
    return { ...file, index, bytes, hash: hashBytes(bytes) };
  });
  const ready = await database.together(() =>
    all
      .filter(({ index }) => creation.claim?.(index) ?? true)
      .map((file) => ({ ...file, ...intend(context, file, creation.actor) })),
  );
  probe('intended');
  creation.claimed?.();
  // Side by side: the disk takes several flushes at once for little more than the time of one.
  const stages = await Promise.allSettled(
    ready.map(({ path, bytes }) => stageSoon(room.at(path), bytes, effects)),
  );
  const staged = stages.flatMap((stage) => (stage.status === 'fulfilled' ? [stage.value] : []));
  const results: Replaced[] = [];
  try {
    for (const stage of stages) if (stage.status === 'rejected') throw stage.reason;
    for (const [at, one] of staged.entries()) {
      results[at] = swapIn(one, null, null, effects);
      if (results[at]) creation.placed?.(ready[at]!.index);
    }
  } finally {
    for (const one of staged) dropStaged(one);
    if (staged[0]) syncFolder(staged[0].target);
    await database.together(() => {
      const hashes = files.map((): string | null => null);
      for (const [at, { seq, hash, index, newKey }] of ready.entries()) {
        const result = results[at];
        if (result) {
          writes.confirm(seq, result);
          hashes[index] = hash;
          continue;
        }
        writes.forget(seq);
        // Nothing of it stands anywhere. One that was intended before may be what stands there.
        if (newKey !== null) writes.entries.forgetKey(newKey);
      }
      creation.record?.(hashes);
    });
    probe('recorded');
  }
}

/** @returns the write's row, and the key when nobody intended it before */
function intend(
  { effects, writes }: WriteContext,
  { path, task, key, hash }: NewFile & { hash: string },
  actor: string,
): { seq: number; newKey: string | null } {
  const atMs = effects.now();
  const seq = writes.intend({ atMs, path, actor, task, beforeHash: '', afterHash: hash, base: null });
  if (key === undefined) return { seq, newKey: null };
  const newKey = writes.entries.byKey(key) === null ? key : null;
  writes.entries.intend({ atMs, path, task, key, section: 'done', block: '' }, seq);
  return { seq, newKey };
}
