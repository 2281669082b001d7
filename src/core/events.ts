// Everything the runtime tells about itself, as data. The log, the terminal and later faces are subscribers.
import type { Problem } from './errors.ts';
import type { TaskId, TurnId } from './ids.ts';
import type { Status } from './status.ts';
import type { TurnReason } from './turn.ts';

export type RoomEvent =
  | { type: 'room.scanning'; done: number; total: number }
  | { type: 'room.ready'; tasks: number; invalid: number; tookMs: number }
  /** Nothing is asked for, running or waiting for a retry. */
  | { type: 'room.idle' }
  | { type: 'room.stopping'; turns: number }
  | { type: 'room.stopped' }
  /** Something outside failed (disk, folder, watcher); `mended` follows when it works again. */
  | { type: 'room.trouble'; message: string; hint: string | null }
  | { type: 'room.mended'; message: string }
  | { type: 'config.reloaded' }
  | { type: 'config.invalid'; problems: readonly Problem[] }
  | { type: 'task.seen'; id: TaskId; name: string; path: string; status: Status }
  | { type: 'task.changed'; id: TaskId; name: string; status: Status; was: Status }
  | { type: 'task.stepped'; id: TaskId; name: string; done: number; total: number; title: string }
  | { type: 'task.blocked'; id: TaskId; name: string; by: string[] }
  | { type: 'task.unblocked'; id: TaskId; name: string }
  | { type: 'task.paused'; id: TaskId; name: string; reason: string }
  | { type: 'task.resumed'; id: TaskId; name: string }
  | { type: 'task.renamed'; id: TaskId; name: string; was: string }
  | { type: 'task.copied'; id: TaskId; name: string; of: string }
  | { type: 'task.gone'; id: TaskId; name: string }
  | { type: 'task.archived'; id: TaskId; name: string; path: string }
  | { type: 'task.invalid'; path: string; problems: Problem[] }
  | { type: 'task.mended'; path: string }
  /** Entries that a stale buffer had dropped were put back. */
  | { type: 'task.restored'; path: string; entries: number }
  | { type: 'tasks.held'; count: number }
  /** Due, but nothing can run it: its agent is missing or broken. */
  | { type: 'task.waiting'; id: TaskId; name: string; reason: string }
  | { type: 'turn.requested'; id: TaskId; name: string; reasons: string[] }
  | {
      type: 'turn.started';
      turn: TurnId;
      id: TaskId;
      name: string;
      agent: string;
      attempt: number;
      reasons: string[];
      adopted: boolean;
    }
  | {
      type: 'turn.ended';
      turn: TurnId;
      id: TaskId;
      name: string;
      state: 'completed' | 'failed' | 'killed';
      reason: TurnReason;
      exitCode: number | null;
      tookMs: number;
      message: string;
    }
  /** A failed turn is tried again at `retryAt`, epoch ms. */
  | { type: 'turn.retrying'; id: TaskId; name: string; attempt: number; retryAt: number };

export type RoomEventType = RoomEvent['type'];

export interface EventBus {
  emit(event: RoomEvent): void;
  /** Calls `subscriber` for each event until the returned function is called. */
  subscribe(subscriber: (event: RoomEvent) => void): () => void;
}

/**
 * An event bus. A subscriber that throws harms neither the emitter nor other subscribers.
 * @param onFault told of what a subscriber threw
 */
export function createEventBus(onFault: (fault: unknown) => void): EventBus {
  const subscribers = new Set<(event: RoomEvent) => void>();
  return {
    emit(event) {
      for (const subscriber of subscribers) {
        try {
          subscriber(event);
        } catch (fault) {
          onFault(fault);
        }
      }
    },
    subscribe(subscriber) {
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },
  };
}
