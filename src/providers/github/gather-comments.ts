// The comments of listed issues, by whichever way takes fewer requests: all of the repository, newest first, or issue by
// issue. Newest first nothing slips through: what is edited meanwhile moves to the front. What a deletion pushes over a
// page's edge is missed by count, and that issue is then read by itself.
import type { RemoteRef } from '../provider.ts';
import type { NewestPage } from './api/newest-page.ts';
import { issueOfApiUrl } from './api/refs.ts';
import type { WireComment, WireIssue } from './api/response-shapes.ts';
import { fetchCommentPage, fetchIssueComments, inOrder, PAGE_SIZE, type Source } from './api/source.ts';

/** github.com lists the first 50,000 comments of a query and no more. */
const MAX_PAGES = 500;
/** So many such lists at most: more comments are not held in memory at once. */
const MAX_WINDOWS = 10;

export interface Gathered {
  items: WireComment[];
  /** These are all the issue has. */
  complete: boolean;
}

/** Comments by the number of their issue, and what was taken out. */
export class CommentsByIssue {
  private readonly groups = new Map<number, Map<number, WireComment>>();

  constructor(comments: readonly WireComment[]) {
    for (const comment of comments) {
      const number = issueOfApiUrl(comment.issue_url)?.number;
      if (number === undefined) continue;
      const group = this.groups.get(number) ?? new Map<number, WireComment>();
      // The first of two readings is the newer one.
      if (!group.has(comment.id)) group.set(comment.id, comment);
      this.groups.set(number, group);
    }
  }

  take(issue: WireIssue): Gathered {
    const items = inOrder([...(this.groups.get(issue.number)?.values() ?? [])]);
    this.groups.delete(issue.number);
    return { items, complete: items.length === issue.comments };
  }

  /** Numbers of the issues nobody asked for, with their comments. */
  left(): [number, WireComment[]][] {
    return [...this.groups].map(([number, group]) => [number, [...group.values()]]);
  }
}

export function countRequests(issues: readonly WireIssue[]): number {
  return issues.reduce((sum, { comments }) => sum + Math.ceil((comments ?? 1) / PAGE_SIZE), 0);
}

export interface Choice {
  /** Requests made for single issues so far. */
  spent: number;
  /** Requests the page at hand needs. */
  needed: number;
  /** Pages of issues that are expected, this one with them. */
  pages: number;
}

/** Whether all comments at once cost no more. */
export function isReadingAllCheaper({ listed }: NewestPage<WireComment>, choice: Choice): boolean {
  const pages = listed.links.last ?? (listed.links.next ? 2 : 1);
  return pages - 1 <= choice.spent + choice.needed * choice.pages;
}

/** All comments since `from` (all there are for null), with the newest page; null when they are too many. */
export async function fetchAllComments(
  source: Source,
  newest: NewestPage<WireComment>,
  from: number | null,
  signal: AbortSignal,
): Promise<CommentsByIssue | null> {
  if (from === null && (newest.listed.links.last ?? 0) >= MAX_PAGES)
    return fetchByWindows(source, newest, from, signal);
  const comments = [...newest.listed.items];
  let { links } = newest.listed;
  const isOver = () => from !== null && (comments.at(-1)?.updated_at ?? 0) < from;
  for (let page = 2; links.next !== null && !isOver(); page += 1) {
    if (page > MAX_PAGES) return fetchByWindows(source, newest, from, signal);
    const listed = await fetchCommentPage(source, { direction: 'desc', page }, signal);
    const known = new Set(comments.map(({ id }) => id));
    // A server that gives the same page for every number.
    if (listed.items.every(({ id }) => known.has(id))) break;
    comments.push(...listed.items);
    links = listed.links;
  }
  return new CommentsByIssue(comments.filter(({ updated_at }) => from === null || updated_at >= from));
}

/**
 * The same where the list ends before they do: oldest first, from the time of the last one on whenever a list ends. What is
 * edited meanwhile moves to the end, and what that pushes over a page's edge is missed by count as above.
 */
async function fetchByWindows(
  source: Source,
  newest: NewestPage<WireComment>,
  from: number | null,
  signal: AbortSignal,
): Promise<CommentsByIssue | null> {
  const comments = new Map<number, WireComment>();
  let since = from;
  for (let window = 0; window < MAX_WINDOWS; window += 1) {
    const last = await fetchWindow(source, since, comments, signal);
    // The end; or a second with more comments than a list holds: the rest is read with their issues.
    if (last === null || last === since) {
      for (const comment of newest.listed.items) comments.set(comment.id, comment);
      return new CommentsByIssue([...comments.values()]);
    }
    since = last;
  }
  return null;
}

/** @returns the time of the last comment of a list that was cut off; null when it was not */
async function fetchWindow(
  source: Source,
  since: number | null,
  comments: Map<number, WireComment>,
  signal: AbortSignal,
): Promise<number | null> {
  const query = { direction: 'asc', ...(since === null ? {} : { since: new Date(since).toISOString() }) };
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { items, links } = await fetchCommentPage(source, { ...query, page }, signal);
    for (const comment of items) comments.set(comment.id, comment);
    if (page === MAX_PAGES) return items.at(-1)?.updated_at ?? null;
    if (links.next === null) return null;
  }
  return null;
}

export async function fetchOfIssue(
  source: Source,
  ref: RemoteRef,
  issue: WireIssue,
  signal: AbortSignal,
): Promise<Gathered> {
  const items = issue.comments === 0 ? [] : await fetchIssueComments(source, ref, signal);
  return { items, complete: true };
}
