// The mirrors of a room, opened when they are first asked for.
import type { RoomHandle } from '../../tasks/room-handle.ts';
import type { OpenMirrors } from './open-mirrors.ts';

export interface LazyMirrors {
  /** With the chores as their files say now. */
  open(): Promise<OpenMirrors>;
  /** Null while nothing asked for them. */
  opened(): OpenMirrors | null;
  close(): Promise<void>;
}

export function lazyMirrors(room: RoomHandle): LazyMirrors {
  let opened: Promise<OpenMirrors> | null = null;
  let handle: OpenMirrors | null = null;
  return {
    async open() {
      const first = opened === null;
      opened ??= import('./open-mirrors.ts').then(({ openMirrors }) => openMirrors(room));
      const mirrors = await opened.catch((error: unknown) => {
        opened = null;
        throw error;
      });
      if (!first) await mirrors.reload();
      handle = mirrors;
      return mirrors;
    },
    opened: () => handle,
    close: async () => (await opened?.catch(() => null))?.sync.close(),
  };
}
