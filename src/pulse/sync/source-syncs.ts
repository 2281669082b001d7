// Syncs of sources: as chores run them by their schedule; and between those, local changes are sent soon after they happened, and issues
// that webhooks name are fetched soon after. Each source for itself, one sync at a time: one that is slow holds up no other.
import type { ChoreResult } from '../../chores/sync-runs.ts';
import type { MirrorConfig } from '../../core/chore/chore.ts';
import { RoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import type { SyncReport } from '../../sync/sync-pass.ts';
import type { NamedByWebhook } from '../ports.ts';
import type { Loop } from '../state/loop.ts';
import { LONGEST_WAIT_MS, type Timers } from '../state/work.ts';

/** @param onSynced called when a sync is over, however; what failed is on record, with when to try again */
function createRuns(loop: Loop, timers: Timers, onSynced: () => Promise<void>) {
  const control = new AbortController();
  const running = new Map<string, Promise<void>>();

  async function sync(chore: string, work: (signal: AbortSignal) => Promise<void>, after: () => void) {
    try {
      await work(control.signal).finally(onSynced);
    } catch (error) {
      loop.onTrouble(error);
    } finally {
      running.delete(chore);
      after();
    }
  }

  return {
    has: (chore: string): boolean => running.has(chore),
    start: (chore: string, ...work: [(signal: AbortSignal) => Promise<void>, () => void]): void =>
      void running.set(
        chore,
        loop.during(() => sync(chore, ...work)),
      ),
    async stop(): Promise<void> {
      control.abort();
      timers.close();
      await Promise.all(running.values());
    },
  };
}

const SEND_AFTER_MS = 500; // The entries an agent writes at the end of its turn go up together.

/** Sends local changes. Holds no list of its own: what waits, and until when, follows from the ledger each time. */
export function createUpstreamPushes(loop: Loop, onSynced: () => Promise<void>) {
  const soon = loop.newTimers();
  const runs = createRuns(loop, soon, onSynced);

  /** Something may be there to be sent. A room that mirrors nothing is not kept waiting. */
  const look = loop.keep(() => {
    if (soon.closed.aborted || soon.waiting.size > 0 || loop.mirrors.opened === null) return;
    soon.set('pushes', SEND_AFTER_MS, begin);
  });

  async function push(chore: string, signal: AbortSignal): Promise<void> {
    const { sync } = await loop.mirrors.open();
    await sync.syncChore(chore, { pull: false, push: true, wait: true }, signal);
  }

  const begin = loop.keep(() => {
    if (soon.closed.aborted) return;
    const sources = loop.mirrors.opened?.sync.dirtySources() ?? [];
    const dirty = sources.filter(({ chore }) => !runs.has(chore));
    const now = loop.deps.effects.now();
    // Something may have changed while it was sent, or waits for its time.
    for (const { chore, dueAt } of dirty)
      if (dueAt <= now) runs.start(chore, (signal) => push(chore, signal), look);
    const waits = dirty.filter(({ dueAt }) => dueAt > now).map(({ dueAt }) => dueAt - now);
    if (waits.length === 0) loop.timers.cancel('pushes');
    else loop.timers.set('pushes', Math.min(...waits, LONGEST_WAIT_MS), look);
  });

  return { look, stop: runs.stop };
}

const PULLS = 'pull requests';

/** Looks at the pull requests of tasks: all of them by schedule, and one soon after something happened to it. */
export function createPullLooks(loop: Loop, onSynced: () => Promise<void>) {
  const { ledger, config, agents } = loop.deps;
  const isWanted = (task: TaskId) => agents().get(ledger.workspaces.of(task)[0]?.agent ?? '')?.after === 'pr';
  const soon = loop.newTimers();
  const runs = createRuns(loop, soon, onSynced);
  /** Those that are to be looked at; null for all. */
  let asked: Set<TaskId> | null = new Set();

  const lookAtAll = loop.keep(() => {
    if (soon.closed.aborted) return;
    loop.timers.set(PULLS, config().pr.everyMs, lookAtAll);
    const isBegun = ledger.pulls.hasOpen() || ledger.outbox.has({ kind: 'pull_request', chore: '' });
    if (!isBegun && ![...agents().values()].some(({ after }) => after === 'pr')) return;
    asked = null;
    wait();
  });

  function lookAt(task: TaskId): void {
    const isOpen = ledger.pulls.of(task).some(({ seen }) => seen.state === 'open');
    if (soon.closed.aborted || !(isOpen || isWanted(task))) return;
    asked?.add(task);
    wait();
  }

  function wait(): void {
    if (asked?.size !== 0 && !runs.has(PULLS)) soon.set(PULLS, SEND_AFTER_MS, begin);
  }

  function begin(): void {
    const tasks = asked === null ? null : [...asked];
    asked = new Set();
    runs.start(PULLS, async (signal) => (await loop.mirrors.open()).sync.syncPulls(tasks, signal), wait);
  }

  return { lookAtAll, lookAt, stop: runs.stop };
}

const FETCH_AFTER_MS = 150; // Deliveries of one change come together: an issue closed with a comment is two.
const LONGEST_FETCH_WAIT_MS = 10_000;
const QUIET_MS = 60_000;
const MANY = 50; // More than this are fetched cheaper by listing what changed.

interface NamedIssues {
  chore: string;
  issues: Map<string, NamedByWebhook>;
  row: number; // Fetches in a row.
  endedAt: number;
}

/** Fetches what webhooks name: what is told of one chore meanwhile together, and the more deliveries come in a row the longer they
 * wait for each other, so that nobody who sends them again and again can use up a tracker's budget. Kept in memory: what is lost
 * with the process is found by the chore's next listing. */
export function createWebhookNews(loop: Loop, onSynced: () => Promise<void>) {
  const { effects } = loop.deps;
  const timers = loop.newTimers();
  const runs = createRuns(loop, timers, onSynced);
  const waiting = new Map<string, NamedIssues>();

  function add(chore: string, issue: NamedByWebhook): void {
    const none = { chore, issues: new Map(), row: 0, endedAt: Number.NEGATIVE_INFINITY };
    const all: NamedIssues = waiting.get(chore) ?? none;
    waiting.set(chore, all);
    // One more than can be fetched by name says that there are too many.
    if (all.issues.size <= MANY) all.issues.set(issue.uid ?? issue.ref ?? '', issue);
    if (issue.isUrgent) timers.cancel(chore);
    wait(all);
  }

  function wait(all: NamedIssues): void {
    const { chore, issues, endedAt } = all;
    if (timers.waiting.has(chore) || runs.has(chore) || issues.size === 0 || timers.closed.aborted) return;
    if (effects.monotonicMs() - endedAt > QUIET_MS) all.row = 0;
    const isUrgent = [...issues.values()].some((issue) => issue.isUrgent);
    const waitMs = isUrgent ? 0 : Math.min(FETCH_AFTER_MS * 2 ** all.row, LONGEST_FETCH_WAIT_MS);
    timers.set(chore, waitMs, () => fetchAll(all));
  }

  function fetchAll(all: NamedIssues): void {
    const issues = all.issues.size > MANY ? null : [...all.issues.values()];
    all.issues = new Map();
    all.row += 1;
    runs.start(
      all.chore,
      (signal) => fetchIssues(loop, all.chore, issues, signal),
      () => {
        all.endedAt = effects.monotonicMs();
        wait(all);
      },
    );
  }

  /** Takes in that a webhook named an issue. @param concerns whether the issue is of that source @returns the chores that fetch it */
  function take(
    provider: string,
    issue: NamedByWebhook,
    concerns: (chore: string, source: MirrorConfig) => boolean,
  ): string[] {
    if (timers.closed.aborted) return [];
    const concerned = loop.known.list().flatMap(({ name, mirror, paused }) => {
      return mirror?.provider === provider && !paused && concerns(name, mirror) ? [name] : [];
    });
    for (const name of concerned) add(name, issue);
    if (concerned.length > 0) loop.busyAgain();
    return concerned;
  }

  return { take, stop: runs.stop };
}

/** Fetches these issues of the chore's source, or (null) all that changed. */
async function fetchIssues(
  { deps, mirrors }: Loop,
  chore: string,
  issues: readonly NamedByWebhook[] | null,
  signal: AbortSignal,
): Promise<void> {
  const { sync } = await mirrors.open();
  const wish = { pull: true, push: true, wait: true, ...(issues === null ? {} : { issues }) };
  let isServed = false;
  try {
    isServed = (await sync.syncChore(chore, wish, signal)).error === null;
  } finally {
    // The chore's next listing, soon again, fills the gap.
    if (!isServed) deps.ledger.webhooks.mark(chore, 'gapAt', deps.effects.now());
  }
}

/** A sync as a chore runs it: whole, both ways, and with one line for how it went. A source that another process syncs right now is
 * waited for. A report that ended early becomes the error it names, so that the chore backs off. */
export async function syncChore({ mirrors }: Loop, chore: string, signal: AbortSignal): Promise<ChoreResult> {
  const { sync } = await mirrors.open();
  const report = await sync.syncChore(chore, { pull: true, push: true, wait: true }, signal);
  if (report.error === null) return resultOf(report);
  const { code, message, hint, ...wait } = report.error;
  throw new RoomError(code, message, { ...(hint === null ? {} : { hint }), ...wait });
}

function resultOf(report: SyncReport): ChoreResult {
  const { created, updated, pushed, commentsIn, commentsOut, conflicts, detached, skipped } = report;
  const counts = {
    ...{ created, updated, pushed, comments_in: commentsIn, comments_out: commentsOut, conflicts, detached },
    ...{ skipped: skipped.length, requests: report.requests },
  };
  const said: (readonly [number, string])[] = [
    [created, 'created'],
    [updated, 'updated'],
    [pushed, 'pushed'],
    [commentsIn, commentsIn === 1 ? 'comment in' : 'comments in'],
    [commentsOut, commentsOut === 1 ? 'comment out' : 'comments out'],
    [conflicts, conflicts === 1 ? 'conflict' : 'conflicts'],
    [detached, 'detached'],
    [skipped.length, 'skipped'],
    [report.waiting, 'waiting to be sent'],
  ];
  const words = said.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return { message: words.join(', ') || 'nothing new', counts };
}
