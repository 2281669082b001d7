// Issues that webhooks name, fetched soon after: what is told of one chore meanwhile is fetched together, and the more
// deliveries come in a row the longer they wait for each other, so that nobody who sends them again and again can use up
// a tracker's budget. Kept in memory: what is lost with the process is found by the chore's next listing.

import type { Chore } from '../../core/chore/chore.ts';
import type { Effects } from '../../effects.ts';
import type { Base } from '../base.ts';
import type { PulseDependencies, RunningPulse, ToldIssue } from '../ports.ts';

export interface WebhookNewsOptions extends Pick<Base, 'onTrouble'> {
  effects: Pick<Effects, 'setTimer' | 'monotonicMs'>;
  /** The chores as their files say now. */
  chores(): readonly Chore[];
  /** Fetches these issues; null for all that the chore's listing shows. What fails is on record. */
  sync: PulseDependencies['syncTold'];
  idle: Pick<Base['idle'], 'check' | 'busyAgain'>;
}

export interface WebhookNews {
  readonly take: RunningPulse['told'];
  /** True while something is fetched, or will be in a moment. */
  isBusy(): boolean;
  /** Ends what is being fetched, and waits for it. */
  stop(): Promise<void>;
}

// Deliveries of one change come together: an issue closed with a comment is two.
const SOON_MS = 150;
const LONGEST_MS = 10_000;
const QUIET_MS = 60_000;
/** More than this are fetched cheaper by listing what changed. */
const MANY = 50;

interface Waiting {
  issues: Map<string, ToldIssue>;
  isSet: boolean;
  running: Promise<void> | null;
  /** Fetches in a row. */
  row: number;
  endedAt: number;
}

export function createWebhookNews(options: WebhookNewsOptions): WebhookNews {
  const { effects, chores, idle, onTrouble } = options;
  const control = new AbortController();
  const waiting = new Map<string, Waiting>();

  function add(chore: string, issue: ToldIssue): void {
    const all = waiting.get(chore) ?? fresh();
    waiting.set(chore, all);
    // One more than can be fetched by name says that there are too many.
    if (all.issues.size <= MANY) all.issues.set(issue.uid ?? issue.ref ?? '', issue);
    wait(chore, all);
  }

  function wait(chore: string, all: Waiting): void {
    if (all.isSet || all.running !== null || all.issues.size === 0 || control.signal.aborted) return;
    if (effects.monotonicMs() - all.endedAt > QUIET_MS) all.row = 0;
    all.isSet = true;
    effects.setTimer(Math.min(SOON_MS * 2 ** all.row, LONGEST_MS), () => begin(chore, all), true);
  }

  function begin(chore: string, all: Waiting): void {
    all.isSet = false;
    if (control.signal.aborted) return;
    const issues = all.issues.size > MANY ? null : [...all.issues.values()];
    all.issues = new Map();
    all.row += 1;
    all.running = fetchThem(chore, all, issues);
  }

  async function fetchThem(chore: string, all: Waiting, issues: readonly ToldIssue[] | null): Promise<void> {
    try {
      await options.sync(chore, issues, control.signal);
    } catch (error) {
      onTrouble(error);
    } finally {
      all.running = null;
      all.endedAt = effects.monotonicMs();
      wait(chore, all);
      idle.check();
    }
  }

  return {
    take(provider, issue, concerns) {
      if (control.signal.aborted) return [];
      const concerned = chores().flatMap(({ name, mirror, paused }) =>
        mirror?.provider === provider && !paused && concerns(name, mirror) ? [name] : [],
      );
      for (const name of concerned) add(name, issue);
      if (concerned.length > 0) idle.busyAgain();
      return concerned;
    },
    isBusy: () => [...waiting.values()].some(({ isSet, running }) => isSet || running !== null),
    async stop() {
      control.abort();
      await Promise.all([...waiting.values()].map(({ running }) => running));
    },
  };
}

function fresh(): Waiting {
  return { issues: new Map(), isSet: false, running: null, row: 0, endedAt: Number.NEGATIVE_INFINITY };
}
