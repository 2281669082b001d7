// Turns: asked for, looked at, ended.
import type { TaskId, TurnId } from '../../core/ids.ts';
import type { TurnFilter, TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { Actor } from '../task-room.ts';

export interface AskedTurn {
  id: TaskId;
  name: string;
  /** Something runs the room. */
  daemon: boolean;
  /** The turn that runs on the task now: the one asked for comes after it. */
  after: TurnId | null;
}

/** A turn on record, one that is asked for (`pending`), or a job. */
export interface TurnView extends TurnRecord {
  /** The task it is about; null for a chore's. */
  task: TaskId | null;
  /** How far its output goes now: where to read on. */
  outputBytes: number;
}

export interface TurnOperations {
  /** Asks for a turn; with `chat` for a person who waits for it. @throws RoomError `refused` when it stands still (paused, blocked, draft, finished) and `force` is not set */
  run(ref: string, options: { force?: boolean; chat?: boolean }, actor: Actor): Promise<AskedTurn>;
  /** Releases held tasks. */
  release(): Promise<{ released: number; daemon: boolean }>;
  /** The newest first, jobs among them; before them with `pending` those that are asked for. With `untold` no jobs: of them their agent is told. */
  turns(filter: Omit<TurnFilter, 'thread'> & { ref?: string; pending?: boolean }): Promise<TurnView[]>;
  /** Records that the person saw how these turns ended (B7). */
  markTold(turns: readonly TurnId[]): Promise<void>;
  /** By id, unique prefix, or a task's reference: its newest turn. */
  turn(ref: string): Promise<TurnView>;
  /** Reads a turn's output from a byte offset (B3); `text` is at most `limit` bytes. */
  output(turn: TurnId, offset: number, limit?: number): Promise<{ text: string; next: number; size: number }>;
  /** Kills a turn that runs or is asked for, or a job (by its id, or its task). @throws RoomError `refused` when it is over */
  kill(ref: string, actor: Actor): Promise<TurnView>;
}
