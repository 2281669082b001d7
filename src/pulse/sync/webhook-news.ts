// Issues that webhooks name, fetched soon after: what is told of one chore meanwhile is fetched together, and the more
// deliveries come in a row the longer they wait for each other, so that nobody who sends them again and again can use up
// a tracker's budget. Kept in memory: what is lost with the process is found by the chore's next listing.
import type { Base } from '../base.ts';
import type { RunningPulse, ToldIssue } from '../ports.ts';

// Deliveries of one change come together: an issue closed with a comment is two.
const SOON_MS = 150;
const LONGEST_MS = 10_000;
const QUIET_MS = 60_000;
/** More than this are fetched cheaper by listing what changed. */
const MANY = 50;

interface Waiting {
  chore: string;
  issues: Map<string, ToldIssue>;
  running: Promise<void> | null;
  /** Fetches in a row. */
  row: number;
  endedAt: number;
}

/** @param onSynced called when something was fetched, or could not be; what fails is on record */
export function createWebhookNews(base: Base, onSynced: () => Promise<void>) {
  const { effects } = base.deps;
  const control = new AbortController();
  const timers = base.newTimers();
  const waiting = new Map<string, Waiting>();

  function add(chore: string, issue: ToldIssue): void {
    const all = waiting.get(chore) ?? fresh(chore);
    waiting.set(chore, all);
    // One more than can be fetched by name says that there are too many.
    if (all.issues.size <= MANY) all.issues.set(issue.uid ?? issue.ref ?? '', issue);
    wait(all);
  }

  function wait(all: Waiting): void {
    const { chore, issues, running, endedAt } = all;
    if (timers.has(chore) || running !== null || issues.size === 0 || control.signal.aborted) return;
    if (effects.monotonicMs() - endedAt > QUIET_MS) all.row = 0;
    timers.set(chore, Math.min(SOON_MS * 2 ** all.row, LONGEST_MS), () => {
      all.row += 1;
      all.running = base.during(() => fetchAll(all));
    });
  }

  async function fetchAll(all: Waiting): Promise<void> {
    const issues = all.issues.size > MANY ? null : [...all.issues.values()];
    all.issues = new Map();
    try {
      await base.syncTold(all.chore, issues, control.signal).finally(onSynced);
    } catch (error) {
      base.onTrouble(error);
    } finally {
      all.running = null;
      all.endedAt = effects.monotonicMs();
      wait(all);
    }
  }

  const take: RunningPulse['told'] = (provider, issue, concerns) => {
    if (control.signal.aborted) return [];
    const concerned = base.known
      .list()
      .filter(({ mirror, paused }) => mirror?.provider === provider && !paused)
      .filter(({ name, mirror }) => concerns(name, mirror!))
      .map(({ name }) => name);
    for (const name of concerned) add(name, issue);
    if (concerned.length > 0) base.busyAgain();
    return concerned;
  };

  return {
    take,
    /** Ends what is being fetched, and waits for it. */
    async stop(): Promise<void> {
      control.abort();
      timers.close();
      await Promise.all([...waiting.values()].map(({ running }) => running));
    },
  };
}

function fresh(chore: string): Waiting {
  return { chore, issues: new Map(), running: null, row: 0, endedAt: Number.NEGATIVE_INFINITY };
}
