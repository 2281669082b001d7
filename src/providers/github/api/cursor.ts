// Where a listing of a GitHub source stands, as text the engine keeps. A cursor that was made for another source, filter
// or account, or that can't be read, is no cursor: the listing starts afresh.
import * as z from 'zod';
import type { Cursor } from '../../provider.ts';

/** Where the next page of issues begins: by the server's own cursor, or by time and page. */
const position = z.union([
  z.object({ after: z.string() }),
  z.object({ since: z.number().nullable(), page: z.number().int().min(1) }),
]);
export type Position = z.output<typeof position>;

/** The newest time seen on the server's clock, and the ETag of the page where newer ones would show. */
const watermark = z.object({ mark: z.number().nullable(), etag: z.string().nullable() });
export type Watermark = z.output<typeof watermark>;

const walk = z.object({
  at: position,
  /** Null: the first listing, by the filter; else every change from these times on. */
  since: z.object({ issues: z.number(), comments: z.number().nullable() }).nullable(),
});
export type Walk = z.output<typeof walk>;

const listingState = z.object({
  v: z.literal(1),
  /** The source and what is asked of it. */
  for: z.string(),
  /** The credentials, and the account they are of. */
  by: z.string(),
  login: z.string(),
  issues: watermark,
  /** Null where comments are not asked for; `lacking`: the server has no list of a whole repository's comments. */
  comments: z.union([watermark, z.literal('lacking')]).nullable(),
  /** Where comments are read issue by issue: what is known of those that changed last, by number. */
  seen: z.record(z.string(), z.string()),
  /** A listing that is under way. */
  walk: walk.nullable(),
});
export type ListingState = z.output<typeof listingState>;

export function parseCursor(cursor: Cursor | null, madeFor: string): ListingState | null {
  if (cursor === null) return null;
  try {
    const read = listingState.safeParse(JSON.parse(cursor));
    return read.success && read.data.for === madeFor ? read.data : null;
  } catch {
    return null;
  }
}

export function formatCursor(value: ListingState): Cursor {
  return JSON.stringify(value);
}
