// Turns: asked for, looked at, ended.
import type { TaskId, TurnId } from '../../core/ids.ts';
import type { TurnFilter, TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { Actor } from '../task-room.ts';

/** A turn on record, one that is asked for (`pending`), or a job. */
export interface TurnView extends TurnRecord {
  /** The task it is about; null for a chore's. */
  task: TaskId | null;
  /** How far its output goes now: where to read on. */
  outputBytes: number;
}

export interface TurnOperations {
  /** The newest first, jobs among them; before them with `pending` those that are asked for. With `untold` no jobs: of them their agent is told. */
  turns(filter: Omit<TurnFilter, 'thread'> & { ref?: string; pending?: boolean }): Promise<TurnView[]>;
  /** By id, unique prefix, or a task's reference: its newest turn. */
  turn(ref: string): Promise<TurnView>;
  /** Reads a turn's output from a byte offset (B3); `text` is at most `limit` bytes. */
  output(turn: TurnId, offset: number, limit?: number): Promise<{ text: string; next: number; size: number }>;
  /** Kills a turn that runs or is asked for, or a job (by its id, or its task). @throws RoomError `refused` when it is over */
  kill(ref: string, actor: Actor): Promise<TurnView>;
}
