// The comments of listed issues, by whichever way takes fewer requests: all of the repository, oldest first, or issue by
// issue. Where a list ends before they do, the next one begins at the time of the last comment. What is edited meanwhile moves
// to the end, and what that or a deletion pushes over a page's edge is missed by count: that issue is then read by itself.
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

function groupByIssue(comments: Iterable<WireComment>, from: number | null) {
  const groups = Map.groupBy(comments, ({ issue_url, updated_at }) =>
    from === null || updated_at >= from ? issueOfApiUrl(issue_url)?.number : undefined,
  );
  groups.delete(undefined);
  return {
    take({ number, comments: count }: WireIssue) {
      const comments = inOrder(groups.get(number) ?? []);
      groups.delete(number);
      return { comments, complete: comments.length === count };
    },
    /** Numbers of the issues nobody asked for, with their comments. */
    left: () => groups as ReadonlyMap<number, WireComment[]>,
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
  const comments = new Map(items.map((comment) => [comment.id, comment]));
  if (newest.whole) return groupByIssue(comments.values(), from);
  let since = from;
  for (let window = 0; window < MAX_WINDOWS; window += 1) {
    const last = await fetchWindow(source, since, comments);
    // The end; or a second with more comments than a list holds: the rest is read with their issues.
    if (last === null || last === since) return groupByIssue(comments.values(), from);
    since = last;
  }
  return null;
}

/**
 * Reads on, oldest first, without the last page: that is the newest one, which was read before.
 * @returns the time of the last comment of a list that was cut off; null when it was not
 */
async function fetchWindow(source: Source, since: number | null, comments: Map<number, WireComment>) {
  const query = { direction: 'asc', ...(since === null ? {} : { since: new Date(since).toISOString() }) };
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { items, links } = await fetchCommentPage(source, { ...query, page });
    // A server that gives the same page for every number.
    const isRepeated = page > 1 && items.every(({ id }) => comments.has(id));
    for (const comment of items) comments.set(comment.id, comment);
    if (page === MAX_PAGES) return items.at(-1)?.updated_at ?? null;
    const isNewestLeft = page + 1 === links.last && links.last < MAX_PAGES;
    if (links.next === null || isNewestLeft || isRepeated) return null;
  }
  return null;
}
