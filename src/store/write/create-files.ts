// Creating many files at once: one commit for all intentions, then the files, then one commit for all records. A crash
// in between leaves whole files whose write was intended, as it does with one.
import { closeSync, fsync, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Effects } from '../../effects.ts';
import {
  asIo,
  dropStaged,
  type Replaced,
  type Staged,
  swapIn,
  syncFolder,
  tempBeside,
} from './replace-file.ts';
import { hashBytes } from './stable-read.ts';
import { toBytes, type WriteContext } from './write-steps.ts';

export interface NewFile {
  path: string;
  text: string;
  task: string | null;
}

/**
 * Creates files that are not there yet, all by one actor.
 * @param record called inside the transaction that records the writes, with the hash of each file that was made; null
 *   where something stands already
 * @throws RoomError `io`, `locked`, `bad_input`; what was made before stays
 */
export async function createFiles(
  context: WriteContext,
  files: readonly NewFile[],
  actor: string,
  record: (hashes: readonly (string | null)[]) => void,
): Promise<void> {
  const { room, effects, writes, transact, probe } = context;
  const ready = files.map((file) => {
    const bytes = toBytes(file.path, file.text);
    return { ...file, bytes, hash: hashBytes(bytes) };
  });
  const seqs = await transact(() =>
    ready.map(({ path, task, hash }) =>
      writes.intend({ atMs: effects.now(), path, actor, task, beforeHash: '', afterHash: hash, base: null }),
    ),
  );
  probe('intended');
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
      for (const [index, seq] of seqs.entries()) {
        const result = made[index];
        if (result?.done) writes.confirm(seq, result);
        else writes.forget(seq);
      }
      record(ready.map(({ hash }, index) => (made[index]?.done ? hash : null)));
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

const flush = promisify(fsync);

/** Only the flush is worth another thread: the rest ends in the page cache. */
async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const fd = openSync(path, 'wx');
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    await flush(fd);
  } finally {
    closeSync(fd);
  }
}
