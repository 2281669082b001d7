// Leave that the person is asked for: the question, recognised again when its answer is there, and what the answer says.
import { createHash } from 'node:crypto';
import type { TurnContext } from '../../core/context/context-shape.ts';
import type { RunInput } from '../runner.ts';
import type { AskedCall } from './permission.ts';

/** Names a call in its question, so that the same call is known again in a later turn. */
const MARK = /\(call ([0-9a-f]{8})\)/;
/** The whole answer is one of these: of anything longer nobody can say what its first word is worth. */
const YES = /^(yes|y|yes,? please|ok|okay|sure|allow|allowed|go ahead|ja)[.!]*$/i;
const NO = /^(no|n|no,? thanks|nope|never|deny|denied|refuse|refused|don'?t|do not|nein)[.!]*$/i;

export function markOf({ kind, title, input }: AskedCall): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, title, input]))
    .digest('hex')
    .slice(0, 8);
}

export function questionFor(call: AskedCall): string {
  const input = call.input === '' || call.title.includes(call.input) ? '' : `\n\n    ${call.input}`;
  return `May I do this (${call.kind})? Answer with yes or no, and nothing else. (call ${markOf(call)})\n\n    ${call.title}${input}`;
}

/**
 * What the person answered, by the mark of the call: the last answer counts. A call whose answer is neither a yes nor a no
 * is left out, so that it is asked again. What others say below a question, on a tracker say, gives no leave.
 */
export function readLeave(context: RunInput['context']): ReadonlyMap<string, 'allow' | 'deny'> {
  const leave = new Map<string, 'allow' | 'deny'>();
  for (const { question, answers } of (context as Partial<TurnContext>).answers ?? []) {
    const mark = MARK.exec(question.text)?.[1];
    const last = answers.findLast(({ author }) => author === null || author === 'owner');
    if (mark === undefined || last === undefined) continue;
    const word = last.text.trim();
    if (YES.test(word)) leave.set(mark, 'allow');
    else if (NO.test(word)) leave.set(mark, 'deny');
    else leave.delete(mark);
  }
  return leave;
}
