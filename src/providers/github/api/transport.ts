// One request on the wire: bounded in time, counted, redirects left to the caller. The text of a success is kept apart,
// so that a cut one is seen and not taken for an empty answer.
import { RoomError } from '../../../core/errors.ts';
import type { Effects } from '../../../effects.ts';
import type { Usage } from '../../provider.ts';
import { resetInMs } from './api-errors.ts';

/** Of the hour's budget this part is left to others that use the same credentials, and to a person. */
const FLOOR_SHARE = 0.01;

export type Transport = ReturnType<typeof createTransport>;

export function createTransport(effects: Effects, timeoutMs: number) {
  const usage: Usage = { requests: 0, notModified: 0, remaining: null, resetAt: null };
  let blockedUntil: number | null = null;

  function note(status: number, headers: Record<string, string>): void {
    if (status === 304) usage.notModified += 1;
    // GraphQL has a budget of its own.
    if ((headers['x-ratelimit-resource'] ?? 'core') !== 'core') return;
    const remaining = Number(headers['x-ratelimit-remaining'] ?? Number.NaN);
    const limit = Number(headers['x-ratelimit-limit'] ?? Number.NaN);
    const resetAt = Number(headers['x-ratelimit-reset'] ?? Number.NaN);
    if (!Number.isFinite(remaining) || !Number.isFinite(limit)) return;
    usage.remaining = remaining;
    usage.resetAt = Number.isFinite(resetAt) ? resetAt * 1_000 : null;
    const waitMs = remaining < limit * FLOOR_SHARE ? resetInMs(headers) : null;
    blockedUntil = waitMs === null ? null : effects.monotonicMs() + waitMs;
  }

  /** A `fetch` for one request. `keep` gets the text of a success, and the client's answer is then empty. */
  function fetchFor(keep: ((text: string) => void) | null): typeof fetch {
    return async (input, init) => {
      usage.requests += 1;
      const late = new AbortController();
      const timer = effects.setTimer(
        timeoutMs,
        () => late.abort(new Error(`no whole answer within ${timeoutMs / 1_000} s`)),
        true,
      );
      const given = init?.signal;
      const signal = given ? AbortSignal.any([given, late.signal]) : late.signal;
      try {
        const response = await effects.fetch(input, { ...init, signal, redirect: 'manual' });
        // Read here, under the same timer: a server may stop in the middle of its answer.
        const text = await response.text();
        note(response.status, Object.fromEntries(response.headers));
        return handedOver(response, text, keep);
      } catch (error) {
        if (given?.aborted) throw error;
        throw new TypeError('fetch failed', {
          cause: late.signal.aborted ? late.signal.reason : deepest(error),
        });
      } finally {
        timer.cancel();
      }
    };
  }

  return {
    usage,
    fetchFor,
    /** @throws RoomError `rate_limited` when what is left of the budget is not ours to spend */
    assertBudget(): void {
      if (blockedUntil === null) return;
      const retryAfterMs = blockedUntil - effects.monotonicMs();
      if (retryAfterMs <= 0) return;
      const message = `GitHub's budget is nearly spent (${usage.remaining} requests left)`;
      throw new RoomError('rate_limited', message, { retryAfterMs });
    },
  };
}

function handedOver(response: Response, text: string, keep: ((text: string) => void) | null): Response {
  const { status, headers } = response;
  const hasBody = ![204, 205, 304].includes(status);
  if (keep && status < 400) {
    keep(text);
    const plain = new Headers(headers);
    plain.delete('content-type');
    return new Response(hasBody ? '' : null, { status, headers: plain });
  }
  return new Response(hasBody ? text : null, { status, headers });
}

/** What really broke: `fetch failed` says nothing. */
function deepest(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}
