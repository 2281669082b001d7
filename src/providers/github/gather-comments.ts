// The comments of listed issues, by whichever way takes fewer requests: all of the repository, newest first, or issue by
// issue. Newest first nothing slips through: what is edited meanwhile moves to the front. What a deletion pushes over a
// page's edge is missed by count, and that issue is then read by itself.
import type { NewestComments } from './listing-pages.ts';
import { issueOfApiUrl } from './options.ts';
import type { WireComment, WireIssue } from './response-shapes.ts';
import { fetchCommentPage, inOrder, PAGE_SIZE, type Source } from './source.ts';

/** github.com lists the first 50,000 comments of a query and no more. */
const MAX_PAGES = 500;
/** So many such lists at most: more comments are not held in memory at once. */
const MAX_WINDOWS = 10;

/** Comments by the number of their issue, and what was taken out. */
export type CommentsByIssue = ReturnType<typeof groupByIssue>;

function groupByIssue(comments: Iterable<WireComment>) {
  const groups = new Map<number, Map<number, WireComment>>();
  for (const comment of comments) {
    const number = issueOfApiUrl(comment.issue_url)?.number;
    if (number === undefined) continue;
    const group = groups.get(number) ?? new Map<number, WireComment>();
    // The first of two readings is the newer one.
    if (!group.has(comment.id)) group.set(comment.id, comment);
    groups.set(number, group);
  }
  return {
    take({ number, comments: count }: WireIssue) {
      const comments = inOrder([...(groups.get(number)?.values() ?? [])]);
      groups.delete(number);
      return { comments, complete: comments.length === count };
    },
    /** Numbers of the issues nobody asked for, with their comments. */
    left: () => [...groups].map(([number, group]) => [number, [...group.values()]] as const),
  };
}

export function countRequests(issues: readonly WireIssue[]): number {
  return issues.reduce((sum, { comments }) => sum + Math.ceil((comments ?? 1) / PAGE_SIZE), 0);
}

/** Requests for single issues: those made, those the page at hand needs, and how many such pages are expected with it. */
export interface Choice {
  spent: number;
  needed: number;
  pages: number;
}

/**
 * The comments of all issues since `from` (all there are for null), with the newest page.
 * @param choice null where they are wanted whatever they cost
 * @returns null where there is no list of them, they are too many, or reading issue by issue takes fewer requests
 */
export async function chooseComments(
  source: Source,
  newest: NewestComments,
  from: number | null,
  choice: Choice | null,
): Promise<CommentsByIssue | null> {
  if (newest === null || newest === 'lacking') return null;
  const { links, items } = newest.listed;
  const pages = links.last ?? (links.next ? 2 : 1);
  if (choice && !newest.whole && pages - 1 > choice.spent + choice.needed * choice.pages) return null;
  if (from === null && (links.last ?? 0) >= MAX_PAGES) return fetchByWindows(source, items, from);
  const comments = [...items];
  let { next } = links;
  const isOver = () => from !== null && (comments.at(-1)?.updated_at ?? 0) < from;
  for (let page = 2; next !== null && !isOver(); page += 1) {
    if (page > MAX_PAGES) return fetchByWindows(source, items, from);
    const listed = await fetchCommentPage(source, { direction: 'desc', page });
    const known = new Set(comments.map(({ id }) => id));
    // A server that gives the same page for every number.
    if (listed.items.every(({ id }) => known.has(id))) break;
    comments.push(...listed.items);
    next = listed.links.next;
  }
  return groupByIssue(comments.filter(({ updated_at }) => from === null || updated_at >= from));
}

/**
 * The same where the list ends before they do: oldest first, from the time of the last one on whenever a list ends. What is
 * edited meanwhile moves to the end, and what that pushes over a page's edge is missed by count as above.
 */
async function fetchByWindows(source: Source, newest: readonly WireComment[], from: number | null) {
  const comments = new Map<number, WireComment>();
  let since = from;
  for (let window = 0; window < MAX_WINDOWS; window += 1) {
    const last = await fetchWindow(source, since, comments);
    // The end; or a second with more comments than a list holds: the rest is read with their issues.
    if (last === null || last === since) {
      for (const comment of newest) comments.set(comment.id, comment);
      return groupByIssue(comments.values());
    }
    since = last;
  }
  return null;
}

/** @returns the time of the last comment of a list that was cut off; null when it was not */
async function fetchWindow(source: Source, since: number | null, comments: Map<number, WireComment>) {
  const query = { direction: 'asc', ...(since === null ? {} : { since: new Date(since).toISOString() }) };
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { items, links } = await fetchCommentPage(source, { ...query, page });
    for (const comment of items) comments.set(comment.id, comment);
    if (page === MAX_PAGES) return items.at(-1)?.updated_at ?? null;
    if (links.next === null) return null;
  }
  return null;
}
