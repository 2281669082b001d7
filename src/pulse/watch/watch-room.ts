// Watch events as hints: which path to look at sooner than the next rescan would. An event that never comes costs time, not correctness.
// The watcher is opened anew after the room was away; where the system has none left, the room is looked at every few seconds until it
// has. And whether the room is still this process's: its lock and its ledger are where they were.
import { existsSync, statSync } from 'node:fs';
import { watch } from 'chokidar';
import { hasCode, isRoomError, RoomError } from '../../core/errors.ts';
import { ARTIFACTS, passedOver } from '../../store/files/scan.ts';
import { settingsStamp } from '../../store/files/settings.ts';
import type { FileLock } from '../../store/lock/locks.ts';
import type { Room } from '../../store/room.ts';
import type { Loop } from '../state/loop.ts';
import { createTimers } from '../state/work.ts';

interface WatchHandlers {
  onTask(path: string): void; // Something happened to a task file; path inside the room.
  onSettings(): void; // room.yaml or an agent's file changed, and is quiet.
  onChores(): void;
  onArtifacts(): void;
  onWake(): void; // A command left a message in the ledger.
  onError(error: unknown): void;
  /** Nothing tells of changes: looks at everything; resolves with how many task files there are. */
  onBlind(): Promise<number>;
}

const QUIET_MS = 200; // Editors write settings in several steps.
const LOOK_EVERY_MS = 3_000; // While nothing watches. A look takes some 4 µs a file.
const LOOK_REST_MS_PER_FILE = 0.05;

export function createRoomWatch({ deps, timers }: Pick<Loop, 'deps' | 'timers'>, handlers: WatchHandlers) {
  const { room, effects } = deps;
  const { onError } = handlers;
  let watcher: { close(): Promise<void> } | null = null;
  let stamp = settingsStamp(room);
  // Unlike others this timer keeps the process alive, as the watcher would.
  const blind = createTimers(effects, { onTrouble: onError, keepsAlive: true });

  function settingsChanged(): void {
    timers.set('settings', QUIET_MS, () => {
      stamp = settingsStamp(room);
      handlers.onSettings();
    });
  }

  /** Looks whether settings were saved unseen: by a stamp over room.yaml and the agents' files. */
  function checkSettings(): void {
    if (settingsStamp(room) !== stamp) settingsChanged();
  }

  /** Watches from now on, in place of what watched before; resolves when it does, or can't. */
  async function open(): Promise<void> {
    blind.cancel('look');
    await watcher?.close();
    watcher = null;
    try {
      watcher = await openWatcher(room, { ...handlers, onSettings: settingsChanged }, goBlind);
    } catch (error) {
      if (!isRoomError(error, 'unavailable')) throw error;
      goBlind(error);
    }
  }

  function goBlind(error: unknown): void {
    onError(error);
    blind.set('look', LOOK_EVERY_MS, tryAgain);
  }

  async function tryAgain(): Promise<void> {
    await open().catch(onError);
    let restMs = LOOK_EVERY_MS;
    try {
      // Once more when it watches again: nobody told of what was changed before.
      const files = await handlers.onBlind();
      checkSettings();
      restMs = Math.max(restMs, files * LOOK_REST_MS_PER_FILE);
    } finally {
      if (watcher === null) blind.set('look', restMs, tryAgain);
    }
  }

  return {
    open,
    checkSettings,
    async close(): Promise<void> {
      blind.close();
      await watcher?.close();
    },
  };
}

// A link that leads nowhere is no trouble of the watcher: the scan passes it over, with the reason.
const LINK_TROUBLE: readonly string[] = ['ELOOP', 'ENAMETOOLONG'];

/** Resolves when the watcher is ready, one inotify watch a folder; `onLimit`: an open one may miss changes. @throws RoomError `unavailable` */
async function openWatcher(room: Room, handlers: WatchHandlers, onLimit: (error: RoomError) => void) {
  const artifacts = room.at(ARTIFACTS);
  const { tasksDir, agentsDir, choresDir } = room;
  const inside = (dir: string, path: string) => path.startsWith(`${dir}/`);
  const watcher = watch([tasksDir, agentsDir, choresDir, artifacts, room.at('room.yaml'), room.wakePath], {
    ignoreInitial: true,
    // Saves by rename are seen through at once; the reader waits for the text to be at rest.
    atomic: false,
    depth: 1,
    ignored: (path, stats) =>
      inside(tasksDir, path) &&
      (passedOver(path.slice(tasksDir.length + 1)) !== null || stats?.isDirectory() === true),
    ignorePermissionErrors: true,
  });
  watcher.on('all', (_event, path) => {
    if (path === room.wakePath) handlers.onWake();
    else if (inside(tasksDir, path)) handlers.onTask(`tasks/${path.slice(tasksDir.length + 1)}`);
    else if (path === choresDir || inside(choresDir, path)) handlers.onChores();
    else if (path === artifacts || inside(artifacts, path)) handlers.onArtifacts();
    else if (path !== tasksDir && path !== agentsDir) handlers.onSettings();
  });
  const ready = Promise.withResolvers<void>();
  let atLimit: (error: RoomError) => void = ready.reject;
  watcher.on('error', (error) => {
    const limit = limitReached(error);
    if (limit !== null) atLimit(limit);
    else if (!hasCode(error, ...LINK_TROUBLE)) handlers.onError(error);
  });
  watcher.once('ready', ready.resolve);
  try {
    await ready.promise;
  } catch (error) {
    await watcher.close();
    throw error;
  }
  atLimit = onLimit;
  return watcher;
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

export function createRoomOwnership(room: Room, lock: FileLock, onLost: (error: RoomError) => void) {
  let ledger = identityOf(room.ledgerPath);
  let isLost = false;

  return {
    /** Looks; false while the room is away, and for good once it is lost. */
    check(): boolean {
      if (isLost) return false;
      if (lock.isOurs() && identityOf(room.ledgerPath) === ledger) return true;
      // A folder that was moved away may come back as it was.
      if (!existsSync(room.dir)) return false;
      isLost = true;
      const message = `${room.ownDir} was removed or replaced while the room ran: nothing more is started, and running turns are ended`;
      const hint = 'start again: taskroom up. Tasks that say doing then wait for an edit or taskroom run';
      onLost(new RoomError('room_gone', message, { hint }));
      return false;
    },
    /** This process itself began a new ledger. */
    ledgerReplaced(): void {
      ledger = identityOf(room.ledgerPath);
    },
  };
}

/** Where a file or folder lies, to tell a copy of it from itself; null for none. */
export function identityOf(path: string): string | null {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
}
