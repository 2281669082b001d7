// Where a listing stands: marks on the server's clock, and what was seen around them. What is seen again with the same
// content is no news; what appears late below a mark is.
import { createHash } from 'node:crypto';
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

interface Stored {
  v: 1;
  i: [number, string[]];
  c: [number, string[]];
  f?: number;
  p?: 'issues' | 'comments';
  x?: string[];
}

/** A cursor stays below 64 KB: an instant that saw more changes than this is read again from its begin. */
const MOST_EXCEPT = 1_000;

export const START: Mark = { at: 0, seen: [] };

export function formatCursor({ issues, comments, full, paging, except }: Standing): Cursor {
  const stored: Stored = { v: 1, i: [issues.at, [...issues.seen]], c: [comments.at, [...comments.seen]] };
  if (full) stored.f = full.from;
  if (paging) stored.p = paging;
  if (except.length > 0 && except.length <= MOST_EXCEPT) stored.x = [...except];
  return JSON.stringify(stored);
}

/** Null for none, and for one that is not ours: then everything is listed. */
export function parseCursor(cursor: Cursor | null): Standing | null {
  if (cursor === null) return null;
  let stored: unknown;
  try {
    stored = JSON.parse(cursor);
  } catch {
    return null;
  }
  if (typeof stored !== 'object' || stored === null || (stored as Stored).v !== 1) return null;
  const { i, c, f, p = null, x = [] } = stored as Partial<Stored>;
  const [issues, comments] = [toMark(i), toMark(c)];
  if (!issues || !comments || !(f === undefined || Number.isSafeInteger(f))) return null;
  if (![null, 'issues', 'comments'].includes(p) || !isStrings(x)) return null;
  return { issues, comments, full: f === undefined ? null : { from: f }, paging: p, except: x };
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function toMark(stored: unknown): Mark | null {
  if (!Array.isArray(stored)) return null;
  const [at, seen] = stored as [unknown, unknown];
  if (!Number.isSafeInteger(at) || !isStrings(seen)) return null;
  return { at: at as number, seen };
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
