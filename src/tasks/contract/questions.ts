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
  /** Everything that needs the person, by kind, the oldest of each first. */
  inbox(): Promise<InboxItem[]>;
}

export interface Asked extends Changed {
  /** Key of the question, unique in its task. */
  question: string;
}
