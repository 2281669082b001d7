// A question, and a thing that needs the person, as the operations answer them.
import type { InboxKind } from '../../core/config/inbox-kinds.ts';
import type { TaskId } from '../../core/ids.ts';

/** A question as a task shows it. */
export interface QuestionView {
  key: string;
  author: string;
  /** `YYYY-MM-DD HH:MM` in UTC. */
  at: string;
  text: string;
  /** Empty while it is open. `author` is null for what was typed by hand. */
  answers: { author: string | null; role: string | null; at: string | null; text: string }[];
}

/** One thing that needs the person. */
export interface InboxItem {
  kind: InboxKind;
  /** The same for the same thing, as long as it stands. */
  key: string;
  task: TaskId | null;
  /** The task's name, or what else it is about. */
  name: string | null;
  /** What is wrong or asked, on one line. */
  text: string;
  /** What settles it: a command, or what to change. */
  settle: string;
  /** Since when, epoch ms; null where that is not known. */
  at: number | null;
  /** Of a conflict: both its texts. */
  conflict?: { id: string; field: string; lostSide: 'local' | 'remote'; standing: string; lost: string };
}
