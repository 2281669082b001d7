// Requests to Linear through its SDK, one at a time: time limit, budget, and every failure as one RoomError that says
// what to do. The key appears in no message.
import type { LinearClient } from '@linear/sdk';
import { RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import type { SourceConfig, Usage } from '../provider.ts';
import { type Answered, type RawFailure, toRoomError } from './api-errors.ts';

export const KEY_VARIABLE = 'LINEAR_API_KEY';
export const TOKEN_VARIABLE = 'LINEAR_ACCESS_TOKEN';
export const SECRETS: readonly string[] = [KEY_VARIABLE, TOKEN_VARIABLE];

/** A page of fifty full issues takes Linear a few seconds. */
const TIMEOUT_MS = 60_000;
/** Share of a budget that is left to the person's other tools. */
const FLOOR = 0.05;
const HOUR_MS = 3_600_000;

interface Budget {
  limit: number;
  remaining: number;
  /** This machine's clock. */
  resetAt: number;
}

export type Ask = <T>(
  document: string,
  variables: Record<string, unknown>,
  signal: AbortSignal,
) => Promise<T>;

export interface Transport {
  ask: Ask;
  usage(): Usage;
}

/** The credentials that are set, or null. An OAuth token counts before a key. */
export function credentialsIn(effects: Effects): { accessToken: string } | { apiKey: string } | null {
  const accessToken = effects.env[TOKEN_VARIABLE]?.trim();
  const apiKey = effects.env[KEY_VARIABLE]?.trim();
  if (accessToken) return { accessToken };
  return apiKey ? { apiKey } : null;
}

/** @throws RoomError `unauthorized` when there are no credentials */
export async function createTransport(config: SourceConfig, effects: Effects): Promise<Transport> {
  const credentials = credentialsIn(effects);
  if (!credentials) {
    const hint = `set ${KEY_VARIABLE} to a personal API key of Linear (Settings, Security & access), or ${TOKEN_VARIABLE} to an OAuth token`;
    throw new RoomError('unauthorized', `neither ${KEY_VARIABLE} nor ${TOKEN_VARIABLE} is set`, { hint });
  }
  // Loaded when first used: it is three megabytes.
  const { LinearClient } = await import('@linear/sdk');
  const budgets = new Map<string, Budget>();
  const variable = 'apiKey' in credentials ? KEY_VARIABLE : TOKEN_VARIABLE;
  let requests = 0;

  function note(headers: Headers | undefined): void {
    for (const kind of ['requests', 'complexity']) {
      const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((what) => {
        const value = headers?.get(`x-ratelimit-${kind}-${what}`);
        return value ? Number(value) : Number.NaN;
      }) as [number, number, number];
      if (!Number.isFinite(remaining) || !Number.isFinite(reset)) continue;
      const most = Number.isFinite(limit) ? limit : (budgets.get(kind)?.limit ?? remaining);
      budgets.set(kind, { limit: most, remaining, resetAt: effects.now() + waitFor(headers!, reset) });
    }
  }

  /** How long until a moment of the server's clock, which may be off from ours. */
  function waitFor(headers: Headers, reset: number): number {
    const date = Date.parse(headers.get('date') ?? '');
    return Math.min(Math.max(reset - (Number.isNaN(date) ? effects.now() : date), 1_000), HOUR_MS);
  }

  function assertBudget(): void {
    for (const [kind, { limit, remaining, resetAt }] of budgets) {
      const retryAfterMs = resetAt - effects.now();
      if (remaining > limit * FLOOR || retryAfterMs <= 0 || retryAfterMs > HOUR_MS) continue;
      const left = `only ${remaining} of ${limit} ${kind === 'requests' ? 'requests' : 'points'} are left`;
      throw new RoomError('rate_limited', `${left} of what Linear allows in an hour`, { retryAfterMs });
    }
  }

  const make = (signal: AbortSignal): LinearClient =>
    new LinearClient({
      ...credentials,
      ...(config.url === null ? {} : { apiUrl: config.url }),
      signal,
      redirect: 'error',
    });

  async function ask<T>(
    document: string,
    variables: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<T> {
    if (signal.aborted) throw new RoomError('interrupted', 'stopped before Linear was asked');
    assertBudget();
    const limit = new AbortController();
    const timer = effects.setTimer(TIMEOUT_MS, () => limit.abort(), true);
    requests += 1;
    try {
      const answer = await make(AbortSignal.any([signal, limit.signal])).client.rawRequest(
        document,
        variables,
      );
      note(answer.headers);
      if (Object.keys(answer.data ?? {}).length === 0) throw new SyntaxError('no fields in the answer');
      return answer.data as T;
    } catch (error) {
      const answered = (error as RawFailure)?.raw?.response;
      note(answered?.headers);
      throw toRoomError(error, {
        answered: answered as Answered | undefined,
        isMutation: document.startsWith('mutation'),
        isStopped: signal.aborted,
        isLate: limit.signal.aborted,
        variable,
        resetAfterMs: resetAfter(),
      });
    } finally {
      timer.cancel();
    }
  }

  /** Until the budget that is used up is full again. */
  function resetAfter(): number {
    const used = [...budgets.values()].filter(({ remaining, limit }) => remaining <= limit * FLOOR);
    return Math.max(0, ...used.map(({ resetAt }) => resetAt - effects.now()));
  }

  return {
    ask,
    usage() {
      const budget = budgets.get('requests');
      return {
        requests,
        notModified: 0,
        remaining: budget?.remaining ?? null,
        resetAt: budget === undefined ? null : Math.round(budget.resetAt),
      };
    },
  };
}
