// A worker's own folder: it holds one for each room, laid out like the room's, since the same code runs turns in both. What a worker that died
// left running is ended first, by its guard or by the next worker.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endTurn } from '../../../agents/process/terminate.ts';
import { RoomError } from '../../../core/errors.ts';
import type { Effects } from '../../../effects.ts';
import { type FileLock, tryFileLock } from '../../../store/lock/locks.ts';
import { onDisk } from '../../../store/room.ts';
import { STILL_GRACE_MS } from './guard.ts';
import { keepUnsent } from './report-recovery.ts';
import { removeAllLocks } from './workspace/left-locks.ts';

const TURNS = join('.taskroom', 'turns');
const SAFE = /[^0-9A-Za-z_.-]/g;

/** Takes the folder, and ends what was left running in it. @throws RoomError `locked` when another worker has it, `io` */
export async function takeWorkerFolder(dir: string, effects: Effects) {
  onDisk(dir, () => mkdirSync(dir, { recursive: true, mode: 0o700 }));
  const lock: FileLock | null = tryFileLock(join(dir, 'lock'), 'worker', effects.now());
  const hint = 'give this one another name with --name, or another folder with --dir';
  if (lock === null) throw new RoomError('locked', `another worker works in ${dir}`, hint);
  await endLeftTurns(dir, effects);
  const repositories = join(dir, 'repositories');
  await removeAllLocks(dir, repositories);
  return {
    repositories,
    room: (id: string) => join(dir, id), // The folder that stands for the room.
    turn: (roomId: string, turn: string) => join(dir, roomId, TURNS, turn),
    /** Removes the folder of a turn that is over. */
    forget(roomId: string, turn: string) {
      try {
        rmSync(join(dir, roomId, TURNS, turn), { recursive: true, force: true, maxRetries: 3 });
      } catch {
        // A program still writes there: the next start removes the folder.
      }
    },
    /** The working folder of a thread whose agent has none of its own. */
    work: (roomId: string, thread: string) => join(dir, roomId, 'work', thread.replaceAll(SAFE, '-')),
    release: () => lock.release(),
  };
}

/** Ends all that turns in that folder left running, and removes their folders; unsent reports are kept. */
export const endLeftTurns = (dir: string, effects: Effects) =>
  ofTurns(dir, async (room, turns, turn) => {
    await endTurn(room, join(turns, turn), turn, effects);
    keepUnsent(turns, turn);
  });

/** Ends the programs of all turns in that folder, whose worker stands still; their files stay. */
export const endStillTurns = (dir: string, effects: Effects) =>
  ofTurns(dir, async (room, turns, turn) => {
    await endTurn(room, join(turns, turn), turn, effects, STILL_GRACE_MS);
  });

async function ofTurns(dir: string, end: (room: string, turns: string, turn: string) => Promise<void>) {
  const rooms = readdirSync(dir, { withFileTypes: true }).filter((each) => each.isDirectory());
  const ends = rooms.flatMap(({ name }) => {
    const turns = join(dir, name, TURNS);
    return existsSync(turns) ? readdirSync(turns).map((turn) => end(join(dir, name), turns, turn)) : [];
  });
  await Promise.all(ends);
}
