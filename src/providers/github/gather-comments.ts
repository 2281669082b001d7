// The comments of listed issues, by whichever way takes fewer requests: all of the repository, newest first, or issue by
// issue. Newest first nothing slips through: what is edited meanwhile moves to the front. What a deletion pushes over a
// page's edge is missed by count, and that issue is then read by itself.
import type { RemoteRef } from '../provider.ts';
import type { NewestPage } from './api/newest-page.ts';
import { issueOfApiUrl } from './api/refs.ts';
import type { WireComment, WireIssue } from './api/response-shapes.ts';
import { fetchCommentPage, fetchIssueComments, inOrder, PAGE_SIZE, type Source } from './api/source.ts';

/** More comments are not held in memory at once. */
const MAX_PAGES = 500;

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
  return pages <= MAX_PAGES && pages - 1 <= choice.spent + choice.needed * choice.pages;
}

/** All comments since `from` (all there are for null), with the newest page; null when they are too many. */
export async function fetchAllComments(
  source: Source,
  newest: NewestPage<WireComment>,
  from: number | null,
  signal: AbortSignal,
): Promise<CommentsByIssue | null> {
  const comments = [...newest.listed.items];
  let { links } = newest.listed;
  const isOver = () => from !== null && (comments.at(-1)?.updated_at ?? 0) < from;
  for (let page = 2; links.next !== null && !isOver(); page += 1) {
    if (page > MAX_PAGES) return null;
    const listed = await fetchCommentPage(source, { direction: 'desc', page }, signal);
    const known = new Set(comments.map(({ id }) => id));
    // A server that gives the same page for every number.
    if (listed.items.every(({ id }) => known.has(id))) break;
    comments.push(...listed.items);
    links = listed.links;
  }
  return new CommentsByIssue(comments.filter(({ updated_at }) => from === null || updated_at >= from));
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
