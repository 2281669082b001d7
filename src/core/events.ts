// Everything the runtime tells about itself, as data. The log, the terminal and later faces are subscribers.
import type { ErrorCode, Problem } from './errors.ts';
import type { TaskId, TurnId } from './ids.ts';
import { type Redact, redactData } from './redact.ts';
import type { TurnReason } from './rules/turn.ts';
import type { Status } from './task/status.ts';

export type SyncDirection = 'both' | 'pull' | 'push';

export type RoomEvent =
  | { type: 'room.scanning'; done: number; total: number }
  | { type: 'room.ready'; tasks: number; invalid: number; tookMs: number }
  /** Nothing is asked for, running or waiting for a retry. */
  | { type: 'room.idle' }
  | { type: 'room.stopping'; turns: number }
  | { type: 'room.stopped' }
  /** The API answers: under that address, null for none, and on its unix socket. */
  | { type: 'api.ready'; url: string | null; socket: string }
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
  /** It has unknown keys that look like known ones mistyped. */
  | { type: 'task.odd_keys'; path: string; problems: readonly Problem[] }
  | { type: 'task.edited_after_end'; id: TaskId; name: string; status: Status }
  | { type: 'task.renamed'; id: TaskId; name: string; was: string }
  | { type: 'task.copied'; id: TaskId; name: string; of: string }
  | { type: 'task.gone'; id: TaskId; name: string }
  | { type: 'task.archived'; id: TaskId; name: string; path: string }
  | { type: 'task.invalid'; path: string; problems: Problem[] }
  | { type: 'task.mended'; path: string }
  /** Entries that a stale buffer had dropped were put back. */
  | { type: 'task.restored'; path: string; entries: number }
  | { type: 'tasks.held'; count: number }
  /** Many tasks are being changed at once: `done` of `total` are checked, written, removed, or taken note of. */
  | {
      type: 'bulk.progress';
      phase: 'checking' | 'writing' | 'removing' | 'noting';
      done: number;
      total: number;
    }
  /** Somebody asked something in a task's file: the task waits for an answer. `text` is the question on one line. */
  | { type: 'question.asked'; id: TaskId; name: string; author: string; text: string }
  | { type: 'question.answered'; id: TaskId; name: string; text: string }
  /** It was taken out of the file without an answer. */
  | { type: 'question.withdrawn'; id: TaskId; name: string; text: string }
  /** Due, but nothing can run it: its agent is missing or broken. */
  | { type: 'task.waiting'; id: TaskId; name: string; reason: string }
  /** Turns of an agent wait until then, epoch ms, unless `fallback` takes them; of all agents where `agent` is null. */
  | {
      type: 'agent.waiting';
      agent: string | null;
      why: 'usage_limit' | 'budget';
      until: number;
      text: string;
      fallback: string | null;
    }
  /** They wait no more. */
  | { type: 'agent.ready'; agent: string | null }
  /** In the events of turns `id` is null for a chore's turn, and `name` the chore's. */
  | { type: 'turn.requested'; id: TaskId | null; name: string; reasons: string[] }
  | {
      type: 'turn.started';
      turn: TurnId;
      id: TaskId | null;
      name: string;
      agent: string;
      attempt: number;
      reasons: string[];
      adopted: boolean;
    }
  | {
      type: 'turn.ended';
      turn: TurnId;
      id: TaskId | null;
      name: string;
      state: 'completed' | 'failed' | 'killed';
      reason: TurnReason;
      exitCode: number | null;
      tookMs: number;
      message: string;
    }
  /** A worker on another machine took it; `attempt` counts its workers from 0. */
  | {
      type: 'turn.claimed';
      turn: TurnId;
      id: TaskId | null;
      name: string;
      worker: string;
      attempt: number;
    }
  /** A worker that had lost the turn told of it: that is kept beside its folder and changes nothing. */
  | { type: 'turn.late_report'; turn: TurnId; worker: string; attempt: number }
  /** Its task says done: these shell commands decide whether that counts. */
  | { type: 'turn.checking'; turn: TurnId; id: TaskId; name: string; checks: readonly string[] }
  /** `message` names the check that failed. */
  | { type: 'turn.checked'; turn: TurnId; id: TaskId; name: string; ok: boolean; message: string | null }
  /** What a turn's agent asked for and may not do, or not any more. */
  | {
      type: 'turn.refused';
      turn: TurnId;
      id: TaskId | null;
      name: string;
      operation: string;
      message: string;
    }
  /** A failed turn is tried again at `retryAt`, epoch ms. */
  | { type: 'turn.retrying'; id: TaskId | null; name: string; attempt: number; retryAt: number }
  /** An agent tells the person something; `id` is null outside a task. */
  | { type: 'person.notified'; id: TaskId | null; name: string; author: string; text: string }
  | { type: 'chore.due'; name: string; kind: 'mirror' | 'prompt'; reason: string }
  | {
      type: 'chore.finished';
      name: string;
      kind: 'mirror' | 'prompt';
      message: string;
      counts: Readonly<Record<string, number>>;
      tookMs: number;
    }
  /** Tried again at `retryAt`, epoch ms; null when a person has to look or ask. */
  | {
      type: 'chore.failed';
      name: string;
      kind: 'mirror' | 'prompt';
      message: string;
      hint: string | null;
      retryAt: number | null;
    }
  | { type: 'webhooks.listening'; address: string; hears: readonly string[] }
  /** A proven delivery, and the chores that fetch what it names. */
  | { type: 'webhook.received'; provider: string; event: string; chores: readonly string[] }
  | { type: 'chore.invalid'; path: string; problems: readonly Problem[] }
  | { type: 'chore.mended'; path: string }
  /** `direction`: whole syncs go both ways; what changed here is pushed soon in between. */
  | { type: 'sync.started'; chore: string; provider: string; source: string; direction: SyncDirection }
  | {
      type: 'sync.progress';
      chore: string;
      /** `sending` counts the writes of one task; a tracker's pace may hold each up. */
      phase: 'waiting' | 'pulling' | 'applying' | 'pushing' | 'sending' | 'checking';
      done: number;
      total: number | null;
    }
  | {
      type: 'sync.finished';
      chore: string;
      created: number;
      updated: number;
      pushed: number;
      conflicts: number;
      detached: number;
      skipped: number;
      requests: number;
      /** Of the tracker's budget; null where it tells of none. */
      remaining: number | null;
      waiting: number;
    }
  | {
      type: 'sync.failed';
      chore: string;
      direction: SyncDirection;
      code: ErrorCode;
      message: string;
      hint: string | null;
      requests: number;
      remaining: number | null;
    }
  /** `ref` names the issue: `github:acme/web#12`. */
  | { type: 'mirror.created'; id: TaskId; name: string; ref: string }
  | { type: 'mirror.updated'; id: TaskId; name: string; ref: string; fields: string[]; comments: number }
  | {
      type: 'mirror.pushed';
      id: TaskId;
      name: string;
      ref: string;
      /** What its issue became; null when that was not written. */
      status: Status | null;
      fields: string[];
      /** New ones. */
      comments: number;
      /** Earlier ones with another text. */
      edited: number;
    }
  | { type: 'mirror.conflict'; id: TaskId; name: string; ref: string; fields: string[]; kept: string[] }
  /** The person settled a conflict: with what stood, with the text that had lost, or with one of their own. */
  | {
      type: 'mirror.settled';
      id: TaskId;
      name: string;
      ref: string;
      field: string;
      take: 'standing' | 'lost' | 'own';
    }
  | { type: 'mirror.detached'; id: TaskId; name: string; ref: string; reason: string }
  /** Somebody without trust changed it. */
  | { type: 'mirror.paused'; id: TaskId; name: string; ref: string; reason: string };

export type RoomEventType = RoomEvent['type'];

export type EventBus = ReturnType<typeof createEventBus>;

/**
 * An event bus. A subscriber that throws harms neither the emitter nor other subscribers.
 * @param onFault told of what a subscriber threw
 * @param redact takes secrets out of every event before anybody sees it
 */
export function createEventBus(onFault: (fault: unknown) => void, redact?: Redact) {
  const subscribers = new Set<(event: RoomEvent) => void>();
  return {
    emit(said: RoomEvent): void {
      const event = redact === undefined ? said : redactData(said, redact);
      for (const subscriber of subscribers) {
        try {
          subscriber(event);
        } catch (fault) {
          onFault(fault);
        }
      }
    },
    subscribe(subscriber: (event: RoomEvent) => void): () => void {
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },
  };
}
