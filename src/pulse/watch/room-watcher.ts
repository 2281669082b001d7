// Watch events as hints: which path to look at sooner than the next sweep would. An event that never comes costs
// time, not correctness. One inotify watch a folder.
import { watch } from 'chokidar';
import type { Room } from '../../store/room.ts';
import { passedOver } from '../../store/scan.ts';

export interface RoomWatcher {
  close(): Promise<void>;
}

export interface WatchHandlers {
  /** Something happened to a task file; path inside the room. */
  onTask(path: string): void;
  /** room.yaml or an agent's file changed. */
  onSettings(): void;
  /** Something happened in chores/. */
  onChores(): void;
  /** A command left a message in the ledger. */
  onWake(): void;
  onError(error: unknown): void;
}

// A link that leads nowhere is no trouble of the watcher: the scan passes it over, with the reason.
const LINK_TROUBLE: readonly string[] = ['ELOOP', 'ENAMETOOLONG'];

/** Starts watching; resolves when the watcher is ready. */
export async function openRoomWatcher(room: Room, handlers: WatchHandlers): Promise<RoomWatcher> {
  const watcher = watch(
    [room.tasksDir, room.agentsDir, room.choresDir, room.at('room.yaml'), room.wakePath],
    {
      ignoreInitial: true,
      // Saves by rename are seen through at once; the reader waits for the text to be at rest.
      atomic: false,
      depth: 1,
      ignored: (path, stats) =>
        path.startsWith(`${room.tasksDir}/`) &&
        (passedOver(path.slice(room.tasksDir.length + 1)) !== null || stats?.isDirectory() === true),
      ignorePermissionErrors: true,
    },
  );
  watcher.on('all', (_event, path) => {
    if (path === room.wakePath) handlers.onWake();
    else if (path.startsWith(`${room.tasksDir}/`))
      handlers.onTask(`tasks/${path.slice(room.tasksDir.length + 1)}`);
    else if (path === room.choresDir || path.startsWith(`${room.choresDir}/`)) handlers.onChores();
    else if (path !== room.tasksDir && path !== room.agentsDir) handlers.onSettings();
  });
  watcher.on('error', (error) => {
    if (!LINK_TROUBLE.includes((error as NodeJS.ErrnoException).code ?? '')) handlers.onError(error);
  });
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
  return { close: () => watcher.close() };
}
