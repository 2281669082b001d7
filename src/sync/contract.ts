// What the sync engine asks of its surroundings, and what it offers and reports.

import type { Chore, Field } from '../core/chore/chore.ts';
import type { MirrorState } from '../core/chore/mirror-state.ts';
import type { SyncProgress } from '../core/chore-shapes.ts';
import type { RoomConfig } from '../core/config/room-config.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { EventBus } from '../core/events.ts';
import type { TaskId } from '../core/ids.ts';
import type { Effects } from '../effects.ts';
import type { MissingConfig, NamedIssue, ProviderFactory } from '../providers/provider.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { Room } from '../store/room.ts';
import type { Writer } from '../store/write/writer.ts';

/** Where a test stops the process: the intent is durable, the tracker answered, the answer is recorded; the same for files. */
export type SyncPoint = 'intended' | 'called' | 'recorded' | 'claimed' | 'filed' | 'written';

export interface SyncDeps {
  readonly room: Room;
  readonly ledger: Ledger;
  readonly writer: Writer;
  readonly effects: Effects;
  readonly events: EventBus;
  config(): RoomConfig;
  /** The chores that can be read; those without a mirror are passed over. */
  chores(): readonly Chore[];
  /** @throws RoomError `bad_input` for a provider nobody knows */
  factory(name: string): Promise<ProviderFactory>;
  /** An id that was never used. */
  freshTaskId(): TaskId;
  /** Takes in what changed on disk. */
  refresh(): Promise<void>;
  /** These files were written. */
  announce(paths: readonly string[]): Promise<void>;
  /** Another process runs the room: what this one's environment lacks says nothing of that. */
  isGuest?(): boolean;
  /** Sends the task's branch to its project's remote; false when it holds nothing new. @throws RoomError `refused` */
  pushBranch?(task: TaskId): Promise<boolean>;
  probe?: (point: SyncPoint) => void;
}

export interface SyncOptions {
  pull: boolean;
  push: boolean;
  /** Lists everything, whenever it was done last. */
  full?: boolean;
  /** Asks the tracker for these issues alone; what the listing would show is left to the next whole sync. */
  issues?: readonly NamedIssue[];
  /** Writes nothing on either side, and records nothing of it: the report's `plan` says what would be done. */
  dryRun?: boolean;
  /** Goes on where a guard would stop, and though the source is to be left alone for a while. */
  force?: boolean;
  /** A person says: comments with this room's keys are this room's, on record or not. */
  sameRoom?: boolean;
  /** A person says: this is a copy, and another room from now on. */
  newRoom?: boolean;
  /** A person asks: only a limit of the tracker itself is waited for. */
  asked?: boolean;
  /** Waits for another sync of the source, up to ten minutes. */
  wait?: boolean;
  onProgress?(progress: SyncProgress): void;
}

export interface SkippedItem {
  ref: string | null;
  task: TaskId | null;
  /** A field, `comment`, `file`, `issue`, … */
  what: string;
  why: string;
}

export interface SyncFault {
  code: ErrorCode;
  message: string;
  hint: string | null;
  /** How long the source is left alone for it, ms. */
  retryAfterMs?: number;
}

export interface SyncReport {
  chore: string;
  provider: string;
  source: string;
  dryRun: boolean;
  /** Tasks made. */
  created: number;
  /** Tasks whose file was changed. */
  updated: number;
  /** Issues that were written; comments are counted apart. */
  pushed: number;
  commentsIn: number;
  commentsOut: number;
  conflicts: number;
  detached: number;
  skipped: SkippedItem[];
  /** One line each, of a dry run. */
  plan: string[];
  requests: number;
  notModified: number;
  remaining: number | null;
  resetAt: number | null;
  /** What is still to be sent. */
  waiting: number;
  /** Why it ended early; null when it went through. */
  error: SyncFault | null;
}

export interface MirrorView {
  provider: string;
  ref: string;
  url: string | null;
  task: TaskId;
  name: string | null;
  path: string | null;
  chore: string;
  state: MirrorState;
  message: string | null;
  remoteUpdatedAt: number;
  syncedAt: number;
  /** Writes upstream that wait. */
  waiting: number;
  /** A write that has to wait until then, epoch ms. */
  dueAt: number | null;
  /** What both sides said differently and the person has not settled yet, the oldest first. */
  conflicts: ConflictView[];
}

/** A field of which both sides said something else. */
export interface ConflictView {
  id: string;
  task: TaskId;
  field: Field;
  /** When it was found, epoch ms. */
  at: number;
  /** Whose text lost: that of the file, or that of the tracker. */
  lostSide: 'local' | 'remote';
  /** What the file says now. A list has one item a line; no value is `none`. */
  standing: string;
  lost: string;
  /** Where the text that lost lies too, relative to the room. */
  kept: string | null;
  /** Another one whenever either text is another. */
  version: string;
}

export interface SettleWish {
  conflict: string;
  /** What becomes of the field: as it stands, the text that lost, or `text`. */
  take: 'standing' | 'lost' | 'own';
  text?: string;
  /** Of the conflict as it was looked at. */
  version: string;
}

/** A conflict that is settled, with the text that stands since. */
export interface Settlement extends ConflictView {
  take: SettleWish['take'];
  /** Whether the file was changed by it. */
  changed: boolean;
}

export interface TaskServices {
  write: boolean;
  comment: boolean;
  missing: MissingConfig[];
  /** Whether the mirror trusts the issue's author, and the author of a comment; absent while that is not known. */
  trust?: { requester: boolean; comment(author: string, role: string | null): boolean };
}

export interface Linked {
  task: TaskId;
  provider: string;
  ref: string;
  url: string | null;
  chore: string;
}
