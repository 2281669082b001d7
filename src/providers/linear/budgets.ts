// What Linear allows in an hour, of requests and of points, as its answers tell. A floor of each is left to the person's
// other tools.
import { RoomError } from '../../core/errors.ts';
import type { Usage } from '../provider.ts';

/** Share of a budget that is left to others. */
const FLOOR = 0.05;
const HOUR_MS = 3_600_000;
const KINDS = ['requests', 'complexity'] as const;
type Kind = (typeof KINDS)[number];

interface Budget {
  limit: number;
  remaining: number;
  /** This machine's clock. */
  resetAt: number;
}

export function createBudgets(now: () => number) {
  const budgets = new Map<Kind, Budget>();
  return {
    /** Takes in what an answer's headers say. */
    note(headers: Headers | undefined): void {
      if (headers === undefined) return;
      for (const kind of KINDS) {
        const budget = readBudget(headers, kind, now(), budgets.get(kind)?.limit);
        if (budget !== null) budgets.set(kind, budget);
      }
    },
    /** @throws RoomError `rate_limited` when one of them is down to its floor */
    assertLeft(): void {
      for (const [kind, budget] of budgets) {
        const retryAfterMs = budget.resetAt - now();
        if (!isUsedUp(budget) || retryAfterMs <= 0 || retryAfterMs > HOUR_MS) continue;
        const unit = kind === 'requests' ? 'requests' : 'points';
        const left = `only ${budget.remaining} of ${budget.limit} ${unit} are left`;
        throw new RoomError('rate_limited', `${left} of what Linear allows in an hour`, { retryAfterMs });
      }
    },
    /** Until what is used up is full again; 0 when nothing is. */
    resetAfterMs(): number {
      const used = [...budgets.values()].filter(isUsedUp);
      return Math.max(0, ...used.map(({ resetAt }) => resetAt - now()));
    },
    /** Of the requests. */
    usage(): Pick<Usage, 'remaining' | 'resetAt'> {
      const budget = budgets.get('requests');
      if (budget === undefined) return { remaining: null, resetAt: null };
      return { remaining: budget.remaining, resetAt: Math.round(budget.resetAt) };
    },
  };
}

function isUsedUp({ remaining, limit }: Budget): boolean {
  return remaining <= limit * FLOOR;
}

/** Null when the headers say nothing of it. */
function readBudget(headers: Headers, kind: Kind, now: number, knownLimit?: number): Budget | null {
  const read = (what: string): number => {
    const value = headers.get(`x-ratelimit-${kind}-${what}`);
    return value ? Number(value) : Number.NaN;
  };
  const [limit, remaining, reset] = [read('limit'), read('remaining'), read('reset')];
  if (!Number.isFinite(remaining) || !Number.isFinite(reset)) return null;
  return {
    limit: Number.isFinite(limit) ? limit : (knownLimit ?? remaining),
    remaining,
    resetAt: now + waitFor(headers, reset, now),
  };
}

/** How long until a moment of the server's clock, which may be off from ours. */
function waitFor(headers: Headers, reset: number, now: number): number {
  const date = Date.parse(headers.get('date') ?? '');
  return Math.min(Math.max(reset - (Number.isNaN(date) ? now : date), 1_000), HOUR_MS);
}
