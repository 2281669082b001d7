// The contract's `list`. A quiet source costs two requests, both answered 304. A first listing reads what the filter
// admits; later ones whatever changed. The newest pages are read before anything else, so that what changes while the
// others are read is found by the next listing: the watermark is never later than what was read.
import type { Cursor, Page, RemoteTask } from '../provider.ts';
import { type CommentsByIssue, chooseComments, countRequests } from './gather-comments.ts';
import {
  type ListingState,
  type NewestComments,
  type NewestIssues,
  newSince,
  OVERLAP_MS,
  pagesFrom,
  parseCursor,
  readNewestComments,
  readNewestIssues,
  type Walk,
} from './listing-pages.ts';
import { apiBase } from './options.ts';
import type { WireComment, WireIssue } from './response-shapes.ts';
import {
  completeTask,
  fetchBlockers,
  fetchIssue,
  fetchIssueComments,
  nullIfGone,
  PAGE_SIZE,
  type Source,
} from './source.ts';
import { isAdmitted, isPull, toRemoteTask } from './to-remote-task.ts';

/** One listing under way. */
interface Listing {
  source: Source;
  login: string;
  isAdmitted(issue: WireIssue): boolean;
  isWanted(issue: WireIssue): boolean;
}

export async function* listIssues(source: Source, cursor: Cursor | null): AsyncGenerator<Page> {
  const { config, options } = source;
  const found = parseCursor(cursor, madeFor(source));
  if (found?.by === source.fingerprint) source.rememberLogin(found.login);
  const login = await source.login();
  const listing: Listing = {
    source,
    login,
    isAdmitted: (issue) => isAdmitted(issue, config, login),
    isWanted: (issue) => options.pullRequests || !isPull(issue),
  };
  // To another account other issues may be admitted.
  const known = found?.login === login ? found : null;
  if (!known?.walk) return yield* listChanges(listing, known);
  // A listing that was cut off between two pages.
  const isListed = known.comments !== null && known.comments !== 'lacking';
  const comments = await readNewestComments(source, isListed ? null : known.comments);
  yield* walkPages(listing, { ...known, walk: null }, known.walk, comments, null);
}

function madeFor({ config, options }: Source): string {
  const { source, filter, fields } = config;
  return JSON.stringify([apiBase(config), source.toLowerCase(), filter, fields, options]);
}

/** What changed since `known`; everything that the filter admits for null. */
async function* listChanges(listing: Listing, known: ListingState | null): AsyncGenerator<Page> {
  const { source } = listing;
  const comments = await readNewestComments(source, known?.comments ?? null);
  const issues = await readNewestIssues(source, known?.issues ?? null);
  const after = stateAfter(listing, issues, comments, known);
  const sinceIssues = newSince(known?.issues);
  const from = newSince(known?.comments);
  const since = sinceIssues === null ? null : { issues: sinceIssues, comments: from };
  if (!issues.whole) {
    const walk = { at: { since: sinceIssues, page: 1 }, since };
    return yield* walkPages(listing, after, walk, comments, issues);
  }
  const changed = issues.fresh
    .filter(known === null ? listing.isAdmitted : listing.isWanted)
    .sort((a, b) => a.updated_at - b.updated_at || a.number - b.number);
  const choice = { spent: 0, needed: countRequests(changed), pages: 1 };
  const byIssue = await chooseComments(source, comments, from, choice);
  const seen = comments === 'lacking' ? known?.seen : {};
  const items = await toTasks(listing, changed, { byIssue, isFirst: known === null, seen });
  const isMissed = issues.listed.unchanged && known ? isEditSince(known) : isOlderThan(sinceIssues);
  if (known !== null) items.push(...(await editedElsewhere(listing, byIssue, isMissed)));
  yield { items, next: JSON.stringify(after) };
}

async function* walkPages(
  listing: Listing,
  after: ListingState,
  walk: Walk,
  comments: NewestComments,
  issues: NewestIssues | null,
): AsyncGenerator<Page> {
  const { source } = listing;
  const { since } = walk;
  const isFirst = since === null;
  let byIssue: CommentsByIssue | null = null;
  let spent = 0;
  const filter = isFirst ? filterQuery(listing) : { state: 'all' };
  for await (const { items, next } of pagesFrom(source, filter, walk.at)) {
    const wanted = items.filter(isFirst ? listing.isAdmitted : listing.isWanted);
    const needed = countRequests(wanted);
    const from = since?.comments ?? null;
    const pages = next === null ? 1 : expectedPages(source, issues);
    byIssue ??= await chooseComments(source, comments, from, from === null ? { spent, needed, pages } : null);
    if (byIssue === null) spent += needed;
    const tasks = await toTasks(listing, wanted, { byIssue, isFirst });
    if (next === null && since !== null)
      tasks.push(...(await editedElsewhere(listing, byIssue, isOlderThan(since.issues))));
    yield { items: tasks, next: JSON.stringify({ ...after, walk: next && { ...walk, at: next } }) };
  }
}

// The highest number bounds what there is; what a narrow filter leaves of it nobody knows.
function expectedPages({ config }: Source, issues: NewestIssues | null): number {
  const isNarrow = config.filter.labels.length > 0 || config.filter.assignee !== null;
  if (isNarrow || issues === null) return 2;
  return Math.ceil(Math.max(...issues.listed.items.map(({ number }) => number)) / PAGE_SIZE);
}

interface Gathered {
  /** Null: comments are read issue by issue. */
  byIssue: CommentsByIssue | null;
  /** Every issue needs all its comments; else those that changed. */
  isFirst: boolean;
  /** What is known of issues whose comments were just read. */
  seen?: ListingState['seen'] | undefined;
}

async function commentsOf(source: Source, issue: WireIssue, { byIssue, isFirst, seen = {} }: Gathered) {
  const nothing = { items: [] as WireComment[], complete: false };
  if (!source.asks('comments')) return nothing;
  const pooled = byIssue?.take(issue);
  if (pooled && (pooled.complete || !isFirst)) return pooled;
  if (seen[issue.number] === sightOf(issue)) return nothing;
  const items = issue.comments === 0 ? [] : await fetchIssueComments(source, source.refOf(issue.number));
  return { items, complete: true };
}

function sightOf({ updated_at, comments }: WireIssue): string {
  return `${updated_at}/${comments}`;
}

/**
 * Issues of which nothing changed but an older comment: GitHub does not count that as a change of the issue.
 * @param isMissed Whether a comment can be news of an issue that is not listed.
 */
async function editedElsewhere(
  { source, isWanted }: Listing,
  byIssue: CommentsByIssue | null,
  isMissed: (comment: WireComment) => boolean,
): Promise<RemoteTask[]> {
  const found: RemoteTask[] = [];
  for (const [number, comments] of byIssue?.left() ?? []) {
    const isOfPull = comments.some(({ html_url }) => html_url?.includes(`/pull/${number}#`));
    if (!comments.some(isMissed) || (isOfPull && !source.options.pullRequests)) continue;
    const ref = source.refOf(number);
    const issue = await fetchIssue(source, ref).catch(nullIfGone);
    if (issue && isWanted(issue)) found.push(await completeTask(source, ref, issue));
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

async function toTasks(listing: Listing, issues: readonly WireIssue[], how: Gathered): Promise<RemoteTask[]> {
  const { source, login } = listing;
  const tasks: RemoteTask[] = [];
  for (const issue of issues) {
    const ref = source.refOf(issue.number);
    // What vanishes meanwhile is missed by the full listing of the day.
    const gathered = await commentsOf(source, issue, how).catch(nullIfGone);
    if (gathered === null) continue;
    const isAsked = listing.isAdmitted(issue) || issue.issue_dependencies_summary?.total_blocked_by === 0;
    const blockers = isAsked ? await fetchBlockers(source, ref, issue) : null;
    const { items: comments, complete } = gathered;
    tasks.push(toRemoteTask(issue, { config: source.config, login, ref, comments, complete, blockers }));
  }
  return tasks;
}

function filterQuery({ source, login }: Listing): Record<string, unknown> {
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
  { source, login }: Listing,
  { watermark, fresh, listed }: NewestIssues,
  comments: NewestComments,
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
    seen: comments !== 'lacking' ? {} : listed.unchanged ? (known?.seen ?? {}) : sights,
    walk: null,
  };
}
