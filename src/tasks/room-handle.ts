// What the operations need besides the room: whether a daemon observes, how to wake it, and how to end its orphans.
import type { Problem } from '../core/errors.ts';
import type { TurnReason } from '../core/rules/turn.ts';
import type { ListedTask, ListRow } from '../core/task/listed-task.ts';
import type { InvalidFile } from '../core/task/task.ts';
import type { JobRecord } from '../store/ledger/turns/jobs.ts';
import type { TurnRecord } from '../store/ledger/turns/turns.ts';
import type { LockHolder } from '../store/lock/room-lock.ts';
import type { Finding, WebhookExam } from './findings.ts';
import type { MirrorPort } from './mirror-port.ts';
import type { TaskRoom } from './task-room.ts';

/** The agents of a room, as far as who waits for one needs them. */
export interface AgentFacts {
  defaultAgent: string;
  /** By id: what keeps it from running, null for nothing. */
  agents: ReadonlyMap<string, string | null>;
}

/** Who holds the room, what is wrong with its settings, and outside as the daemon that runs last noted it. */
export interface RoomStanding {
  holder: LockHolder | null;
  problems: readonly Problem[];
  trouble: { message: string; hint: string | null }[];
}

/** The tasks of a room as lists have them, for a process that stays open. */
export interface KeptIndex {
  /** In the order of lists. */
  readonly rows: readonly ListRow[];
  readonly files: {
    readonly known: ReadonlyMap<string, { readonly task: ListedTask | null }>;
    /** Files that can't be read, in the order of paths. */
    invalid(): InvalidFile[];
    /** Readable files with keys that look mistyped. */
    odd(): InvalidFile[];
  };
  /** Takes in what changed in files and ledger. @throws RoomError `room_gone`, `io` */
  look(): Promise<void>;
  /** What changed since that version; everything where it is none of this index. `order`: all paths, where that is another. */
  since(version: string): { version: string; rows: ListRow[]; order: string[] | null };
}

/** Handed in by the runtime, so that this layer knows neither locks of daemons nor processes. */
export interface OperationPorts {
  /** A daemon holds the room: it observes what is written, nobody else does. */
  daemonRuns(): boolean;
  /** That daemon is another process. */
  isGuest?(): boolean;
  /** The index of the room, where this process keeps one. */
  index?(): KeptIndex | null;
  /** The agents of the room and whether they can run: as the daemon found it, else as it is here. */
  agentFacts?(): Promise<AgentFacts>;
  standing?(): RoomStanding;
  /** Makes the daemon look at the ledger. Harmless when none runs. */
  ring(): void;
  /** Takes in what happened to the documents in artifacts/. */
  takeInArtifacts?(handle: RoomHandle): Promise<void>;
  /** Ends a turn whose daemon died, records that, and resolves when nothing of it is alive. */
  killOrphan(turn: TurnRecord, reason: TurnReason): Promise<void>;
  /** Ends a job whose daemon died, as its `stop` says, and records that. */
  endJob?(job: JobRecord): Promise<void>;
  /** Every check of the room, in the order of reading; runs the agents' own programs. @throws RoomError */
  examine?(): Promise<Finding[]>;
  /** What arrives as webhooks, and what is missing. @throws RoomError `io` */
  examineWebhooks?(): Promise<WebhookExam>;
  /** The mirrors, with chores and providers as the files say now. @throws RoomError `io` */
  mirrors?(): Promise<MirrorPort>;
}

/** The room and the ports: what every operation gets. */
export interface RoomHandle {
  readonly deps: TaskRoom;
  readonly ports: OperationPorts;
}
