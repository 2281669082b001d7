// Where a listing stands: marks on the server's clock, and what was seen around them. What is seen again with the same
// content is no news; what appears late below a mark is.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Cursor } from '../provider.ts';
import type { ChangedComment, GistAnswer } from './response-shapes.ts';

/** How far below a mark something may still turn up: what was written before it and became visible after. */
export const OVERLAP_MS = 60_000;
/** As many as a poll shows. */
const MOST_SEEN = 50;

export interface Mark {
  /** Newest change seen, epoch ms on the server's clock. */
  at: number;
  /** Fingerprints of what was seen within the overlap, sorted. */
  seen: readonly string[];
}

export interface Standing {
  issues: Mark;
  comments: Mark;
  /** In a first listing that is not through: the time it has come to. */
  full: { from: number } | null;
  /** What is being read page by page up from its mark, and not through. */
  paging: 'issues' | 'comments' | null;
  /** Of what is being read page by page: ids that were read of the instant it has come to. */
  except: readonly string[];
}

const mark = z.tuple([z.int(), z.array(z.string())]).transform(([at, seen]): Mark => ({ at, seen }));
const stored = z.object({
  v: z.literal(1),
  i: mark,
  c: mark,
  f: z.int().optional(),
  p: z.enum(['issues', 'comments']).optional(),
  x: z.array(z.string()).default([]),
});

/** A cursor stays below 64 KB: an instant that saw more changes than this is read again from its begin. */
const MOST_EXCEPT = 1_000;

export const START: Mark = { at: 0, seen: [] };

export function formatCursor({ issues, comments, full, paging, except }: Standing): Cursor {
  const [i, c] = [issues, comments].map(({ at, seen }) => [at, seen]);
  const x = except.length <= MOST_EXCEPT ? except : [];
  return JSON.stringify({ v: 1, i, c, f: full?.from, p: paging ?? undefined, x });
}

/** Null for none, and for one that is not ours: then everything is listed. */
export function parseCursor(cursor: Cursor | null): Standing | null {
  try {
    const read = stored.safeParse(JSON.parse(cursor ?? 'null'));
    if (!read.success) return null;
    const { i, c, f, p = null, x } = read.data;
    return { issues: i, comments: c, full: f === undefined ? null : { from: f }, paging: p, except: x };
  } catch {
    return null;
  }
}

export function issueFingerprint(issue: GistAnswer): string {
  const { id, updatedAt, title, description, state, priority, dueDate, assignee, labels, parent } = issue;
  const names = labels?.nodes.map((label) => label.id).sort();
  return digest([
    id,
    updatedAt,
    title,
    description,
    state.name,
    priority,
    dueDate,
    assignee?.id,
    names,
    parent?.identifier,
  ]);
}

export function commentFingerprint({ id, updatedAt, body }: ChangedComment): string {
  return digest([id, updatedAt, body]);
}

function digest(parts: readonly unknown[]): string {
  const text = JSON.stringify(parts.map((part) => part ?? null));
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
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
