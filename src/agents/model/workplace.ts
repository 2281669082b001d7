// Where a model's file tools may reach: its folder, links followed, and never what the room keeps for itself, wherever that
// folder lies.
import { join, relative, resolve } from 'node:path';
import { isWithin, liesIn, realTarget } from '../workspace/contained-path.ts';

/** A path that its tools can't use, with why: for the model to read. */
export class Unreachable extends Error {}

/** What of a room is nobody's work but people's, the runtime's and its tools'. */
const ROOMS_OWN = ['tasks', 'archive', 'chores', 'agents', 'providers'];

export type Workplace = ReturnType<typeof createWorkplace>;

/** @param room absolute path of the room */
export function createWorkplace(cwd: string, room: string) {
  const root = realTarget(cwd) ?? cwd;
  // A worktree of a task lies in the room's own folder by default.
  const isApart = liesIn(room, root) && !liesIn(root, room);

  function toRead(path: string): string {
    if (path.includes('\0')) throw new Unreachable('a path holds no NUL');
    const target = realTarget(resolve(cwd, path));
    if (target === null || !isWithin(root, target))
      throw new Unreachable(`${JSON.stringify(path)} does not lie in ${cwd}, or leads out of it`);
    if (!isApart && liesIn(join(room, '.taskroom'), target))
      throw new Unreachable(`${JSON.stringify(path)} is the runtime's own`);
    return target;
  }

  function isRooms(target: string): boolean {
    if (ROOMS_OWN.some((name) => liesIn(join(room, name), target))) return true;
    return !isApart && liesIn(room, target) && !liesIn(join(room, 'artifacts'), target);
  }

  return {
    /** Absolute path of the folder, as programs see it. */
    cwd,
    /**
     * Where a path really leads.
     * @param path as the model gave it, absolute or from the folder
     * @throws Unreachable
     */
    toRead,
    /** The same for what is to be written, moved or deleted. @throws Unreachable */
    toWrite(path: string) {
      const target = toRead(path);
      if (target === root) throw new Unreachable('this is the folder itself');
      if (isRooms(target))
        throw new Unreachable(`${JSON.stringify(path)} belongs to the room: use its tools to change tasks`);
      return target;
    },
    name: (target: string) => relative(root, target) || '.',
  };
}
