// Which questions a trusted comment upstream answers: those that stood there when it was written. Trackers have no replies
// to single comments everywhere, so that one comment answers all that were open, unless it quotes one of them.

import { isOpen, type Question, questionMark } from '../../core/task/body/questions.ts';
import type { RemoteComment } from '../../providers/provider.ts';
import type { PlanInput } from './plan-data.ts';

/** Keys of the questions; empty when the file has this very answer already, null for a comment that answers none. */
export function answeredBy(
  { base, local, provider }: Pick<PlanInput, 'base' | 'local' | 'provider'>,
  comment: RemoteComment,
): string[] | null {
  const id = answerId(provider, comment);
  const has = ({ answers }: Question) =>
    answers.some((answer) => answer.kind === 'entry' && answer.id === id);
  if (local.questions.some(has)) return [];
  const sent = new Map(Object.values(base?.comments ?? {}).map((known) => [known.local, known.at]));
  const asked = local.questions.filter((question) => {
    const at = sent.get(questionMark(question.key));
    return isOpen(question) && at !== undefined && at <= comment.createdAt;
  });
  const quoted = asked.filter(({ text }) => quotes(comment.body, text));
  const answered = quoted.length > 0 ? quoted : asked;
  return answered.length === 0 ? null : answered.map(({ key }) => key);
}

/** Id of the answer's entry: the same as that of the comment's. */
export function answerId(provider: string, { id }: Pick<RemoteComment, 'id'>): string {
  return `${provider}:${id}`;
}

/** Whether a comment quotes the first line of a question, as "quote reply" does. */
function quotes(body: string, question: string): boolean {
  const [first = ''] = question.trim().split('\n');
  if (first === '') return false;
  return body
    .split(/\r?\n/)
    .some((line) => /^>/.test(line) && line.replace(/^>\s*/, '').trim() === first.trim());
}
