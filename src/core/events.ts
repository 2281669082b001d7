import type { SyncProgress } from './chore-shapes.ts';
import type { ErrorCode, Problem } from './errors.ts';
import type { TaskId, TurnId } from './ids.ts';
import { type Redact, redactData } from './redact.ts';
import type { TurnReason } from './rules/turn.ts';
import type { Status } from './task/status.ts';

export type SyncDirection = 'both' | 'pull' | 'push';

interface OfTask {
  id: TaskId;
  name: string;
}

interface OfIssue extends OfTask {
  /** Such as `github:acme/web#12`. */
  ref: string;
}

/** `id` is null and `name` the chore's in the turn of a chore. */
interface OfTurn {
  id: TaskId | null;
  name: string;
  turn: TurnId;
}

interface OfChore {
  name: string;
  kind: 'mirror' | 'prompt';
}

interface OfFile {
  path: string;
  problems: readonly Problem[];
}

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
  | ({ type: 'task.seen'; path: string; status: Status } & OfTask)
  | ({ type: 'task.changed'; status: Status; was: Status } & OfTask)
  | ({ type: 'task.stepped'; done: number; total: number; title: string } & OfTask)
  | ({ type: 'task.blocked'; by: string[] } & OfTask)
  | ({ type: 'task.unblocked' | 'task.resumed' | 'task.gone' } & OfTask)
  | ({ type: 'task.paused'; reason: string } & OfTask)
  /** It has unknown keys that look like known ones mistyped. */
  | ({ type: 'task.odd_keys' } & OfFile)
  | ({ type: 'task.edited_after_end'; status: Status } & OfTask)
  | ({ type: 'task.renamed'; was: string } & OfTask)
  | ({ type: 'task.copied'; of: string } & OfTask)
  | ({ type: 'task.archived'; path: string } & OfTask)
  | ({ type: 'task.invalid' } & OfFile)
  | { type: 'task.mended'; path: string }
  /** Entries that a stale buffer had dropped were put back. */
  | { type: 'task.restored'; path: string; entries: number }
  | { type: 'tasks.held'; count: number }
  /** Many tasks are changed at once: `done` of `total` are checked, written, removed, or recorded. */
  | {
      type: 'bulk.progress';
      phase: 'checking' | 'writing' | 'removing' | 'noting';
      done: number;
      total: number;
    }
  /** The task waits for an answer. `text` is the question on one line. */
  | ({ type: 'question.asked'; author: string; text: string } & OfTask)
  | ({ type: 'question.answered'; text: string } & OfTask)
  /** The question was taken out of the file without an answer. */
  | ({ type: 'question.withdrawn'; text: string } & OfTask)
  /** Due, but nothing can run it: its agent is missing or broken. */
  | ({ type: 'task.waiting'; reason: string } & OfTask)
  /** Turns of `agent`, null for all agents, wait until then, epoch ms, unless `fallback` takes them. */
  | ({ type: 'agent.waiting'; why: 'usage_limit' | 'budget'; until: number; text: string } & {
      agent: string | null;
      fallback: string | null;
    })
  | { type: 'agent.ready'; agent: string | null }
  | ({ type: 'turn.requested'; reasons: string[] } & Omit<OfTurn, 'turn'>)
  | ({ type: 'turn.started'; agent: string; attempt: number; reasons: string[]; adopted: boolean } & OfTurn)
  | ({
      type: 'turn.ended';
      state: 'completed' | 'failed' | 'killed';
      reason: TurnReason;
      exitCode: number | null;
      tookMs: number;
      message: string;
    } & OfTurn)
  /** A worker on another machine took it; `attempt` counts its workers from 0. */
  | ({ type: 'turn.claimed'; worker: string; attempt: number } & OfTurn)
  /** A worker that had lost the turn reported: the report is kept beside the turn's folder and changes nothing. */
  | { type: 'turn.late_report'; turn: TurnId; worker: string; attempt: number }
  /** Its task says done: these shell commands decide whether that counts. */
  | ({ type: 'turn.checking'; turn: TurnId; checks: readonly string[] } & OfTask)
  /** `message` names the check that failed. */
  | ({ type: 'turn.checked'; turn: TurnId; ok: boolean; message: string | null } & OfTask)
  /** The turn's agent asked for what it may not do. */
  | ({ type: 'turn.refused'; operation: string; message: string } & OfTurn)
  /** A failed turn is tried again at `retryAt`, epoch ms. */
  | ({ type: 'turn.retrying'; attempt: number; retryAt: number } & Omit<OfTurn, 'turn'>)
  /** An agent tells the person something; `id` is null outside a task. */
  | ({ type: 'person.notified'; author: string; text: string } & Omit<OfTurn, 'turn'>)
  | ({ type: 'chore.due'; reason: string } & OfChore)
  | ({
      type: 'chore.finished';
      message: string;
      counts: Readonly<Record<string, number>>;
      tookMs: number;
    } & OfChore)
  /** Tried again at `retryAt`, epoch ms; null when a person has to look or ask. */
  | ({ type: 'chore.failed'; message: string; hint: string | null; retryAt: number | null } & OfChore)
  | { type: 'webhooks.listening'; address: string; hears: readonly string[] }
  /** A proven delivery, and the chores that fetch what it names. */
  | { type: 'webhook.received'; provider: string; event: string; chores: readonly string[] }
  | ({ type: 'chore.invalid' } & OfFile)
  | { type: 'chore.mended'; path: string }
  /** `direction`: whole syncs go both ways; what changed here is pushed soon in between. */
  | { type: 'sync.started'; chore: string; provider: string; source: string; direction: SyncDirection }
  /** `sending` counts the writes of one task; a tracker's pace may hold each up. */
  | ({ type: 'sync.progress' } & Omit<SyncProgress, 'who'>)
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
      /** Requests left in the tracker's budget; null when the tracker does not say. */
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
  | ({ type: 'mirror.created' } & OfIssue)
  | ({ type: 'mirror.updated'; fields: string[]; comments: number } & OfIssue)
  /** `status` is what its issue became, null when not written; `comments` are new ones, `edited` earlier ones. */
  | ({
      type: 'mirror.pushed';
      status: Status | null;
      fields: string[];
      comments: number;
      edited: number;
    } & OfIssue)
  | ({ type: 'mirror.conflict'; fields: string[]; kept: string[] } & OfIssue)
  /** The person settled a conflict: with what stood, with the text that had lost, or with one of their own. */
  | ({ type: 'mirror.settled'; field: string; take: 'standing' | 'lost' | 'own' } & OfIssue)
  | ({ type: 'mirror.detached'; reason: string } & OfIssue)
  /** Somebody without trust changed it. */
  | ({ type: 'mirror.paused'; reason: string } & OfIssue);

export type RoomEventType = RoomEvent['type'];

export type EventBus = ReturnType<typeof createEventBus>;

/**
 * An event bus. A subscriber that throws harms neither the emitter nor other subscribers.
 * @param onFault called with what a subscriber threw
 * @param redact removes secrets from every event before subscribers get it
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
