// A question, as the operations answer it.
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
