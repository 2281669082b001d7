// Creating many files at once: one commit for all intentions, then the files, then one commit for all records. A crash
// in between leaves whole files whose write was intended, as it does with one.
import { closeSync, openSync, writeSync } from 'node:fs';
import type { Effects } from '../../effects.ts';
import { dropStaged, type Replaced, type Staged, swapIn, tempBeside } from './replace-file.ts';
import { hashBytes } from './stable-read.ts';
import { asIo, fsyncSoon, syncFolder } from './sync-files.ts';
import { toBytes, type WriteContext } from './write-steps.ts';

export interface NewFile {
  path: string;
  text: string;
  task: string | null;
}

/** What the caller puts into the ledger along with the files, by their place in the list. */
export interface Creation {
  actor: string;
  /** Called inside the first commit; false leaves the file out. Absent: all are made. */
  claim?(index: number): boolean;
  /** Called once the claims are durable and no file is made yet. */
  claimed?(): void;
  /**
   * Called inside the second commit.
   * @param hashes of the files that were made; null for one that was left out, or where something stands already
   */
  record(hashes: readonly (string | null)[]): void;
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
  const { room, effects, writes, transact, probe } = context;
  const { actor } = creation;
  const all = files.map((file, index) => {
    const bytes = toBytes(file.path, file.text);
    return { ...file, index, bytes, hash: hashBytes(bytes) };
  });
  const ready = await transact(() =>
    all
      .filter(({ index }) => creation.claim?.(index) ?? true)
      .map(({ path, task, hash, bytes, index }) => {
        const intent = {
          atMs: effects.now(),
          path,
          actor,
          task,
          beforeHash: '',
          afterHash: hash,
          base: null,
        };
        return { seq: writes.intend(intent), path, bytes, hash, index };
      }),
  );
  probe('intended');
  creation.claimed?.();
  const made: Replaced[] = [];
  let staged: Staged[] = [];
  try {
    staged = await stageAll(
      ready.map(({ path, bytes }) => ({ target: room.at(path), bytes })),
      effects,
    );
    for (const one of staged) made.push(swapIn(one, null, null, effects));
  } finally {
    for (const one of staged) dropStaged(one);
    if (staged[0]) syncFolder(staged[0].target);
    await transact(() => {
      const hashes = files.map((): string | null => null);
      for (const [at, { seq, hash, index }] of ready.entries()) {
        const result = made[at];
        if (result?.done) {
          writes.confirm(seq, result);
          hashes[index] = hash;
        } else writes.forget(seq);
      }
      creation.record(hashes);
    });
    probe('recorded');
  }
}

/** Side by side: the disk takes several flushes at once for little more than the time of one. */
async function stageAll(
  files: readonly { target: string; bytes: Uint8Array }[],
  effects: Effects,
): Promise<Staged[]> {
  const staged = files.map(({ target }) => ({ target, temp: tempBeside(target, effects) }));
  const results = await Promise.allSettled(
    files.map(({ bytes }, index) => writeDurably(staged[index]!.temp, bytes)),
  );
  const failed = results.findIndex(({ status }) => status === 'rejected');
  if (failed < 0) return staged;
  for (const one of staged) dropStaged(one);
  throw asIo((results[failed] as PromiseRejectedResult).reason, files[failed]!.target);
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const fd = openSync(path, 'wx');
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    await fsyncSoon(fd);
  } finally {
    closeSync(fd);
  }
}
