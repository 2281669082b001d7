// The files of chores/: read at rest, and read again only when they changed. A file that can't be read is reported and
// hides no other; a missing folder is a room without chores.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Chore, ChoreReading } from '../../core/chore/chore.ts';
import { readChore } from '../../core/chore/chore.ts';
import type { Problem } from '../../core/errors.ts';
import { compareNames } from '../../core/task/names.ts';
import { hashText } from '../../core/task/read-task.ts';
import type { Effects } from '../../effects.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type FileStamp, sameStamp } from '../ledger/tasks/files.ts';
import { onDisk, type Room } from '../room.ts';
import { readStable } from '../write/stable-read.ts';
import { passedOver, type Skipped, statTask } from './scan.ts';
import { type TextInForce, textsInForce } from './trusted-words.ts';

export interface ChoreFile {
  chore: Chore;
  hash: string;
}

export interface InvalidChore {
  path: string;
  problems: Problem[];
}

export interface ChoresReading {
  /** By name, chore 2 before chore 10. */
  chores: Map<string, ChoreFile>;
  invalid: InvalidChore[];
  skipped: Skipped[];
}

export interface ChoresRoom {
  room: Room;
  ledger: Ledger;
  effects: Effects;
}

interface Cached {
  stamp: FileStamp;
  /** As it stands there; null where it can't be read. */
  text: string | null;
  /** What counts of that. */
  counts: string | null;
  hash: string;
  reading: ChoreReading;
}

/** Keeps what it read, so that looking again at an unchanged folder costs a listing and a stat a file. */
export function createChoreFiles({ room, ledger, effects }: ChoresRoom) {
  const inForce = textsInForce(room, ledger);
  let cache = new Map<string, Cached>();
  const isCurrent = (known: Cached, path: string, stamp: FileStamp) =>
    sameStamp(known.stamp, stamp) && (known.text === null || inForce(path, known.text) === known.counts);
  return {
    /** What the folder says now. @throws RoomError `io` when the folder or a file can't be read */
    async read(): Promise<ChoresReading> {
      const next = new Map<string, Cached>();
      const result: ChoresReading = { chores: new Map(), invalid: [], skipped: [] };
      const names = existsSync(room.choresDir)
        ? onDisk('chores', () => readdirSync(room.choresDir), 'list')
        : [];
      for (const name of names.sort(compareNames)) {
        const path = `chores/${name}`;
        const stamp = passedOver(name) ?? statTask(join(room.choresDir, name));
        if (typeof stamp === 'string') result.skipped.push({ path, reason: stamp });
        if (stamp === null || typeof stamp === 'string') continue;
        const known = cache.get(path);
        const file =
          known && isCurrent(known, path, stamp) ? known : await readFile(room, effects, path, inForce);
        if (file === null) continue;
        next.set(path, file);
        const { reading, counts, hash } = file;
        // One that waits for its person's word is none yet.
        if (counts === null) continue;
        if (reading.ok) result.chores.set(reading.chore.name, { chore: reading.chore, hash });
        else result.invalid.push({ path, problems: reading.problems });
      }
      cache = next;
      return result;
    },
  };
}

async function readFile(
  room: Room,
  effects: Effects,
  path: string,
  inForce: TextInForce,
): Promise<Cached | null> {
  const read = await readStable(room.at(path), { effects, isOurs: () => false, shownAs: path });
  if (read === null) return null;
  const { stat: stamp, hash } = read;
  if (!read.ok)
    return { stamp, text: null, counts: '', hash, reading: { ok: false, path, problems: read.problems } };
  const counts = inForce(path, read.text);
  const isHeld = counts !== read.text;
  const reading = readChore(path, counts ?? '');
  return { stamp, text: read.text, counts, hash: isHeld ? hashText(counts ?? '') : hash, reading };
}
