// Chore files, read at rest when changed. A bad one is reported, hiding no other; no folder means no chores.
import { existsSync, readdirSync } from 'node:fs';
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
import { textsInForce } from './trusted-words.ts';

export type ChoreFile = { chore: Chore; hash: string };
export type InvalidChore = { path: string; problems: Problem[] };

export interface ChoresReading {
  chores: Map<string, ChoreFile>; // By name, chore 2 before chore 10.
  invalid: InvalidChore[];
  skipped: Skipped[];
}

export type ChoresRoom = { room: Room; ledger: Ledger; effects: Effects };

interface Cached {
  stamp: FileStamp;
  text: string | null; // As it stands there; null where it can't be read.
  counts: string | null; // What counts of that; null while it waits for its person's word.
  hash: string;
  reading: ChoreReading;
}

/** Keeps what it read, so that looking again at an unchanged folder costs a listing and a stat a file. */
export function createChoreFiles({ room, ledger, effects }: ChoresRoom) {
  const inForce = textsInForce(room, ledger);
  let cache = new Map<string, Cached>();
  const isCurrent = ({ stamp, text, counts }: Cached, path: string, now: FileStamp) =>
    sameStamp(stamp, now) && (text === null || inForce(path, text) === counts);
  const readFile = async (path: string): Promise<Cached | null> => {
    const read = await readStable(room.at(path), { effects, isOurs: () => false, shownAs: path });
    if (read === null) return null;
    const { stat: stamp, hash } = read;
    if (!read.ok)
      return { stamp, text: null, counts: '', hash, reading: { ok: false, path, problems: read.problems } };
    const { text } = read;
    const counts = inForce(path, text);
    const reading = readChore(path, counts ?? '');
    return { stamp, text, counts, hash: counts === text ? hash : hashText(counts ?? ''), reading };
  };
  return {
    /** Throws RoomError `io` when the folder or a file can't be read. */
    async read(): Promise<ChoresReading> {
      const next = new Map<string, Cached>();
      const result: ChoresReading = { chores: new Map(), invalid: [], skipped: [] };
      const list = () => (existsSync(room.choresDir) ? readdirSync(room.choresDir) : []);
      for (const name of onDisk('chores', list, 'list').sort(compareNames)) {
        const path = `chores/${name}`;
        const stamp = passedOver(name) ?? statTask(room.at(path));
        if (typeof stamp === 'string') result.skipped.push({ path, reason: stamp });
        if (stamp === null || typeof stamp === 'string') continue;
        const known = cache.get(path);
        const file = known && isCurrent(known, path, stamp) ? known : await readFile(path);
        if (file === null) continue;
        next.set(path, file);
        const { reading, counts, hash } = file;
        if (counts === null) continue;
        if (reading.ok) result.chores.set(reading.chore.name, { chore: reading.chore, hash });
        else result.invalid.push({ path, problems: reading.problems });
      }
      cache = next;
      return result;
    },
  };
}
