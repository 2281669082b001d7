// Who takes the turns of an agent that can't now: its `fallback`, that one's in turn, and so on. No circle passes the
// reading of settings; one that is there all the same ends the search.

/** What turns wait for. */
export interface Wait {
  /** Epoch ms. */
  until: number;
  why: 'usage_limit' | 'budget';
  /** What is used up, as a clause. */
  text: string;
  /** The agent's own words, where only the person can end the wait. */
  said?: string | null;
}

export interface StandInFacts {
  /** Whether turns of the agent wait now: a usage limit, or a budget that is used up. */
  waits(agent: string): boolean;
  /** Its `fallback`, where that is an agent that can run. */
  fallbackOf(agent: string): string | null;
}

/** The agent that takes its turns: itself, one that stands in, or null when they wait. */
export function takerOf(agent: string, { waits, fallbackOf }: StandInFacts): string | null {
  const seen = new Set<string>();
  for (let next: string | null = agent; next !== null && !seen.has(next); next = fallbackOf(next)) {
    if (!waits(next)) return next;
    seen.add(next);
  }
  return null;
}
