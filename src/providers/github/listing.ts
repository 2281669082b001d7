// The contract's `list`. A quiet source costs two requests, both answered 304. A first listing reads what the filter
// admits; later ones whatever changed. The newest pages are read before anything else, so that what changes while the
// others are read is found by the next listing: the watermark is never later than what was read.
import type { Cursor, Page, RemoteTask } from '../provider.ts';
import { parseCursor } from '../tracker-rules.ts';
import type { ListingState, NewestComments, NewestIssues, Walk } from './listing-pages.ts';
import {
  type CommentsByIssue,
  chooseComments,
  countRequests,
  listingState,
  newSince,
  OVERLAP_MS,
  pagesFrom,
  readMoved,
  readNewestComments,
  readNewestIssues,
} from './listing-pages.ts';
import { apiBase } from './options.ts';
import { type Card, type Cards, fetchCards } from './project.ts';
import type { WireComment, WireIssue } from './response-shapes.ts';
import {
  completeTask,
  fetchBlockers,
  fetchIssue,
  fetchIssueComments,
  nullIfGone,
  PAGE_SIZE,
  type Source,
  toTask,
} from './source.ts';
import { isAdmitted, isPull } from './to-remote-task.ts';

interface Listing {
  source: Source;
  login: string;
  comments: NewestComments;
  cards: Cards | null;
  moved: readonly Card[]; // Since the last listing.
  cardsAfter: ListingState['cards']; // Once those are listed.
  after: ListingState; // The cursor's state when it is through.
  since: Walk['since']; // Null: everything that the filter admits; else every change from these times on.
  pages:
    | AsyncIterable<{ items: WireIssue[]; next: Walk['at'] | null }>
    | [{ items: WireIssue[]; next: null }];
  expected: number; // So many pages are expected, while another one follows.
  seen: ListingState['seen']; // What is known of issues whose comments were just read.
  isMissed(comment: WireComment): boolean; // Whether a comment can be news of an issue that is not listed.
}

export async function* listIssues(source: Source, cursor: Cursor | null): AsyncGenerator<Page> {
  const read = parseCursor(cursor, listingState);
  const found = read?.for === madeFor(source) ? read : null;
  if (found?.by === source.fingerprint) source.rememberLogin(found.login);
  const login = await source.login();
  // To another account other issues may be admitted.
  const known = found?.login === login ? found : null;
  const { walk = null } = known ?? {};
  // After a listing that was cut off between two pages their comments are all read again.
  const isListed = known?.comments !== null && known?.comments !== 'lacking';
  const comments = await readNewestComments(source, walk && isListed ? null : (known?.comments ?? null));
  const cards = await fetchCards(source);
  const { moved, watermark } = readMoved(cards, known?.cards);
  const place = { source, login, comments, cards, moved, cardsAfter: watermark };
  const walkFrom = ({ at, since }: Walk) =>
    pagesFrom(source, since === null ? filterQuery(place) : { state: 'all' }, at);
  if (known && walk) {
    const { since } = walk;
    const facts = { expected: 2, seen: {}, isMissed: isOlderThan(since?.issues ?? null) };
    return yield* listPages({ ...place, ...facts, after: known, since, pages: walkFrom(walk) });
  }
  const issues = await readNewestIssues(source, known?.issues ?? null);
  const newest = issues.fresh.toSorted((a, b) => a.updated_at - b.updated_at || a.number - b.number);
  const from = newSince(known?.issues);
  const since = from === null ? null : { issues: from, comments: newSince(known?.comments) };
  const at = { since: from, page: 1 };
  yield* listPages({
    ...place,
    since,
    after: stateAfter(place, issues, known),
    pages: issues.whole ? [{ items: newest, next: null }] : walkFrom({ at, since }),
    expected: expectedPages(source, issues),
    seen: comments === 'lacking' ? (known?.seen ?? {}) : {},
    isMissed: issues.listed.unchanged && known ? isEditSince(known) : isOlderThan(from),
  });
}

function madeFor({ config, options }: Source): string {
  const { source, filter, fields } = config;
  return JSON.stringify([apiBase(config), source.toLowerCase(), filter, fields, options]);
}

async function* listPages(listing: Listing): AsyncGenerator<Page> {
  const { source, login, since, after, comments } = listing;
  const isWanted = (issue: WireIssue) =>
    since === null ? isAdmitted(issue, source, login) : source.options.pullRequests || !isPull(issue);
  let byIssue: CommentsByIssue | null = null;
  let spent = 0;
  const given = new Set<number>();
  for await (const { items, next } of listing.pages) {
    const wanted = items.filter(isWanted);
    for (const { number } of items) given.add(number);
    const needed = countRequests(wanted);
    const from = since?.comments ?? null;
    const isCounted = from === null || Array.isArray(listing.pages);
    const choice = { spent, needed, pages: next === null ? 1 : listing.expected };
    byIssue ??= await chooseComments(source, comments, from, isCounted ? choice : null);
    if (byIssue === null) spent += needed;
    const tasks: RemoteTask[] = [];
    // What vanishes meanwhile is missed by the full listing of the day.
    for (const issue of wanted) {
      const task = await asTask(listing, issue, byIssue).catch(nullIfGone);
      if (task) tasks.push(task);
    }
    const isLast = next === null && since !== null;
    if (isLast) tasks.push(...(await changedElsewhere(listing, byIssue, given, isWanted)));
    const cards = isLast ? listing.cardsAfter : after.cards;
    yield { items: tasks, next: JSON.stringify({ ...after, cards, walk: next && { at: next, since } }) };
  }
}

async function asTask(listing: Listing, issue: WireIssue, byIssue: CommentsByIssue | null) {
  const { source, login, cards } = listing;
  const ref = source.refOf(issue.number);
  const gathered = await commentsOf(listing, issue, byIssue);
  const isAsked =
    isAdmitted(issue, source, login) || issue.issue_dependencies_summary?.total_blocked_by === 0;
  const blockers = isAsked ? await fetchBlockers(source, ref, issue) : null;
  return toTask(source, ref, issue, blockers, gathered, cards?.get(issue.node_id) ?? null);
}

/** @param byIssue null: comments are read issue by issue */
async function commentsOf(
  { source, since, seen }: Listing,
  issue: WireIssue,
  byIssue: CommentsByIssue | null,
) {
  const nothing = { comments: [] as WireComment[], complete: false };
  if (!source.asks('comments')) return nothing;
  const pooled = byIssue?.take(issue);
  // In a first listing every issue needs all its comments; else those that changed.
  if (pooled && (pooled.complete || since !== null)) return pooled;
  if (seen[issue.number] === sightOf(issue)) return nothing;
  const comments = issue.comments === 0 ? [] : await fetchIssueComments(source, source.refOf(issue.number));
  return { comments, complete: true };
}

const sightOf = ({ updated_at, comments }: WireIssue): string => `${updated_at}/${comments}`;

/** Issues of which nothing changed but an older comment, or the card: GitHub counts neither as a change of the issue. That a
 * card left the project shows with the full listing of the day. */
async function changedElsewhere(
  { source, isMissed, cards, moved }: Listing,
  byIssue: CommentsByIssue | null,
  given: ReadonlySet<number>,
  isWanted: (issue: WireIssue) => boolean,
): Promise<RemoteTask[]> {
  const found: RemoteTask[] = [];
  const edited = [...(byIssue?.left() ?? [])].filter(([number, comments]) => {
    const isOfPull = comments.some(({ html_url }) => html_url?.includes(`/pull/${number}#`));
    return comments.some(isMissed) && (!isOfPull || source.options.pullRequests);
  });
  const numbers = new Set([...edited.map(([number]) => number), ...moved.map(({ number }) => number)]);
  for (const number of [...numbers].filter((one) => !given.has(one))) {
    const ref = source.refOf(number);
    const issue = await fetchIssue(source, ref).catch(nullIfGone);
    if (issue && isWanted(issue))
      found.push(await completeTask(source, ref, issue, cards?.get(issue.node_id)));
  }
  return found;
}

/** A comment made since then changed its issue, which is listed. */
function isOlderThan(since: number | null): (comment: WireComment) => boolean {
  return ({ created_at }) => since !== null && created_at < since;
}

// No issue is listed when none changed; what is older than the watermark was given with the last listing.
function isEditSince({ comments }: ListingState): (comment: WireComment) => boolean {
  const mark = comments === null || comments === 'lacking' ? null : comments.mark;
  return ({ created_at, updated_at }) => updated_at > created_at || updated_at >= (mark ?? 0);
}

// The highest number bounds what there is; what a narrow filter leaves of it nobody knows.
function expectedPages({ config }: Source, { listed }: NewestIssues): number {
  const isNarrow = config.filter.labels.length > 0 || config.filter.assignee !== null;
  return isNarrow ? 2 : Math.ceil(Math.max(...listed.items.map(({ number }) => number)) / PAGE_SIZE);
}

function filterQuery({ source, login }: Pick<Listing, 'source' | 'login'>): Record<string, unknown> {
  const { labels, assignee, state } = source.config.filter;
  // A comma parts names there: such a label is looked for in the answer.
  const asked = labels.filter((label) => !label.includes(','));
  return {
    state,
    ...(asked.length > 0 ? { labels: asked.join(',') } : {}),
    ...(assignee === null ? {} : { assignee: assignee === 'me' ? login : assignee }),
  };
}

function stateAfter(
  { source, login, comments, cardsAfter }: Pick<Listing, 'source' | 'login' | 'comments' | 'cardsAfter'>,
  { watermark, fresh, listed }: NewestIssues,
  known: ListingState | null,
): ListingState {
  const recent = fresh.filter(({ updated_at }) => updated_at >= (watermark.mark ?? 0) - OVERLAP_MS);
  const sights = Object.fromEntries(recent.map((issue) => [issue.number, sightOf(issue)]));
  return {
    v: 1,
    for: madeFor(source),
    by: source.fingerprint,
    login,
    issues: watermark,
    comments: comments === null || comments === 'lacking' ? comments : comments.watermark,
    // Until cards that moved are listed those count that were known; a first listing may have listed others before they moved.
    cards: known?.cards ?? cardsAfter,
    seen: comments !== 'lacking' ? {} : listed.unchanged ? (known?.seen ?? {}) : sights,
    walk: null,
  };
}
