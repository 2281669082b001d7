// Whether webhooks tell what a mirror's listings would find, so that those can come less often. Nobody can tell a tunnel
// that fell silent from a quiet tracker: so one listing that finds what none had told ends the trust, and the next
// delivery begins it anew.
import type { Ledger } from '../store/ledger/ledger.ts';
import type { ChoreMemory, WebhookMarks } from '../store/ledger/mirrors/sources.ts';

/** Where the daemon listens now: kept in the ledger's `meta` while it does. Times are epoch ms. */
export interface Listening {
  since: number;
  /** `http://127.0.0.1:8787`. */
  address: string;
  /** Trackers whose deliveries can be proven. */
  hears: readonly string[];
}

const META = 'webhooks';
/** A delivery and a listing may tell the same within this. */
const SAME_NEWS_MS = 120_000;

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

/**
 * @param since when the listener began
 * @param listedAt start of the last listing
 */
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
