// What agents ask, what they are answered, and everything else that needs the person.
import type { Actor } from '../task-room.ts';
import type { InboxItem } from './question-shapes.ts';
import type { Changed } from './task-shapes.ts';

export interface QuestionOperations {
  /**
   * Asks the task's person something: the task waits for the answer. The same key again, or the same words while that
   * question is open, asks nothing new.
   * @throws RoomError `bad_input` for an empty or long text, `refused` for a finished task or one with too many open questions
   */
  ask(ref: string, question: string, actor: Actor, key?: string): Promise<Asked>;
  /**
   * Answers a question: the only open one, or the one whose key `question` begins; with none open, the newest once more.
   * @throws RoomError `not_allowed` for anybody but the person, `ambiguous` when several are open, `not_found` without one
   */
  answer(ref: string, text: string, actor: Actor, question?: string): Promise<Asked>;
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

export interface Asked extends Changed {
  /** Key of the question, unique in its task. */
  question: string;
}
