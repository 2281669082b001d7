// Listings. First everything the filter lets in; then one small poll of what happened last, and the issues that it
// shows to be news. Pages go from old to new by time, not by the server's page numbers, so that nothing is lost when
// issues move while they are read.
import type { Cursor, Page } from '../provider.ts';
import {
  commentFingerprint,
  formatCursor,
  issueFingerprint,
  type Mark,
  markAfter,
  OVERLAP_MS,
  parseCursor,
  START,
  type Standing,
} from './cursor.ts';
import { PAGE } from './documents.ts';
import { admittedSince, changedSince, commentedSince, type PageStart, teamFilter } from './filters.ts';
import type { LinearApi } from './linear-api.ts';
import { readIssuePage, toWholeTasks } from './read-issues.ts';
import type { ChangedComment, GistAnswer, IssueAnswer, OldestPage, TeamAnswer } from './response-shapes.ts';

interface Poll {
  teams: { nodes: TeamAnswer[] };
  issues: { nodes: GistAnswer[]; pageInfo: { hasNextPage: boolean } };
  comments?: { nodes: ChangedComment[]; pageInfo: { hasNextPage: boolean } };
}

/** Pages of what changed since the cursor; see Provider.list. */
export async function* listIssues(
  api: LinearApi,
  cursor: Cursor | null,
  signal: AbortSignal,
): AsyncGenerator<Page> {
  const standing = parseCursor(cursor);
  if (standing === null) yield* listAll(api, await startAll(api, signal), signal);
  else if (standing.full) yield* listAll(api, standing, signal);
  else yield* listChanges(api, standing, signal);
}

async function pollFrom(api: LinearApi, standing: Standing | null, signal: AbortSignal): Promise<Poll> {
  const { config } = api.reading;
  const start = (mark: Mark | undefined): PageStart => ({
    from: mark === undefined || mark.at === 0 ? null : mark.at - OVERLAP_MS,
    except: [],
  });
  const poll = await api.ask<Poll>(
    api.documents.poll,
    {
      teams: teamFilter(config),
      issues: changedSince(config, start(standing?.issues)),
      comments: commentedSince(config, start(standing?.comments)),
    },
    signal,
  );
  api.teams.note(poll.teams);
  return poll;
}

/** The marks are set before anything is read: what changes meanwhile is then above them. */
async function startAll(api: LinearApi, signal: AbortSignal): Promise<Standing> {
  const poll = await pollFrom(api, null, signal);
  return {
    issues: markAfter(START, poll.issues.nodes, issueFingerprint),
    comments: markAfter(START, poll.comments?.nodes ?? [], commentFingerprint),
    full: { from: 0 },
    paging: null,
    except: [],
  };
}

async function* listAll(api: LinearApi, standing: Standing, signal: AbortSignal): AsyncGenerator<Page> {
  const { config } = api.reading;
  const { except } = standing;
  const readPage = (start: PageStart) =>
    readIssuePage(api, { filter: admittedSince(config, start), page: PAGE, archived: false }, signal);
  for await (const page of oldestFirst(readPage, { from: standing.full?.from || null, except })) {
    const full = page.isLast ? null : { from: page.reached };
    const next = formatCursor({ ...standing, full, except: page.isLast ? [] : page.except });
    yield { items: await toWholeTasks(api, page.nodes, signal), next };
  }
}

async function* listChanges(api: LinearApi, standing: Standing, signal: AbortSignal): AsyncGenerator<Page> {
  const poll = await pollFrom(api, standing, signal);
  const done = { full: null, paging: null, except: [] };
  let { issues, comments } = standing;
  const news = new Set<string>();

  const changed = readPoll(poll.issues, issues, issueFingerprint);
  if (standing.paging === 'issues' || changed.isBeyond) {
    for await (const { items, mark, except } of changedIssues(api, standing, signal)) {
      issues = mark;
      yield { items, next: formatCursor({ issues, comments, full: null, paging: 'issues', except }) };
    }
  } else {
    for (const { id } of changed.fresh) news.add(id);
    issues = changed.mark;
  }

  const said = readPoll(poll.comments ?? NOTHING, comments, commentFingerprint);
  if (standing.paging === 'comments' || said.isBeyond) {
    // News of issues that were found, and not read yet, hold their mark back.
    const held = news.size > 0 ? standing.issues : issues;
    for await (const { ids, mark, except } of changedComments(api, standing, signal)) {
      comments = mark;
      const items = await readNews(api, ids, signal);
      const next = { issues: held, comments, full: null, paging: 'comments', except } as const;
      yield { items, next: formatCursor(next) };
    }
  } else {
    for (const { issue } of said.fresh) if (issue) news.add(issue.id);
    comments = poll.comments ? said.mark : comments;
  }

  const items = await readNews(api, [...news], signal);
  yield { items, next: formatCursor({ issues, comments, ...done }) };
}

interface Polled<T> {
  nodes: T[];
  pageInfo: { hasNextPage: boolean };
}

const NOTHING: Polled<never> = { nodes: [], pageInfo: { hasNextPage: false } };

/** What of a poll is news, oldest first, and whether there may be more of it than the poll shows. */
function readPoll<T extends { updatedAt: string }>(
  { nodes, pageInfo }: Polled<T>,
  mark: Mark,
  fingerprint: (node: T) => string,
) {
  const seen = new Set(mark.seen);
  const fresh = nodes.filter((node) => !seen.has(fingerprint(node))).reverse();
  // A node below the mark says that everything above it is shown.
  const isOpen = pageInfo.hasNextPage && nodes.every(({ updatedAt }) => Date.parse(updatedAt) >= mark.at);
  return { fresh, isBeyond: isOpen && fresh.length > 0, mark: markAfter(mark, nodes, fingerprint) };
}

/** The issues with these ids as they are now, oldest change first. */
async function readNews(api: LinearApi, ids: readonly string[], signal: AbortSignal) {
  const found: IssueAnswer[] = [];
  for (let at = 0; at < ids.length; at += PAGE) {
    // A page may come smaller than it was asked for: what it lacks is asked for again.
    for (let some = ids.slice(at, at + PAGE); some.length > 0; ) {
      const query = { filter: { id: { in: some } }, page: some.length, archived: true };
      const { nodes, pageInfo } = await readIssuePage(api, query, signal);
      found.push(...nodes);
      const there = new Set(nodes.map(({ id }) => id));
      some = pageInfo.hasPreviousPage && nodes.length > 0 ? some.filter((id) => !there.has(id)) : [];
    }
  }
  found.sort((a, b) => Date.parse(a.updatedAt) - Date.parse(b.updatedAt));
  return toWholeTasks(api, found, signal);
}

async function* changedIssues(api: LinearApi, standing: Standing, signal: AbortSignal) {
  const { config } = api.reading;
  const readPage = (start: PageStart) =>
    readIssuePage(api, { filter: changedSince(config, start), page: PAGE, archived: true }, signal);
  const marks = createMarks(standing.issues, issueFingerprint);
  for await (const { nodes, except } of oldestFirst(readPage, startOf(standing, 'issues'))) {
    yield { items: await toWholeTasks(api, nodes, signal), mark: marks(nodes), except };
  }
}

async function* changedComments(api: LinearApi, standing: Standing, signal: AbortSignal) {
  const { config } = api.reading;
  const readPage = async (start: PageStart) => {
    type Answer = { comments: OldestPage<ChangedComment> };
    const variables = { filter: commentedSince(config, start) };
    return (await api.ask<Answer>(api.documents.changedComments, variables, signal)).comments;
  };
  const marks = createMarks(standing.comments, commentFingerprint);
  for await (const { nodes, except } of oldestFirst(readPage, startOf(standing, 'comments'))) {
    const ids = new Set(nodes.flatMap(({ issue }) => (issue ? [issue.id] : [])));
    yield { ids: [...ids], mark: marks(nodes), except };
  }
}

/** Pages that were begun go on at their mark: what lies below it was read. */
function startOf(standing: Standing, what: 'issues' | 'comments'): PageStart {
  const { at } = standing[what];
  if (standing.paging === what) return { from: at, except: standing.except };
  return { from: at - OVERLAP_MS, except: [] };
}

/** The mark after each page; what a poll would show is remembered across pages. */
function createMarks<T extends { id: string; updatedAt: string }>(
  start: Mark,
  fingerprint: (node: T) => string,
) {
  let mark = start;
  let newest: T[] = [];
  return (page: readonly T[]): Mark => {
    const latest = new Map([...page.toReversed(), ...newest].reverse().map((node) => [node.id, node]));
    newest = [...latest.values()].reverse().slice(0, PAGE);
    mark = markAfter(mark, newest, fingerprint);
    return mark;
  };
}

/**
 * Pages in the order of change. The next page is what changed at or after the newest of the last one, without what was
 * read of that instant: no cursor of the server's is followed, which would jump when the issue it names is edited.
 */
async function* oldestFirst<T extends { id: string; updatedAt: string }>(
  readPage: (start: PageStart) => Promise<OldestPage<T>>,
  start: PageStart,
): AsyncGenerator<{ nodes: T[]; reached: number; except: string[]; isLast: boolean }> {
  let { from } = start;
  let except = [...start.except];
  const given = new Set<string>();
  for (;;) {
    const { nodes, pageInfo } = await readPage({ from, except });
    const reached = nodes[0] ? Date.parse(nodes[0].updatedAt) : (from ?? 0);
    // A server that ignores the filter gives the same page for ever.
    const isOld = nodes.every(({ id, updatedAt }) => given.has(`${id}@${updatedAt}`));
    for (const { id, updatedAt } of nodes) given.add(`${id}@${updatedAt}`);
    const isLast = !pageInfo.hasPreviousPage || nodes.length === 0 || isOld;
    const atOnce = nodes.filter(({ updatedAt }) => Date.parse(updatedAt) === reached).map(({ id }) => id);
    except = reached === from ? [...except, ...atOnce] : atOnce;
    from = reached;
    yield { nodes: nodes.toReversed(), reached, except, isLast };
    if (isLast) return;
  }
}
