// The newest page of issues and of comments. Its address never changes, so that its ETag tells a quiet source for the
// price of nothing; its newest time is the watermark, on the server's clock.
import { RoomError } from '../../../core/errors.ts';
import type { ListingState, Watermark } from './cursor.ts';
import type { WireComment, WireIssue } from './response-shapes.ts';
import { fetchCommentPage, fetchIssuePage, type Listed, type Source } from './source.ts';

/** A change may show this much later than the time it bears. */
export const OVERLAP_MS = 60_000;

export interface NewestPage<T> {
  watermark: Watermark;
  listed: Listed<T>;
  /** What is as new as the last watermark with its overlap, newest first. */
  fresh: T[];
  /** `fresh` is all there is of that. */
  whole: boolean;
}

const NEWEST_FIRST = { direction: 'desc' } as const;

export async function readNewestIssues(
  source: Source,
  known: Watermark | null,
  signal: AbortSignal,
): Promise<NewestPage<WireIssue>> {
  const query = { ...NEWEST_FIRST, state: 'all', sort: 'updated' };
  return toNewestPage(await fetchIssuePage(source, query, signal, known?.etag ?? null), known);
}

/** Null where comments are not asked for, or the server has no list of all of them. */
export async function readNewestComments(
  source: Source,
  known: ListingState['comments'],
  signal: AbortSignal,
): Promise<NewestPage<WireComment> | 'lacking' | null> {
  const { fields } = source.config;
  if (fields !== null && !fields.includes('comments')) return null;
  if (known === 'lacking') return 'lacking';
  try {
    const listed = await fetchCommentPage(source, NEWEST_FIRST, signal, known?.etag ?? null);
    return toNewestPage(listed, known);
  } catch (error) {
    // Whether the repository itself is missing shows with its issues, which are asked for next.
    if (error instanceof RoomError && error.code === 'not_found') return 'lacking';
    throw error;
  }
}

/** The time from which on everything may be new; null before anything was seen. */
export function newSince(known: Watermark | null): number | null {
  return known === null || known.mark === null ? null : known.mark - OVERLAP_MS;
}

function toNewestPage<T extends { updated_at: number }>(
  listed: Listed<T>,
  known: Watermark | null,
): NewestPage<T> {
  if (listed.unchanged && known) return { watermark: known, listed, fresh: [], whole: true };
  const from = newSince(known) ?? Number.NEGATIVE_INFINITY;
  const times = listed.items.map(({ updated_at }) => updated_at);
  const mark = Math.max(known?.mark ?? Number.NEGATIVE_INFINITY, ...times);
  const fresh = listed.items.filter(({ updated_at }) => updated_at >= from);
  const whole = listed.links.next === null || fresh.length < listed.items.length;
  const watermark = {
    mark: Number.isFinite(mark) ? mark : null,
    etag: isSettled(listed) ? listed.etag : null,
  };
  return { watermark, listed, fresh, whole };
}

/**
 * GitHub's times are whole seconds. While a second lasts that fills the page and more, a further change in it may not
 * show there, so that page's ETag would hide it.
 */
function isSettled<T extends { updated_at: number }>({ items, links, servedAt }: Listed<T>): boolean {
  const newest = items[0]?.updated_at;
  if (links.next === null || newest === undefined || newest !== items.at(-1)?.updated_at) return true;
  return servedAt !== null && servedAt - newest >= 2_000;
}
