// Opens the mirrors of a room when they are first asked for.
import type { RoomHandle } from '../../tasks/task-room.ts';
import type { OpenMirrors } from './open-mirrors.ts';

export type LazyMirrors = ReturnType<typeof lazyMirrors>;

export function lazyMirrors(room: RoomHandle) {
  let opening: Promise<OpenMirrors> | null = null;
  let opened: OpenMirrors | null = null;
  return {
    /** With the chores as their files say now. */
    async open(): Promise<OpenMirrors> {
      if (opened === null) {
        opening ??= import('./open-mirrors.ts').then(({ openMirrors }) => openMirrors(room));
        try {
          opened = await opening;
        } finally {
          opening = null;
        }
      } else await opened.reload();
      return opened;
    },
    opened: () => opened, // Null while nothing asked for them.
    close: async () => (opened ?? (await opening?.catch(() => null)))?.sync.close(),
  };
}
