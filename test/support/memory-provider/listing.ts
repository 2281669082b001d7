// Listings of a memory tracker: pages in the order of change, and the cursor that says where they stand. A watermark
// is the time of the last change the first page knew of, so that what changes while paging is found by the next listing.
import type { Cursor, Page } from '../../../src/providers/provider.ts';
import { type ReadingOptions, toRemoteTask } from './reading.ts';
import type { MemoryIssue, MemoryTracker } from './tracker.ts';

interface Mark {
  /** Changes from this time on are asked for; null for everything admitted. */
  since: number | null;
  /** The change the last finished listing knew of: nothing since means not modified. */
  seen: number | null;
  /** Between two pages: what the listing's first page knew of, and the last item handed out. */
  walk: { serial: number; after: [updatedAt: number, uid: string] } | null;
}

const START: Mark = { since: null, seen: null, walk: null };

/** A cursor that is not one of ours is a fresh start: it costs a full listing, never a change. */
function readMark(cursor: Cursor | null): Mark {
  try {
    const { v, ...mark } = JSON.parse(cursor ?? 'null') as Mark & { v: number };
    return v === 1 ? mark : START;
  } catch {
    return START;
  }
}

const writeMark = (mark: Mark): Cursor => JSON.stringify({ v: 1, ...mark });

export interface PageOptions {
  source: string;
  size: number;
  /** Later listings bring only the comments that changed. */
  partialComments: boolean;
  reading: Omit<ReadingOptions, 'commentsSince' | 'serial'>;
  /** Answers as of this change. */
  serial: number;
}

/** The page after `cursor`; `isLast` when the listing ends with it, `unchanged` when there was nothing new at all. */
export function readPage(
  tracker: MemoryTracker,
  cursor: Cursor | null,
  options: PageOptions,
): Page & { isLast: boolean; unchanged: boolean } {
  const mark = readMark(cursor);
  const { serial } = options;
  if (cursor !== null && mark.walk === null && mark.seen === serial) {
    return { items: [], next: cursor, isLast: true, unchanged: true };
  }
  const waiting = changedIssues(tracker, mark, options);
  const taken = waiting.slice(0, options.size);
  const isLast = taken.length === waiting.length;
  const first = mark.walk?.serial ?? serial;
  const commentsSince = options.partialComments ? mark.since : null;
  const items = taken.map((issue) =>
    toRemoteTask(tracker, issue, { ...options.reading, commentsSince, serial }),
  );
  const end = taken.at(-1);
  const next: Mark = isLast
    ? { since: tracker.timeOf(first), seen: first, walk: null }
    : { ...mark, walk: { serial: first, after: [end!.updatedAt, end!.uid] } };
  return {
    items: mark.since === null ? items.filter(({ admitted }) => admitted) : items,
    next: writeMark(next),
    isLast,
    unchanged: false,
  };
}

function changedIssues(tracker: MemoryTracker, mark: Mark, options: PageOptions): MemoryIssue[] {
  const [time, uid] = mark.walk?.after ?? [Number.NEGATIVE_INFINITY, ''];
  const since = mark.since ?? Number.NEGATIVE_INFINITY;
  return tracker
    .issues(options.serial)
    .filter((issue) => issue.ref.startsWith(`${options.source}#`) && issue.updatedAt >= since)
    .filter((issue) => issue.updatedAt > time || (issue.updatedAt === time && issue.uid > uid))
    .sort((a, b) => a.updatedAt - b.updatedAt || (a.uid < b.uid ? -1 : 1));
}
