// Watch events as hints: which path to look at sooner than the next sweep would. An event that never comes costs
// time, not correctness. One inotify watch a folder.
import { watch } from 'chokidar';
import { RoomError } from '../../core/errors.ts';
import { ARTIFACTS } from '../../store/artifacts.ts';
import type { Room } from '../../store/room.ts';
import { passedOver } from '../../store/scan.ts';

export type RoomWatcher = Awaited<ReturnType<typeof openRoomWatcher>>;

export interface WatchHandlers {
  /** Something happened to a task file; path inside the room. */
  onTask(path: string): void;
  /** room.yaml or an agent's file changed. */
  onSettings(): void;
  /** Something happened in chores/. */
  onChores(): void;
  /** Something happened in artifacts/. */
  onArtifacts(): void;
  /** A command left a message in the ledger. */
  onWake(): void;
  onError(error: unknown): void;
}

// A link that leads nowhere is no trouble of the watcher: the scan passes it over, with the reason.
const LINK_TROUBLE: readonly string[] = ['ELOOP', 'ENAMETOOLONG'];

/** Of a watcher that is open: the system's limit was reached, it may miss changes from now on. */
interface LimitHandler {
  onLimit?(error: RoomError): void;
}

/**
 * Starts watching; resolves when the watcher is ready.
 * @throws RoomError `unavailable` when the system has no watch left
 */
export async function openRoomWatcher(room: Room, handlers: WatchHandlers & LimitHandler) {
  const artifacts = room.at(ARTIFACTS);
  const watcher = watch(
    [room.tasksDir, room.agentsDir, room.choresDir, artifacts, room.at('room.yaml'), room.wakePath],
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
    else if (path === artifacts || path.startsWith(`${artifacts}/`)) handlers.onArtifacts();
    else if (path !== room.tasksDir && path !== room.agentsDir) handlers.onSettings();
  });
  let onLimit: (error: RoomError) => void = () => {};
  watcher.on('error', (error) => {
    const limit = limitReached(error);
    if (limit !== null) onLimit(limit);
    else if (!LINK_TROUBLE.includes((error as NodeJS.ErrnoException).code ?? '')) handlers.onError(error);
  });
  try {
    await new Promise<void>((resolve, reject) => {
      onLimit = reject;
      watcher.once('ready', resolve);
    });
  } catch (error) {
    onLimit = () => {};
    await watcher.close();
    throw error;
  }
  onLimit = (error) => handlers.onLimit?.(error);
  return { close: (): Promise<void> => watcher.close() };
}

const BLIND = 'changes are seen by looking every few seconds';

/** What the system ran out of, and how to raise it; null for any other error. */
function limitReached(error: unknown): RoomError | null {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC')
    return new RoomError('unavailable', `the system has no file watch left: ${BLIND}`, {
      cause: error,
      hint: 'raise it: sudo sysctl fs.inotify.max_user_watches=524288',
    });
  if (code === 'EMFILE' || code === 'ENFILE')
    return new RoomError('unavailable', `the system has no file watcher left: ${BLIND}`, {
      cause: error,
      hint: 'raise it: sudo sysctl fs.inotify.max_user_instances=1024; or, when files are too many, ulimit -n',
    });
  return null;
}
