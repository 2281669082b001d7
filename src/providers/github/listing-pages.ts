// Pages of a listing, and where it stands. The newest page's address never changes, so that its ETag tells a quiet source for
// the price of nothing; its newest time is the watermark, on the server's clock. Other pages come oldest change first, so that
// nothing slips through while issues move. github.com gives a cursor that stays right. Where a server counts pages, a change
// moves an issue to the end and all after it one place forward: there the next page begins at the time of the last issue,
// and what comes twice is dropped.
import { hash } from 'node:crypto';
import * as z from 'zod';
import { isRoomError } from '../../core/errors.ts';
import type { Params } from './client.ts';
import { issueOfApiUrl } from './options.ts';
import type { Card, Cards } from './project.ts';
import type { WireComment, WireIssue } from './response-shapes.ts';
import { fetchCommentPage, fetchIssuePage, inOrder, PAGE_SIZE, type Source } from './source.ts';

/** Where the next page of issues begins: by the server's own cursor, or by time and page. */
const position = z.union([
  z.object({ after: z.string() }),
  z.object({ since: z.number().nullable(), page: z.number().int().min(1) }),
]);
type Position = z.output<typeof position>;

/** The newest time seen on the server's clock, and the ETag of the page where newer ones would show. */
const watermark = z.object({ mark: z.number().nullable(), etag: z.string().nullable() });
type Watermark = z.output<typeof watermark>;

const walk = z.object({
  at: position,
  /** Null: the first listing, by the filter; else every change from these times on. */
  since: z.object({ issues: z.number(), comments: z.number().nullable() }).nullable(),
});
export type Walk = z.output<typeof walk>;

export const listingState = z.object({
  v: z.literal(1),
  for: z.string(), // The source and what is asked of it.
  by: z.string(), // The credentials, and the account they are of.
  login: z.string(),
  issues: watermark,
  /** Null where comments are not asked for; `lacking`: the server has no list of a whole repository's comments. */
  comments: z.union([watermark, z.literal('lacking')]).nullable(),
  /** Of the project's cards: the newest time, and a hash of those that changed last. Absent without a project. */
  cards: z.object({ mark: z.number(), sight: z.string() }).nullish(),
  /** Where comments are read issue by issue: what is known of those that changed last, by number. */
  seen: z.record(z.string(), z.string()),
  walk: walk.nullable(),
});
export type ListingState = z.output<typeof listingState>;

/** A change may show this much later than the time it bears. */
export const OVERLAP_MS = 60_000;

export type NewestIssues = ReturnType<typeof toNewestPage<WireIssue, IssuePage>>;
/** `lacking` and null as in {@link ListingState}. */
export type NewestComments = ReturnType<typeof toNewestPage<WireComment, CommentPage>> | 'lacking' | null;
type IssuePage = Awaited<ReturnType<typeof fetchIssuePage>>;
type CommentPage = Awaited<ReturnType<typeof fetchCommentPage>>;

export async function readNewestIssues(source: Source, known: Watermark | null) {
  const query = { direction: 'desc', state: 'all', sort: 'updated' };
  return toNewestPage<WireIssue, IssuePage>(await fetchIssuePage(source, query, known?.etag), known);
}

export async function readNewestComments(
  source: Source,
  known: ListingState['comments'],
): Promise<NewestComments> {
  if (!source.asks('comments')) return null;
  if (known === 'lacking') return 'lacking';
  try {
    const listed = await fetchCommentPage(source, { direction: 'desc' }, known?.etag);
    return toNewestPage<WireComment, CommentPage>(listed, known);
  } catch (error) {
    // Whether the repository itself is missing shows with its issues, which are asked for next.
    if (isRoomError(error, 'not_found')) return 'lacking';
    throw error;
  }
}

/** The time from which on everything may be new; null before anything was seen. */
export const newSince = (known: ListingState['comments'] | undefined): number | null =>
  known == null || known === 'lacking' || known.mark === null ? null : known.mark - OVERLAP_MS;

/** The cards as new as the last watermark with its overlap, if anything of them changed; and the watermark after them. */
export function readMoved(cards: Cards | null, known: ListingState['cards']) {
  const all = [...(cards?.values() ?? [])].sort((a, b) => a.number - b.number);
  const since = (mark: number) => all.filter(({ updatedAt }) => updatedAt >= mark - OVERLAP_MS);
  const sightOf = (some: readonly Card[]) => hash('sha256', JSON.stringify(some)).slice(0, 24);
  const fresh = since(known?.mark ?? 0);
  const mark = all.reduce((newest, { updatedAt }) => Math.max(newest, updatedAt), 0);
  return {
    moved: sightOf(fresh) === known?.sight ? [] : fresh,
    watermark: cards && { mark, sight: sightOf(since(mark)) },
  };
}

/** `fresh` is what is as new as the last watermark with its overlap, newest first; all there is of that when it is `whole`. */
function toNewestPage<T extends { updated_at: number }, Page extends Omit<IssuePage, 'items'>>(
  listed: Page & { items: T[] },
  known: Watermark | null,
) {
  if (listed.unchanged && known) return { watermark: known, listed, fresh: [] as T[], whole: true };
  const { items, links, servedAt } = listed;
  const from = newSince(known) ?? Number.NEGATIVE_INFINITY;
  const mark = Math.max(known?.mark ?? Number.NEGATIVE_INFINITY, ...items.map((item) => item.updated_at));
  const fresh = items.filter(({ updated_at }) => updated_at >= from);
  const newest = items[0]?.updated_at;
  // GitHub's times are whole seconds. While a second lasts that fills the page and more, a further change in it may not
  // show there, so that page's ETag would hide it.
  const isFull = links.next !== null && newest !== undefined && newest === items.at(-1)?.updated_at;
  const isSettled = !isFull || (servedAt !== null && servedAt - newest >= 2_000);
  return {
    watermark: { mark: Number.isFinite(mark) ? mark : null, etag: isSettled ? listed.etag : null },
    listed,
    fresh,
    whole: links.next === null || fresh.length < items.length,
  };
}

/** Pages of issues from a position on, with where each leads (null: the end). @param filter the same over all pages */
export async function* pagesFrom(source: Source, filter: Params, at: Position) {
  const given = new Set<string>();
  const asked = new Set([JSON.stringify(at)]);
  let isRepeated = false;
  for (let current: Position | null = at; current !== null; ) {
    const query: Params = { ...filter, sort: 'updated', direction: 'asc', ...queryOf(current) };
    const listed = await fetchIssuePage(source, query);
    const items = listed.items.filter(({ id, updated_at }) => !given.has(`${id}@${updated_at}`));
    for (const { id, updated_at } of items) given.add(`${id}@${updated_at}`);
    // A server that ignores `since`, or leads in a circle, would be asked for ever.
    const isOld = items.length === 0 && listed.items.length > 0;
    const onward: Position | null = isOld && isRepeated ? null : following(current, listed);
    current = onward === null || asked.has(JSON.stringify(onward)) ? null : onward;
    isRepeated = isOld;
    asked.add(JSON.stringify(current));
    yield { items, next: current };
  }
}

function queryOf(start: Position): Params {
  if ('after' in start) return start;
  const { since, page } = start;
  return {
    ...(since === null ? {} : { since: new Date(since).toISOString() }),
    ...(page > 1 ? { page } : {}),
  };
}

function following(current: Position, { items, links }: IssuePage): Position | null {
  const first = items[0];
  const last = items.at(-1);
  if (!links.next || !first || !last) return null;
  // The server's cursor knows its filter's time, but not all servers take both.
  if ('after' in links.next) return { after: links.next.after };
  if ('after' in current) return null;
  // A whole page of one second can only be passed by counting.
  if (last.updated_at === first.updated_at) return { since: current.since, page: current.page + 1 };
  return { since: last.updated_at, page: 1 };
}

// The comments of listed issues are read by whichever way takes fewer requests: all of the repository, oldest first, or issue by
// issue. Where a list ends before they do, the next one begins at the time of the last comment. What is edited meanwhile moves
// to the end, and what that or a deletion pushes over a page's edge is missed by count: that issue is then read by itself.

const MAX_PAGES = 500; // github.com lists the first 50,000 comments of a query and no more.
const MAX_WINDOWS = 10; // So many such lists at most: more comments are not held in memory at once.

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

export const countRequests = (issues: readonly WireIssue[]): number =>
  issues.reduce((sum, { comments }) => sum + Math.ceil((comments ?? 1) / PAGE_SIZE), 0);

/** Requests for single issues: those made, those the page at hand needs, and how many such pages are expected with it. */
export type Choice = { spent: number; needed: number; pages: number };

/** The comments of all issues since `from` (all there are for null), with the newest page.
 * @param choice null where they are wanted whatever they cost
 * @returns null where there is no list of them, they are too many, or reading issue by issue takes fewer requests */
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

/** Oldest first, without the last page, which was read before. @returns when the last comment of a list cut off was; or null */
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
