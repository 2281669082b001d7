// Changing several tasks at once.
import type { DELETED, Status } from '../../core/task/status.ts';
import type { Actor } from '../task-room.ts';
import type { ListFilter } from './list-shapes.ts';
import type { Changed, NewTask, Removed } from './task-shapes.ts';

/** At most so many changes a call (C2). */
export const MAX_BULK = 25;

export type BulkChange =
  /** Tasks of one call may refer to each other by name. */
  | { do: 'create'; task: NewTask }
  /** `text`: said under Task; the status `deleted` is a deletion. */
  | {
      do: 'update';
      ref: string;
      changes: Readonly<Record<string, string>>;
      text?: string;
      status?: Status | typeof DELETED;
    }
  | { do: 'complete'; ref: string; outcome?: string }
  | { do: 'delete'; ref: string };

export interface BulkOperations {
  /**
   * Makes all of these changes or none. A change of one file by somebody else meanwhile is kept, as it is with one.
   * @returns one answer a change, in their order
   * @throws RoomError `bad_input` that names the change which can't be made, and as its own operation would
   */
  bulk(changes: readonly BulkChange[], actor: Actor): Promise<Changed[]>;
  /** Finishes every todo and doing task that fits; for an agent in a turn those below its own. */
  completeAll(filter: ListFilter, actor: Actor): Promise<Changed[]>;
  /** Moves every finished task that fits to the attic, done or canceled; with `all` open ones too. */
  removeAll(which: 'completed' | 'all', filter: ListFilter, actor: Actor): Promise<Removed[]>;
}
