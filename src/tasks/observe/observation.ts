// What taking in a file comes to, for whoever decides over tasks and runs turns.
import type { TaskId } from '../../core/ids.ts';
import type { TurnReason } from '../../core/rules/turn.ts';

/** What an observation asks of whoever runs turns. */
export interface Observation {
  kind: 'task' | 'invalid' | 'deleted' | 'needs_id' | 'copy' | 'gone' | 'unchanged';
  path: string;
  id: TaskId | null;
  /** The requester's words changed (or were seen for the first time). */
  inputChanged: boolean;
  /** Somebody typed an answer to a question, and may still be at it. */
  answerTyped: boolean;
  /** Tasks to decide over. */
  look: TaskId[];
  stop: { id: TaskId; reason: TurnReason }[];
  windDown: TaskId[];
  /** Paths to look at anew: what was taken for a task's file turned out to be a copy of it. */
  reread: string[];
}
