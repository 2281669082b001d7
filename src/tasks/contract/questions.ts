// What agents ask, what they are answered, and everything else that needs the person.
import type { Actor } from '../task-room.ts';
import type { InboxItem } from './question-shapes.ts';

export interface QuestionOperations {
  /**
   * Takes what changed while a turn ran and opens rights: a file, a task, a line of the inbox by its key, or all of it.
   * @throws RoomError `not_allowed` for anybody but the person, `not_found` when nothing of that waits, `conflict` when a line
   *   says something else by now
   */
  accept(what: string | undefined, actor: Actor): Promise<{ accepted: Accepted[]; daemon: boolean }>;
  /** Everything that needs the person, by kind, the oldest of each first. */
  inbox(): Promise<InboxItem[]>;
}

/** What counts from now on. */
export interface Accepted {
  /** A file's path, or a task's id. */
  what: string;
  task: string | null;
  name: string;
  /** What was different. */
  text: string;
}
