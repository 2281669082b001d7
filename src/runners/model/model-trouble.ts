// What went wrong between a turn and its model's server, told apart by what helps.
import { APICallError, RetryError } from 'ai';
import type { AgentTrouble } from '../../core/rules/agent-event.ts';
import type { WordClock } from '../command/reading/limit-time.ts';
import { troubleOf } from '../command/reading/trouble.ts';

/** Of any error that asking a model may end with. */
export function modelTrouble(error: unknown, clock: WordClock): AgentTrouble {
  const cause = RetryError.isInstance(error) ? error.lastError : error;
  if (!APICallError.isInstance(cause)) return troubleOf(wordsOf(cause), {}, clock);
  const { statusCode: status, message, responseHeaders = {} } = cause;
  // A request that got no answer has no status: its words name the network.
  if (status === undefined) return { ...troubleOf(`${message}: connection failed`, {}, clock), message };
  return troubleOf(message, { status, until: limitEnd(responseHeaders, clock) }, clock);
}

function wordsOf(error: unknown): string {
  if (typeof error === 'string') return error;
  if (error instanceof Error) return error.message;
  // What a server says in the middle of its answer.
  return JSON.stringify(error);
}

/** When a limit ends, as its headers say; undefined where they don't. */
function limitEnd(headers: Readonly<Record<string, string>>, { now }: WordClock): number | undefined {
  const reset = Number(headers['anthropic-ratelimit-unified-reset'] ?? Number.NaN);
  if (Number.isFinite(reset)) return reset;
  const after = headers['retry-after'];
  if (after === undefined) return undefined;
  const seconds = Number(after);
  const at = Number.isNaN(seconds) ? Date.parse(after) : now + seconds * 1000;
  return Number.isNaN(at) ? undefined : at;
}
