// Leave that the person is asked for: the question, recognised again when its answer is there, and what the answer says.
import { createHash } from 'node:crypto';
import type { TurnContext } from '../../core/context/context-shape.ts';
import type { RunInput } from '../runner.ts';
import type { AskedCall } from './permission.ts';

/** Names a call in its question, so that the same call is known again in a later turn. */
const MARK = /\(call ([0-9a-f]{8})\)/;
const YES = /^\W*(yes|y|ok|okay|sure|allow(ed)?|go ahead|ja)\b/i;

export function markOf({ kind, title, input }: AskedCall): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, title, input]))
    .digest('hex')
    .slice(0, 8);
}

export function questionFor(call: AskedCall): string {
  const input = call.input === '' || call.title.includes(call.input) ? '' : `\n\n    ${call.input}`;
  return `May I do this (${call.kind})? Answer yes or no. (call ${markOf(call)})\n\n    ${call.title}${input}`;
}

/**
 * What the person answered, by the mark of the call: the last word counts, and whatever is no yes is a no. What others say
 * below a question, on a tracker say, gives no leave on the person's machine.
 */
export function readLeave(context: RunInput['context']): ReadonlyMap<string, 'allow' | 'deny'> {
  const leave = new Map<string, 'allow' | 'deny'>();
  for (const { question, answers } of (context as Partial<TurnContext>).answers ?? []) {
    const mark = MARK.exec(question.text)?.[1];
    const last = answers.findLast(({ author }) => author === null || author === 'owner');
    if (mark !== undefined && last !== undefined) leave.set(mark, YES.test(last.text) ? 'allow' : 'deny');
  }
  return leave;
}
