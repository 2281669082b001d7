// The contract's `list`. A quiet source costs two requests, both answered 304. A first listing reads what the filter
// admits; later ones whatever changed. The newest pages are read before anything else, so that what changes while the
// others are read is found by the next listing: the watermark is never later than what was read.
import type { Cursor, Page, RemoteRef, RemoteTask } from '../provider.ts';
import { formatCursor, type ListingState, parseCursor, type Walk } from './api/cursor.ts';
import {
  type NewestPage,
  newSince,
  OVERLAP_MS,
  readNewestComments,
  readNewestIssues,
} from './api/newest-page.ts';
import { pagesFrom } from './api/paging.ts';
import type { WireComment, WireIssue } from './api/response-shapes.ts';
import { fetchBlockers, nullIfGone, PAGE_SIZE, type Source } from './api/source.ts';
import {
  type CommentsByIssue,
  countRequests,
  fetchAllComments,
  fetchOfIssue,
  type Gathered,
  isReadingAllCheaper,
} from './gather-comments.ts';
import { completeTask, fetchIssue } from './issues.ts';
import { apiBase, readOptions } from './options.ts';
import { isAdmitted, isPull, toRemoteTask } from './to-remote-task.ts';

/** One listing under way. */
interface ListingRun {
  source: Source;
  login: string;
  signal: AbortSignal;
}

type NewestComments = NewestPage<WireComment> | 'lacking' | null;
type Gather = (issue: WireIssue, ref: RemoteRef) => Promise<Gathered>;

export async function* listIssues(
  source: Source,
  cursor: Cursor | null,
  signal: AbortSignal,
): AsyncGenerator<Page> {
  const known = parseCursor(cursor, madeFor(source));
  if (known?.by === source.fingerprint) source.rememberLogin(known.login);
  const login = await source.login(signal);
  const run = { source, login, signal };
  // To another account other issues may be admitted.
  if (known === null || known.login !== login) return yield* firstListing(run);
  if (known.walk) return yield* walkOn(run, known, known.walk);
  yield* changes(run, known);
}

function madeFor({ config }: Source): string {
  const { source, filter, fields } = config;
  return JSON.stringify([apiBase(config), source.toLowerCase(), filter, fields, readOptions(config)]);
}

async function* firstListing(run: ListingRun): AsyncGenerator<Page> {
  const { source, login, signal } = run;
  const comments = await readNewestComments(source, null, signal);
  const issues = await readNewestIssues(source, null, signal);
  const after: ListingState = { ...toState(run, issues, comments), walk: null };
  if (issues.listed.links.next !== null) {
    return yield* walkPages(run, after, { at: { since: null, page: 1 }, since: null }, comments, issues);
  }
  const admitted = oldestFirst(issues.fresh).filter((issue) => isAdmitted(issue, source.config, login));
  const byIssue = await chooseAllComments(run, comments, {
    spent: 0,
    needed: countRequests(admitted),
    pages: 1,
  });
  const items = await toTasks(run, admitted, gatherAll(run, byIssue));
  yield { items, next: formatCursor(after) };
}

async function* changes(run: ListingRun, known: ListingState): AsyncGenerator<Page> {
  const { source, signal } = run;
  const comments = await readNewestComments(source, known.comments, signal);
  const issues = await readNewestIssues(source, known.issues, signal);
  const after: ListingState = { ...toState(run, issues, comments, known), walk: null };
  const since = newSince(known.issues);
  if (!issues.whole && since !== null) {
    const from = {
      issues: since,
      comments: known.comments === 'lacking' ? null : newSince(known.comments),
    };
    const walk = { at: { since, page: 1 }, since: from };
    return yield* walkPages(run, after, walk, comments, issues);
  }
  const changed = oldestFirst(issues.fresh).filter((issue) => isWanted(issue, source));
  const from = known.comments === 'lacking' ? null : newSince(known.comments);
  const byIssue = await chooseChangedComments(run, comments, from, countRequests(changed));
  const gather = comments === 'lacking' ? gatherUnseen(run, known) : gatherChanged(run, comments, byIssue);
  const items = await toTasks(run, changed, gather);
  const isMissed = issues.listed.unchanged ? isEdit(known) : isOlderThan(since);
  items.push(...(await editedElsewhere(run, byIssue, isMissed)));
  yield { items, next: formatCursor(after) };
}

/** A listing that was cut off between two pages. */
async function* walkOn(run: ListingRun, known: ListingState, walk: Walk): AsyncGenerator<Page> {
  const comments =
    known.comments === null || known.comments === 'lacking'
      ? known.comments
      : await readNewestComments(run.source, null, run.signal);
  yield* walkPages(run, { ...known, walk: null }, walk, comments, null);
}

async function* walkPages(
  run: ListingRun,
  after: ListingState,
  walk: Walk,
  comments: NewestComments,
  issues: NewestPage<WireIssue> | null,
): AsyncGenerator<Page> {
  const { source, login, signal } = run;
  const filter = walk.since === null ? filterQuery(source, login) : { state: 'all' };
  let byIssue: CommentsByIssue | null = null;
  let spent = 0;
  for await (const { items, next } of pagesFrom(source, filter, walk.at, signal)) {
    const wanted = items.filter((issue) =>
      walk.since === null ? isAdmitted(issue, source.config, login) : isWanted(issue, source),
    );
    const needed = countRequests(wanted);
    const pages = next === null ? 1 : expectedPages(source, issues);
    byIssue ??= await chooseAllComments(
      run,
      comments,
      { spent, needed, pages },
      walk.since?.comments ?? null,
    );
    if (byIssue === null) spent += needed;
    const gather =
      walk.since === null || byIssue === null
        ? gatherAll(run, byIssue)
        : gatherChanged(run, comments, byIssue);
    const tasks = await toTasks(run, wanted, gather);
    if (next === null && walk.since !== null) {
      tasks.push(...(await editedElsewhere(run, byIssue, isOlderThan(walk.since.issues))));
    }
    yield { items: tasks, next: formatCursor({ ...after, walk: next && { ...walk, at: next } }) };
  }
}

// The highest number bounds what there is; what a narrow filter leaves of it nobody knows.
function expectedPages({ config }: Source, issues: NewestPage<WireIssue> | null): number {
  const isNarrow = config.filter.labels.length > 0 || config.filter.assignee !== null;
  if (isNarrow || issues === null) return 2;
  return Math.ceil(Math.max(...issues.listed.items.map(({ number }) => number)) / PAGE_SIZE);
}

async function chooseAllComments(
  { source, signal }: ListingRun,
  comments: NewestComments,
  choice: Parameters<typeof isReadingAllCheaper>[1],
  from: number | null = null,
): Promise<CommentsByIssue | null> {
  if (comments === null || comments === 'lacking') return null;
  if (from === null && !isReadingAllCheaper(comments, choice)) return null;
  return await fetchAllComments(source, comments, from, signal);
}

/** The comments that changed; null when reading the changed issues one by one takes fewer requests. */
async function chooseChangedComments(
  { source, signal }: ListingRun,
  comments: NewestComments,
  from: number | null,
  needed: number,
): Promise<CommentsByIssue | null> {
  if (comments === null || comments === 'lacking') return null;
  if (!comments.whole && !isReadingAllCheaper(comments, { spent: 0, needed, pages: 1 })) return null;
  return await fetchAllComments(source, comments, from, signal);
}

function gatherAll({ source, signal }: ListingRun, byIssue: CommentsByIssue | null): Gather {
  return async (issue, ref) => {
    const pooled = byIssue?.take(issue);
    return pooled?.complete ? pooled : await fetchOfIssue(source, ref, issue, signal);
  };
}

function gatherChanged(run: ListingRun, comments: NewestComments, byIssue: CommentsByIssue | null): Gather {
  if (byIssue === null && comments !== null) return gatherAll(run, null);
  return async (issue) => byIssue?.take(issue) ?? { items: [], complete: false };
}

// Without a list of all comments every changed issue is asked for its own; not again for what was just seen.
function gatherUnseen({ source, signal }: ListingRun, { seen }: ListingState): Gather {
  return async (issue, ref) =>
    seen[issue.number] === sightOf(issue)
      ? { items: [], complete: false }
      : await fetchOfIssue(source, ref, issue, signal);
}

function sightOf({ updated_at, comments }: WireIssue): string {
  return `${updated_at}/${comments}`;
}

/**
 * Issues of which nothing changed but an older comment: GitHub does not count that as a change of the issue.
 * @param isMissed Whether a comment can be news of an issue that is not listed.
 */
async function editedElsewhere(
  { source, signal }: ListingRun,
  byIssue: CommentsByIssue | null,
  isMissed: (comment: WireComment) => boolean,
): Promise<RemoteTask[]> {
  const found: RemoteTask[] = [];
  for (const [number, comments] of byIssue?.left() ?? []) {
    const isOfPull = comments.some(({ html_url }) => html_url?.includes(`/pull/${number}#`));
    if (!comments.some(isMissed) || (isOfPull && !readOptions(source.config).pullRequests)) continue;
    const ref = `${source.config.source}#${number}`;
    const issue = await fetchIssue(source, ref, signal).catch(nullIfGone);
    if (issue && isWanted(issue, source)) found.push(await completeTask(source, ref, issue, signal));
  }
  return found;
}

/** A comment made since then changed its issue, which is listed. */
function isOlderThan(since: number | null): (comment: WireComment) => boolean {
  return ({ created_at }) => since !== null && created_at < since;
}

// No issue is listed when none changed; what is older than the watermark was given with the last listing.
function isEdit({ comments }: ListingState): (comment: WireComment) => boolean {
  const mark = comments === null || comments === 'lacking' ? null : comments.mark;
  return ({ created_at, updated_at }) => updated_at > created_at || updated_at >= (mark ?? 0);
}

async function toTasks(run: ListingRun, issues: readonly WireIssue[], gather: Gather): Promise<RemoteTask[]> {
  const { source, login, signal } = run;
  const { config } = source;
  const asksComments = config.fields === null || config.fields.includes('comments');
  const tasks: RemoteTask[] = [];
  for (const issue of issues) {
    const ref = `${config.source}#${issue.number}`;
    const nothing = { items: [], complete: false };
    // What vanishes meanwhile is missed by the full listing of the day.
    const gathered = asksComments ? await gather(issue, ref).catch(nullIfGone) : nothing;
    if (gathered === null) continue;
    const isAsked =
      isAdmitted(issue, config, login) || issue.issue_dependencies_summary?.total_blocked_by === 0;
    const blockers = isAsked ? await fetchBlockers(source, ref, issue, signal) : null;
    const { items: comments, complete } = gathered;
    tasks.push(toRemoteTask(issue, { config, login, ref, comments, complete, blockers }));
  }
  return tasks;
}

function isWanted(issue: WireIssue, { config }: Source): boolean {
  return readOptions(config).pullRequests || !isPull(issue);
}

function oldestFirst(issues: readonly WireIssue[]): WireIssue[] {
  return [...issues].sort((a, b) => a.updated_at - b.updated_at || a.number - b.number);
}

function filterQuery({ config }: Source, login: string): Record<string, unknown> {
  const { labels, assignee, state } = config.filter;
  // A comma parts names there: such a label is looked for in the answer.
  const asked = labels.filter((label) => !label.includes(','));
  return {
    state,
    ...(asked.length > 0 ? { labels: asked.join(',') } : {}),
    ...(assignee === null ? {} : { assignee: assignee === 'me' ? login : assignee }),
  };
}

function toState(
  { source, login }: ListingRun,
  issues: NewestPage<WireIssue>,
  comments: NewestComments,
  known: ListingState | null = null,
): Omit<ListingState, 'walk'> {
  const recent = issues.fresh.filter(
    ({ updated_at }) => updated_at >= (issues.watermark.mark ?? 0) - OVERLAP_MS,
  );
  const sights = Object.fromEntries(recent.map((issue) => [issue.number, sightOf(issue)]));
  const seen = issues.listed.unchanged ? (known?.seen ?? {}) : sights;
  return {
    v: 1,
    for: madeFor(source),
    by: source.fingerprint,
    login,
    issues: issues.watermark,
    comments: comments === null || comments === 'lacking' ? comments : comments.watermark,
    seen: comments === 'lacking' ? seen : {},
  };
}
