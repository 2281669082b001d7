// The files of chores/: read at rest, and read again only when they changed. A file that can't be read is reported and
// hides no other; a missing folder is a room without chores.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Chore, ChoreReading } from '../core/chore/chore.ts';
import { readChore } from '../core/chore/read-chore.ts';
import type { Problem } from '../core/errors.ts';
import { RoomError } from '../core/errors.ts';
import type { Effects } from '../effects.ts';
import { type FileStamp, sameStamp } from './ledger/tasks/files.ts';
import type { Room } from './room.ts';
import { passedOver, type Skipped, statTask } from './scan.ts';
import { readStable } from './write/stable-read.ts';

export interface ChoreFile {
  chore: Chore;
  /** Hash of the whole file. */
  hash: string;
}

export interface InvalidChore {
  path: string;
  problems: Problem[];
}

export interface ChoresReading {
  /** By name, in alphabetical order. */
  chores: Map<string, ChoreFile>;
  invalid: InvalidChore[];
  /** Entries that are no chores. */
  skipped: Skipped[];
}

export interface ChoreFiles {
  /** What the folder says now. @throws RoomError `io` when the folder or a file can't be read */
  read(): Promise<ChoresReading>;
}

interface Cached {
  stamp: FileStamp;
  hash: string;
  reading: ChoreReading;
}

/** Keeps what it read, so that looking again at an unchanged folder costs a listing and a stat a file. */
export function createChoreFiles(room: Room, effects: Effects): ChoreFiles {
  let cache = new Map<string, Cached>();
  return {
    async read() {
      const next = new Map<string, Cached>();
      const result: ChoresReading = { chores: new Map(), invalid: [], skipped: [] };
      for (const name of listFolder(room)) {
        const path = `chores/${name}`;
        const stamp = passedOver(name) ?? statFile(join(room.choresDir, name));
        if (typeof stamp === 'string') result.skipped.push({ path, reason: stamp });
        if (stamp === null || typeof stamp === 'string') continue;
        const known = cache.get(path);
        const read = known && sameStamp(known.stamp, stamp) ? known : await readFile(room, effects, path);
        if (read === null) continue;
        next.set(path, read);
        addTo(result, read);
      }
      cache = next;
      return result;
    },
  };
}

function addTo(result: ChoresReading, { reading, hash }: Cached): void {
  if (reading.ok) result.chores.set(reading.chore.name, { chore: reading.chore, hash });
  else result.invalid.push({ path: reading.path, problems: reading.problems });
}

async function readFile(room: Room, effects: Effects, path: string): Promise<Cached | null> {
  const read = await readStable(room.at(path), { effects, isOurs: () => false, shownAs: path });
  if (read === null) return null;
  const { stat: stamp, hash } = read;
  return {
    stamp,
    hash,
    reading: read.ok ? readChore(path, read.text) : { ok: false, path, problems: read.problems },
  };
}

function listFolder(room: Room): string[] {
  return orNothing(() => readdirSync(room.choresDir).sort(), [], 'chores');
}

function statFile(absolute: string): FileStamp | string | null {
  return orNothing(() => statTask(absolute), null, absolute);
}

function orNothing<T>(look: () => T, nothing: T, what: string): T {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return nothing;
    throw new RoomError('io', `can't look at ${what}: ${(error as Error).message}`, {
      cause: error,
      hint: 'check its permissions; the runtime looks again by itself',
    });
  }
}
