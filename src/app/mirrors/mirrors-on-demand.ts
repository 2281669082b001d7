// Opens the mirrors of a room when they are first asked for.
import type { RoomHandle } from '../../tasks/task-room.ts';
import type { OpenMirrors } from './open-mirrors.ts';

export type LazyMirrors = ReturnType<typeof lazyMirrors>;

export function lazyMirrors(room: RoomHandle) {
  let opening: Promise<OpenMirrors> | null = null;
  const mirrors = {
    opened: null as OpenMirrors | null, // Null while nothing asked for them.
    /** With the chores as their files say now. */
    async open(): Promise<OpenMirrors> {
      if (mirrors.opened !== null) {
        await mirrors.opened.reload();
        return mirrors.opened;
      }
      opening ??= import('./open-mirrors.ts').then(({ openMirrors }) => openMirrors(room));
      try {
        mirrors.opened = await opening;
      } finally {
        opening = null;
      }
      return mirrors.opened;
    },
    close: async () => (mirrors.opened ?? (await opening?.catch(() => null)))?.sync.close(),
  };
  return mirrors;
}
