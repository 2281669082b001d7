// The words under which the ledger knows what a tool or a mirror wrote of questions, so that text typed by hand is not taken
// for it.

const QUESTION = '?';

/** Of a question. No provider's name begins so: it can stand beside ids of comments. */
export function questionMark(key: string): string {
  return `${QUESTION}${key}`;
}

/** Whether an id beside those of comments is a question's. */
export function isQuestionMark(id: string): boolean {
  return id.startsWith(QUESTION);
}

export function answerMark(entry: string): string {
  return `answer:${entry}`;
}
