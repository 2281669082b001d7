// The contract's `list`. A quiet source costs two requests, both answered 304. A first listing reads what the filter
// admits; later ones whatever changed. The heads are read before anything else, so that what changes while pages are
// read is found by the next listing: the watermark is never later than what was read.
import type { Cursor, Page, RemoteRef, RemoteTask } from '../provider.ts';
import {
  type CommentPool,
  countRequests,
  fetchEach,
  fetchPool,
  type Gathered,
  isPoolCheaper,
} from './comments.ts';
import { formatCursor, type Kept, parseCursor, type Walk } from './cursor.ts';
import { completeTask, fetchIssue } from './issues.ts';
import { type HeadReading, OVERLAP_MS, overlapFrom, readCommentHead, readIssueHead } from './newest-page.ts';
import { apiBase, readOptions } from './options.ts';
import { pagesFrom } from './paging.ts';
import type { WireComment, WireIssue } from './response-shapes.ts';
import { fetchBlockers, PAGE_SIZE, type Source, unlessGone } from './source.ts';
import { isAdmitted, isPull, toRemoteTask } from './to-remote-task.ts';

/** One listing under way. */
interface Run {
  source: Source;
  login: string;
  signal: AbortSignal;
}

type CommentHead = HeadReading<WireComment> | 'lacking' | null;
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

async function* firstListing(run: Run): AsyncGenerator<Page> {
  const { source, login, signal } = run;
  const comments = await readCommentHead(source, null, signal);
  const issues = await readIssueHead(source, null, signal);
  const after: Kept = { ...toKept(run, issues, comments), walk: null };
  if (issues.listed.links.next !== null) {
    return yield* walkPages(run, after, { at: { since: null, page: 1 }, since: null }, comments, issues);
  }
  const admitted = oldestFirst(issues.fresh).filter((issue) => isAdmitted(issue, source.config, login));
  const pool = await choosePool(run, comments, { spent: 0, needed: countRequests(admitted), pages: 1 });
  const items = await toTasks(run, admitted, gatherWhole(run, pool));
  yield { items, next: formatCursor(after) };
}

async function* changes(run: Run, known: Kept): AsyncGenerator<Page> {
  const { source, signal } = run;
  const comments = await readCommentHead(source, known.comments, signal);
  const issues = await readIssueHead(source, known.issues, signal);
  const after: Kept = { ...toKept(run, issues, comments, known), walk: null };
  const since = overlapFrom(known.issues);
  if (!issues.whole && since !== null) {
    const from = {
      issues: since,
      comments: known.comments === 'lacking' ? null : overlapFrom(known.comments),
    };
    const walk = { at: { since, page: 1 }, since: from };
    return yield* walkPages(run, after, walk, comments, issues);
  }
  const changed = oldestFirst(issues.fresh).filter((issue) => isWanted(issue, source));
  const from = known.comments === 'lacking' ? null : overlapFrom(known.comments);
  const pool = await changedPool(run, comments, from, countRequests(changed));
  const gather = comments === 'lacking' ? gatherUnseen(run, known) : gatherChanged(run, comments, pool);
  const items = await toTasks(run, changed, gather);
  const isMissed = issues.listed.unchanged ? isEdit(known) : isOlderThan(since);
  items.push(...(await editedElsewhere(run, pool, isMissed)));
  yield { items, next: formatCursor(after) };
}

/** A listing that was cut off between two pages. */
async function* walkOn(run: Run, known: Kept, walk: Walk): AsyncGenerator<Page> {
  const comments =
    known.comments === null || known.comments === 'lacking'
      ? known.comments
      : await readCommentHead(run.source, null, run.signal);
  yield* walkPages(run, { ...known, walk: null }, walk, comments, null);
}

async function* walkPages(
  run: Run,
  after: Kept,
  walk: Walk,
  comments: CommentHead,
  issues: HeadReading<WireIssue> | null,
): AsyncGenerator<Page> {
  const { source, login, signal } = run;
  const filter = walk.since === null ? filterQuery(source, login) : { state: 'all' };
  let pool: CommentPool | null = null;
  let spent = 0;
  for await (const { items, next } of pagesFrom(source, filter, walk.at, signal)) {
    const wanted = items.filter((issue) =>
      walk.since === null ? isAdmitted(issue, source.config, login) : isWanted(issue, source),
    );
    const needed = countRequests(wanted);
    const pages = next === null ? 1 : expectedPages(source, issues);
    pool ??= await choosePool(run, comments, { spent, needed, pages }, walk.since?.comments ?? null);
    if (pool === null) spent += needed;
    const gather =
      walk.since === null || pool === null ? gatherWhole(run, pool) : gatherChanged(run, comments, pool);
    const tasks = await toTasks(run, wanted, gather);
    if (next === null && walk.since !== null) {
      tasks.push(...(await editedElsewhere(run, pool, isOlderThan(walk.since.issues))));
    }
    yield { items: tasks, next: formatCursor({ ...after, walk: next && { ...walk, at: next } }) };
  }
}

// The highest number bounds what there is; what a narrow filter leaves of it nobody knows.
function expectedPages({ config }: Source, issues: HeadReading<WireIssue> | null): number {
  const isNarrow = config.filter.labels.length > 0 || config.filter.assignee !== null;
  if (isNarrow || issues === null) return 2;
  return Math.ceil(Math.max(...issues.listed.items.map(({ number }) => number)) / PAGE_SIZE);
}

async function choosePool(
  { source, signal }: Run,
  comments: CommentHead,
  choice: Parameters<typeof isPoolCheaper>[1],
  from: number | null = null,
): Promise<CommentPool | null> {
  if (comments === null || comments === 'lacking') return null;
  if (from === null && !isPoolCheaper(comments, choice)) return null;
  return await fetchPool(source, comments, from, signal);
}

/** The comments that changed; null when reading the changed issues one by one takes fewer requests. */
async function changedPool(
  { source, signal }: Run,
  comments: CommentHead,
  from: number | null,
  needed: number,
): Promise<CommentPool | null> {
  if (comments === null || comments === 'lacking') return null;
  if (!comments.whole && !isPoolCheaper(comments, { spent: 0, needed, pages: 1 })) return null;
  return await fetchPool(source, comments, from, signal);
}

function gatherWhole({ source, signal }: Run, pool: CommentPool | null): Gather {
  return async (issue, ref) => {
    const pooled = pool?.take(issue);
    return pooled?.complete ? pooled : await fetchEach(source, ref, issue, signal);
  };
}

function gatherChanged(run: Run, comments: CommentHead, pool: CommentPool | null): Gather {
  if (pool === null && comments !== null) return gatherWhole(run, null);
  return async (issue) => pool?.take(issue) ?? { items: [], complete: false };
}

// Without a list of all comments every changed issue is asked for its own; not again for what was just seen.
function gatherUnseen({ source, signal }: Run, { seen }: Kept): Gather {
  return async (issue, ref) =>
    seen[issue.number] === sightOf(issue)
      ? { items: [], complete: false }
      : await fetchEach(source, ref, issue, signal);
}

function sightOf({ updated_at, comments }: WireIssue): string {
  return `${updated_at}/${comments}`;
}

/**
 * Issues of which nothing changed but an older comment: GitHub does not count that as a change of the issue.
 * @param isMissed Whether a comment can be news of an issue that is not listed.
 */
async function editedElsewhere(
  { source, signal }: Run,
  pool: CommentPool | null,
  isMissed: (comment: WireComment) => boolean,
): Promise<RemoteTask[]> {
  const found: RemoteTask[] = [];
  for (const [number, comments] of pool?.left() ?? []) {
    const isOfPull = comments.some(({ html_url }) => html_url?.includes(`/pull/${number}#`));
    if (!comments.some(isMissed) || (isOfPull && !readOptions(source.config).pullRequests)) continue;
    const ref = `${source.config.source}#${number}`;
    const issue = await fetchIssue(source, ref, signal).catch(unlessGone);
    if (issue && isWanted(issue, source)) found.push(await completeTask(source, ref, issue, signal));
  }
  return found;
}

/** A comment made since then changed its issue, which is listed. */
function isOlderThan(since: number | null): (comment: WireComment) => boolean {
  return ({ created_at }) => since !== null && created_at < since;
}

// No issue is listed when none changed; what is older than the watermark was given with the last listing.
function isEdit({ comments }: Kept): (comment: WireComment) => boolean {
  const mark = comments === null || comments === 'lacking' ? null : comments.mark;
  return ({ created_at, updated_at }) => updated_at > created_at || updated_at >= (mark ?? 0);
}

async function toTasks(run: Run, issues: readonly WireIssue[], gather: Gather): Promise<RemoteTask[]> {
  const { source, login, signal } = run;
  const { config } = source;
  const asksComments = config.fields === null || config.fields.includes('comments');
  const tasks: RemoteTask[] = [];
  for (const issue of issues) {
    const ref = `${config.source}#${issue.number}`;
    const nothing = { items: [], complete: false };
    // What vanishes meanwhile is missed by the full listing of the day.
    const gathered = asksComments ? await gather(issue, ref).catch(unlessGone) : nothing;
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

function toKept(
  { source, login }: Run,
  issues: HeadReading<WireIssue>,
  comments: CommentHead,
  known: Kept | null = null,
): Omit<Kept, 'walk'> {
  const recent = issues.fresh.filter(({ updated_at }) => updated_at >= (issues.head.mark ?? 0) - OVERLAP_MS);
  const sights = Object.fromEntries(recent.map((issue) => [issue.number, sightOf(issue)]));
  const seen = issues.listed.unchanged ? (known?.seen ?? {}) : sights;
  return {
    v: 1,
    for: madeFor(source),
    by: source.fingerprint,
    login,
    issues: issues.head,
    comments: comments === null || comments === 'lacking' ? comments : comments.head,
    seen: comments === 'lacking' ? seen : {},
  };
}
