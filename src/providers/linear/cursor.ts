// Where a listing stands: marks on the server's clock, and what was seen around them. What is seen again with the same
// content is no news; what appears late below a mark is.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Cursor } from '../provider.ts';
import type { ChangedComment, GistAnswer } from './documents.ts';

/** How far below a mark something may still turn up: what was written before it and became visible after. */
export const OVERLAP_MS = 60_000;
/** As many as a poll shows. */
const MOST_SEEN = 50;

/** The newest change seen, epoch ms on the server's clock, and fingerprints of what was seen within the overlap, sorted. */
const mark = z.object({ at: z.int(), seen: z.array(z.string()) });
export type Mark = z.output<typeof mark>;

/** Pages that are still to be read, in the order of change. */
const walk = z.object({
  /** `admitted`: everything that the filter lets in; else whatever changed. */
  what: z.enum(['admitted', 'issues', 'comments']),
  /** Changed at or after, epoch ms; null for the beginning of time. */
  from: z.int().nullable(),
  /** Ids that were read of that instant. */
  except: z.array(z.string()),
});
export type Walk = z.output<typeof walk>;

const standing = z.object({ v: z.literal(2), issues: mark, comments: mark, walks: z.array(walk) });
export type Standing = Omit<z.output<typeof standing>, 'v'>;

/** A cursor stays below 64 KB: an instant that saw more changes than this is read again from its begin. */
const MOST_EXCEPT = 1_000;

export const START: Mark = { at: 0, seen: [] };

export function formatCursor({ walks, ...marks }: Standing): Cursor {
  const short = walks.map((one) => (one.except.length <= MOST_EXCEPT ? one : { ...one, except: [] }));
  return JSON.stringify({ v: 2, ...marks, walks: short });
}

/** Null for none, and for one that is not ours: then everything is listed. */
export function parseCursor(cursor: Cursor | null): Standing | null {
  try {
    const { v: _version, ...read } = standing.parse(JSON.parse(cursor ?? 'null'));
    return read;
  } catch {
    return null;
  }
}

export function issueFingerprint(issue: GistAnswer): string {
  const { id, updatedAt, title, description, state, priority, dueDate, assignee, labels, parent } = issue;
  const names = labels?.nodes.map((label) => label.id).sort();
  const words = [id, updatedAt, title, description, state.name, priority, dueDate];
  return digest([...words, assignee?.id, names, parent?.identifier]);
}

export function commentFingerprint({ id, updatedAt, body }: ChangedComment): string {
  return digest([id, updatedAt, body]);
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 12);
}

/** The mark after these were seen, newest first; `at` never goes back. */
export function markAfter<T extends { updatedAt: string }>(
  before: Mark,
  nodes: readonly T[],
  fingerprint: (node: T) => string,
): Mark {
  const at = Math.max(before.at, ...nodes.map(({ updatedAt }) => Date.parse(updatedAt)));
  const near = nodes.filter(({ updatedAt }) => Date.parse(updatedAt) >= at - OVERLAP_MS).slice(0, MOST_SEEN);
  return { at, seen: near.map(fingerprint).sort() };
}
