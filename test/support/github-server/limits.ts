// GitHub's limits: the budget of an hour, and the secondary ones that come without warning.
import { Refused } from './answer.ts';
import type { Refusal, ServerState } from './state.ts';

const SECONDARY =
  'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to ' +
  'GitHub Support for help, please include the request ID C0DE:1234:ABCDEF.';
const SECONDARY_DOCS =
  'https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits';
const PRIMARY_DOCS =
  'https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#primary-rate-limit';

function primary(): Refused {
  return new Refused(403, 'API rate limit exceeded for user ID 1001.', { documentation_url: PRIMARY_DOCS });
}

const REFUSALS: Readonly<Record<Refusal, (state: ServerState) => Refused>> = {
  secondary: () =>
    new Refused(403, SECONDARY, { documentation_url: SECONDARY_DOCS }, { 'retry-after': '60' }),
  secondary_without_wait: () => new Refused(403, SECONDARY, { documentation_url: SECONDARY_DOCS }),
  too_many: () => new Refused(429, 'Too many requests', {}, { 'retry-after': '30' }),
  primary: (state) => {
    state.rate.remaining = 0;
    return primary();
  },
};

/** A new hour begins when the clock has passed the old one. */
function renew(state: ServerState): void {
  if (state.nowMs < state.rate.resetAtMs) return;
  state.rate.remaining = state.rate.limit;
  state.rate.resetAtMs = state.nowMs + 3_600_000;
}

export function refuseForLimit(state: ServerState): void {
  renew(state);
  const next = state.refusals.shift();
  if (next !== undefined) throw REFUSALS[next](state);
  if (state.rate.remaining <= 0) throw primary();
}

export function spend(state: ServerState): void {
  state.rate.remaining = Math.max(0, state.rate.remaining - 1);
}

export function budgetHeaders(state: ServerState): Record<string, string> {
  const { limit, remaining, resetAtMs } = state.rate;
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-used': String(limit - remaining),
    'x-ratelimit-reset': String(Math.ceil(resetAtMs / 1_000)),
    'x-ratelimit-resource': 'core',
  };
}
