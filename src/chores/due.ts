// Which chores are due, and when to look again: any number of missed ticks is one run, and no tick runs twice. And whether webhooks tell
// what a mirror's listings would find, so that those can come less often. Nobody can tell a tunnel that fell silent from a quiet tracker:
// so one listing that finds what none had told ends the trust, and the next delivery begins it anew.
import type { Chore } from '../core/chore/chore.ts';
import { isInterval, nextChoreTick } from '../core/chore/chore-schedule.ts';
import type { Ledger } from '../store/ledger/ledger.ts';
import type { ChoreChange, ChoreMemory, WebhookMarks } from '../store/ledger/mirrors/sources.ts';

/** Where the daemon listens now: kept in the ledger's `meta` while it does. Times are epoch ms. */
export interface Listening {
  since: number;
  address: string; // `http://127.0.0.1:8787`.
  hears: readonly string[]; // Trackers whose deliveries can be proven.
}

const META = 'webhooks';
const SAME_NEWS_MS = 120_000; // A delivery and a listing may tell the same within this.

export function readListening({ meta }: Pick<Ledger, 'meta'>): Listening | null {
  const text = meta.get(META);
  return text === null || text === '' ? null : JSON.parse(text);
}

export function noteListening({ meta }: Pick<Ledger, 'meta'>, listening: Listening | null): void {
  meta.set(META, listening === null ? '' : JSON.stringify(listening));
}

/** Whether the next listing of the chore can wait. */
export function isTold(ledger: Pick<Ledger, 'meta' | 'webhooks'>, memory: ChoreMemory): boolean {
  const listening = readListening(ledger);
  return (
    listening !== null && isHealthy(listening.since, ledger.webhooks.marks(memory.name), memory.startedAt)
  );
}

/** @param since when the listener began @param listedAt start of the last listing */
export function isHealthy(
  since: number,
  { heardAt, gapAt, missedAt }: WebhookMarks,
  listedAt: number | null,
): boolean {
  if (heardAt === null || listedAt === null) return false;
  // What happened before anybody listened, and what could not be fetched, is a listing's to find.
  if (listedAt <= Math.max(since, gapAt ?? 0)) return false;
  return heardAt > Math.max(since, missedAt ?? 0);
}

/** A listing is over: what it found and no webhook told ends the trust in them. */
export function noteUntold(
  ledger: Pick<Ledger, 'webhooks'>,
  chore: string,
  counts: Readonly<Record<string, number>>,
  now: number,
): void {
  const { heardAt } = ledger.webhooks.marks(chore);
  const { created = 0, updated = 0, comments_in: comments = 0, detached = 0 } = counts;
  if (heardAt === null || created + updated + comments + detached === 0) return;
  if (now - heardAt > SAME_NEWS_MS) ledger.webhooks.mark(chore, 'missedAt', now);
}

export type DueReason =
  | 'asked' // a person asked, or its mirror was edited
  | 'first' // it never ran, and needs no tick to begin
  | 'scheduled'
  | 'retry' // the last run failed
  | 'interrupted'; // the runtime ended during the last run

export interface ChoreFacts {
  chore: Chore;
  memory: ChoreMemory;
  busy: boolean; // It runs, or waits in the queue: its end looks again.
  told?: boolean; // Webhooks tell what it would find: it looks less often.
}

export type DueChore = { chore: Chore; reason: DueReason };

export interface ChorePlan {
  due: DueChore[];
  wakeAt: number | null; // When the next one is due by itself, epoch ms; null when none is.
}

/** A last run further ahead than this was recorded by a clock that was wrong; less is waited out by what ticks by the clock. */
const BELIEVABLE_AHEAD_MS = 86_400_000;

/** @param timezone IANA zone of the schedules, null for the system's. */
export function planChores(facts: readonly ChoreFacts[], timezone: string | null, now: number): ChorePlan {
  const plan: ChorePlan = { due: [], wakeAt: null };
  for (const fact of facts) {
    const { chore } = fact;
    const found = look(fact, timezone, now);
    if (typeof found === 'string') plan.due.push({ chore, reason: found });
    else if (found !== null) plan.wakeAt = Math.min(plan.wakeAt ?? found, found);
  }
  return plan;
}

function look(
  { chore, memory, busy, told = false }: ChoreFacts,
  timezone: string | null,
  now: number,
): DueReason | number | null {
  if (busy || chore.paused || memory.stopped !== null) return null;
  if (memory.askedAt !== null) return 'asked';
  if (memory.startedAt !== null && memory.endedAt === null) return 'interrupted';
  const { failures, retryAt } = memory;
  if (failures > 0 || retryAt !== null) return retryAt !== null && retryAt <= now ? 'retry' : retryAt;
  if (chore.schedule === null) return null;
  const isFirst = memory.startedAt === null;
  if (isFirst && (chore.mirror !== null || isInterval(chore.schedule))) return 'first';
  const next = told
    ? tickWhileTold(chore.schedule, timezone, memory)
    : tickAfter(chore.schedule, timezone, memory);
  return next !== null && next <= now ? 'scheduled' : next;
}

/** The first tick after the last run; ticks during a run are part of it, so that a long run gets a rest. */
function tickAfter(schedule: string, timezone: string | null, memory: ChoreMemory): number | null {
  const startedAt = memory.startedAt ?? memory.seenAt;
  const endedAt = Math.max(memory.endedAt ?? startedAt, startedAt);
  if (!isInterval(schedule)) return nextChoreTick(schedule, timezone, endedAt);
  const everyMs = nextChoreTick(schedule, timezone, 0);
  if (everyMs === null) return null;
  return startedAt + Math.max(1, Math.ceil((endedAt - startedAt) / everyMs)) * everyMs;
}

const TOLD_TIMES = 6; // While webhooks tell what changed, a listing is there for what they missed.
const TOLD_LONGEST_MS = 60 * 60_000;

/** The tick that counts while webhooks tell what changed: one in six, and one an hour at least. */
function tickWhileTold(schedule: string, timezone: string | null, memory: ChoreMemory): number | null {
  const first = tickAfter(schedule, timezone, memory);
  const from = memory.startedAt;
  if (first === null || from === null) return first;
  const target = from + Math.min((first - from) * TOLD_TIMES, TOLD_LONGEST_MS);
  if (target <= first) return first;
  return isInterval(schedule) ? target : nextChoreTick(schedule, timezone, target - 1);
}

/** What to correct after the clock was set back, null when nothing. What counts time goes on from now; what ticks by
 * the clock waits until it has passed its last run again, unless that is more than a day. */
export function healClock({ chore, memory }: Omit<ChoreFacts, 'busy'>, now: number): ChoreChange | null {
  const aheadMs = Math.max(memory.startedAt ?? memory.seenAt, memory.endedAt ?? 0) - now;
  if (aheadMs <= 0) return null;
  const counts = memory.failures > 0 || (chore.schedule !== null && isInterval(chore.schedule));
  if (!counts && aheadMs <= BELIEVABLE_AHEAD_MS) return null;
  const back = (timeMs: number | null) => (timeMs === null ? null : Math.min(timeMs, now));
  const { seenAt, startedAt, endedAt, retryAt } = memory;
  return {
    seenAt: Math.min(seenAt, now),
    startedAt: back(startedAt),
    endedAt: back(endedAt),
    retryAt: retryAt === null ? null : retryAt - aheadMs,
  };
}
