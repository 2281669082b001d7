// The mirrors of a room, opened when they are first asked for.
import type { Desk } from '../tasks/desk.ts';
import type { MirrorDesk } from './mirrors.ts';

export interface LazyMirrors {
  /** With the chores as their files say now. */
  open(): Promise<MirrorDesk>;
  /** Null while nothing asked for them. */
  opened(): MirrorDesk | null;
  close(): Promise<void>;
}

export function lazyMirrors(room: Desk): LazyMirrors {
  let opened: Promise<MirrorDesk> | null = null;
  let desk: MirrorDesk | null = null;
  return {
    async open() {
      const first = opened === null;
      opened ??= import('./mirrors.ts').then(({ openMirrors }) => openMirrors(room));
      const mirrors = await opened.catch((error: unknown) => {
        opened = null;
        throw error;
      });
      if (!first) await mirrors.reload();
      desk = mirrors;
      return mirrors;
    },
    opened: () => desk,
    close: async () => (await opened?.catch(() => null))?.sync.close(),
  };
}
