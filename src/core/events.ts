import type { SyncProgress } from './chore-shapes.ts';
import type { ErrorCode, Problem } from './errors.ts';
import type { TaskId, TurnId } from './ids.ts';
import { snakeKeys } from './plain-data.ts';
import { type Redact, redactData } from './redact.ts';
import type { TurnReason } from './rules/turn.ts';
import type { Status } from './task/status.ts';

export type SyncDirection = 'both' | 'pull' | 'push';

interface OfTask {
  id: TaskId;
  name: string;
}

interface OfIssue extends OfTask {
  ref: string; // Such as `github:acme/web#12`.
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
  /** Many files are read at the start. */
  | { type: 'room.scanning'; done: number; total: number }
  /** The room was taken in and is watched. */
  | { type: 'room.ready'; tasks: number; invalid: number; tookMs: number }
  /** The API answers: at that address (null with `--no-http`), and on its unix socket. */
  | { type: 'api.ready'; url: string | null; socket: string }
  /** Nothing is asked for, running or waiting for a retry; again after something happened. */
  | { type: 'room.idle' }
  /** No new turns from now on; so many still run. */
  | { type: 'room.stopping'; turns: number }
  /** The daemon has ended. */
  | { type: 'room.stopped' }
  /** Disk, folder or watcher refuse; the same words at most once a minute. `hint` may be null. */
  | { type: 'room.trouble'; message: string; hint: string | null }
  /** It works again. */
  | { type: 'room.mended'; message: string }
  /** `room.yaml` and the agents were read again. */
  | { type: 'config.reloaded' }
  /** They have mistakes; what could be read last stays in force. */
  | { type: 'config.invalid'; problems: readonly Problem[] }
  /** A task for the first time. */
  | ({ type: 'task.seen'; path: string; status: Status } & OfTask)
  /** Its status. */
  | ({ type: 'task.changed'; status: Status; was: Status } & OfTask)
  /** A step was ticked. */
  | ({ type: 'task.stepped'; done: number; total: number; title: string } & OfTask)
  /** It waits for others: the open references. */
  | ({ type: 'task.blocked'; by: string[] } & OfTask)
  /** It waits for others no more. */
  | ({ type: 'task.unblocked' } & OfTask)
  /** The daemon paused it. A pause in the file or by a command shows only as the turn it ends. */
  | ({ type: 'task.paused'; reason: string } & OfTask)
  /** `paused` went from true to false. */
  | ({ type: 'task.resumed' } & OfTask)
  /** It has unknown keys that look like known ones mistyped, or text stands where it starts no turn. */
  | ({ type: 'task.odd_keys' } & OfFile)
  /** A task that is over was edited: that starts nothing, `taskroom reopen` does. */
  | ({ type: 'task.edited_after_end'; status: Status } & OfTask)
  /** Its file has another name. */
  | ({ type: 'task.renamed'; was: string } & OfTask)
  /** A copy got an id of its own; `of` is the id it was copied from. */
  | ({ type: 'task.copied'; of: string } & OfTask)
  /** Its file is not there any more. */
  | ({ type: 'task.gone' } & OfTask)
  /** The daemon moved it to the archive. */
  | ({ type: 'task.archived'; path: string } & OfTask)
  /** A file can't be read; again when it changed and still can't. */
  | ({ type: 'task.invalid' } & OfFile)
  /** It can be read again. */
  | { type: 'task.mended'; path: string }
  /** So many entries were put back that an editor's older text had dropped. */
  | { type: 'task.restored'; path: string; entries: number }
  /** Its agent asked: it waits for your answer. `text` is the question on one line. */
  | ({ type: 'question.asked'; author: string; text: string } & OfTask)
  /** It has an answer, or another one. */
  | ({ type: 'question.answered'; text: string } & OfTask)
  /** The question was taken out of the file without an answer. */
  | ({ type: 'question.withdrawn'; text: string } & OfTask)
  /** So many tasks are held now after a mass edit. */
  | { type: 'tasks.held'; count: number }
  /** Very many tasks are changed at once, asked over HTTP: an event each hundred. */
  | {
      type: 'bulk.progress';
      phase: 'checking' | 'writing' | 'removing' | 'noting';
      done: number;
      total: number;
    }
  /** Due, but its agent is missing or broken; once for each reason. */
  | ({ type: 'task.waiting'; reason: string } & OfTask)
  /** Turns of `agent`, null for all agents, wait until then, epoch ms, unless `fallback` takes them. */
  | ({ type: 'agent.waiting'; why: 'usage_limit' | 'budget'; until: number; text: string } & {
      agent: string | null;
      fallback: string | null;
    })
  /** They wait no more. */
  | { type: 'agent.ready'; agent: string | null }
  /** A turn is asked for. */
  | ({ type: 'turn.requested'; reasons: string[] } & Omit<OfTurn, 'turn'>)
  /** It runs; `adopted` when it was found running at the start. */
  | ({ type: 'turn.started'; agent: string; attempt: number; reasons: string[]; adopted: boolean } & OfTurn)
  /** It ended; loop.md has the states and reasons. */
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
  /** A report of a worker that had lost the turn: kept in the turn's `late.jsonl`, and without effect. */
  | { type: 'turn.late_report'; turn: TurnId; worker: string; attempt: number }
  /** Its task says done: these shell commands decide whether that counts. */
  | ({ type: 'turn.checking'; turn: TurnId; checks: readonly string[] } & OfTask)
  /** They passed, or `message` names the one that failed. */
  | ({ type: 'turn.checked'; turn: TurnId; ok: boolean; message: string | null } & OfTask)
  /** What a turn's agent asked for and may not do, or not any more. */
  | ({ type: 'turn.refused'; operation: string; message: string } & OfTurn)
  /** A failed turn is tried again at `retryAt`, epoch ms. */
  | ({ type: 'turn.retrying'; attempt: number; retryAt: number } & Omit<OfTurn, 'turn'>)
  /** An agent tells you something; `id` is null and `name` empty outside a task. */
  | ({ type: 'person.notified'; author: string; text: string } & Omit<OfTurn, 'turn'>)
  /** A chore runs, or its turn is asked for: asked, first, scheduled, retry or interrupted. */
  | ({ type: 'chore.due'; reason: string } & OfChore)
  /** It went well; `counts` are a sync's. */
  | ({
      type: 'chore.finished';
      message: string;
      counts: Readonly<Record<string, number>>;
      tookMs: number;
    } & OfChore)
  /** Tried again at `retryAt`, epoch ms; null when a person has to look or ask. */
  | ({ type: 'chore.failed'; message: string; hint: string | null; retryAt: number | null } & OfChore)
  /** A chore's file can't be read. */
  | ({ type: 'chore.invalid' } & OfFile)
  /** It can be read again, or is gone. */
  | { type: 'chore.mended'; path: string }
  /** Webhooks of these trackers are heard there. */
  | { type: 'webhooks.listening'; address: string; hears: readonly string[] }
  /** A signed delivery, and the chores that fetch what it names. */
  | { type: 'webhook.received'; provider: string; event: string; chores: readonly string[] }
  /** A source is synced; whole syncs go `both` ways, what changed here is pushed soon in between. */
  | { type: 'sync.started'; chore: string; provider: string; source: string; direction: SyncDirection }
  /** Long work goes on; `sending` counts the writes of one task. `total` may be null. */
  | ({ type: 'sync.progress' } & Omit<SyncProgress, 'who'>)
  /** It went through; `remaining` of the tracker's budget may be null; `waiting` writes are left. */
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
      remaining: number | null;
      waiting: number;
    }
  /** It ended early; what was done before stays. */
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
  /** An issue became a task. */
  | ({ type: 'mirror.created' } & OfIssue)
  /** A change from upstream was written into its file; `comments` counts new ones. */
  | ({ type: 'mirror.updated'; fields: string[]; comments: number } & OfIssue)
  /** Written upstream; `status` is null when that was not, `comments` are new ones, `edited` earlier ones. */
  | ({
      type: 'mirror.pushed';
      status: Status | null;
      fields: string[];
      comments: number;
      edited: number;
    } & OfIssue)
  /** Both sides changed the same; the losing texts lie at `kept`. */
  | ({ type: 'mirror.conflict'; fields: string[]; kept: string[] } & OfIssue)
  /** You settled a conflict: with what stood, with the text that had lost, or with one of your own. */
  | ({ type: 'mirror.settled'; field: string; take: 'standing' | 'lost' | 'own' } & OfIssue)
  /** It is not followed any more: issue or file are gone. */
  | ({ type: 'mirror.detached'; reason: string } & OfIssue)
  /** Somebody without trust opened, changed or reopened the issue. */
  | ({ type: 'mirror.paused'; reason: string } & OfIssue)
  /** The task's pull request was opened, or something of it is other than before. */
  | ({ type: 'pull_request.changed'; url: string; state: 'open' | 'merged' | 'closed' } & OfIssue);

export type RoomEventType = RoomEvent['type'];

/** An event as one line of JSON, for `taskroom up --json` and the API's stream. */
export const eventJson = ({ type, ...rest }: RoomEvent, atMs: number): string =>
  JSON.stringify({ at: new Date(atMs).toISOString(), type, ...(snakeKeys(rest) as object) });

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
