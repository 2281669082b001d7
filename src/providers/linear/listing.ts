// Listings. First everything the filter lets in; then one small poll of what happened last, and the issues that it
// shows to be news. Pages go from old to new by time, not by the server's page numbers, so that nothing is lost when
// issues move while they are read.
import type { Cursor, Page, SourceConfig } from '../provider.ts';
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
import { type LinearApi, readIssuePage, toWholeTasks } from './read-issues.ts';
import type { ChangedComment, GistAnswer, IssueAnswer, OldestPage, TeamAnswer } from './response-shapes.ts';
import { FINISHED_TYPES } from './states.ts';
import { personFilter } from './to-remote-task.ts';

type Filter = Record<string, unknown>;

/** Where a page begins. */
interface PageStart {
  /** Changed at or after, epoch ms; null for the beginning of time. */
  from: number | null;
  /** Ids that are not wanted again. */
  except: readonly string[];
}

function since({ from, except }: PageStart): Filter {
  return {
    ...(from === null ? {} : { updatedAt: { gte: new Date(from).toISOString() } }),
    ...(except.length === 0 ? {} : { id: { nin: except } }),
  };
}

function teamFilter({ source }: SourceConfig): Filter {
  return { key: { eq: source.toUpperCase() } };
}

/** Issues the source lets in. */
function admittedSince(config: SourceConfig, start: PageStart): Filter {
  const { labels, assignee, state } = config.filter;
  const type = { open: { nin: FINISHED_TYPES }, closed: { in: FINISHED_TYPES }, all: null }[state];
  return {
    team: teamFilter(config),
    ...since(start),
    ...(labels.length > 0
      ? { and: labels.map((name) => ({ labels: { some: { name: { eqIgnoreCase: name } } } })) }
      : {}),
    ...(assignee === null ? {} : { assignee: personFilter(assignee) }),
    ...(type === null ? {} : { state: { type } }),
  };
}

interface Poll {
  teams: { nodes: TeamAnswer[] };
  issues: { nodes: GistAnswer[]; pageInfo: { hasNextPage: boolean } };
  comments?: { nodes: ChangedComment[]; pageInfo: { hasNextPage: boolean } };
}

/** Pages of what changed since the cursor; see Provider.list. */
export async function* listIssues(api: LinearApi, cursor: Cursor | null): AsyncGenerator<Page> {
  const standing = parseCursor(cursor);
  if (standing && !standing.full) yield* listChanges(api, standing);
  else yield* listAll(api, standing ?? (await startAll(api)));
}

async function pollFrom(api: LinearApi, standing: Standing | null): Promise<Poll> {
  const team = teamFilter(api.reading.config);
  const news = (mark: Mark | undefined) =>
    since({ from: mark?.at ? mark.at - OVERLAP_MS : null, except: [] });
  const poll = await api.ask<Poll>('poll', {
    teams: team,
    issues: { team, ...news(standing?.issues) },
    comments: { issue: { team }, ...news(standing?.comments) },
  });
  api.noteTeam(poll.teams);
  return poll;
}

/** The marks are set before anything is read: what changes meanwhile is then above them. */
async function startAll(api: LinearApi): Promise<Standing> {
  const { issues, comments } = await pollFrom(api, null);
  return {
    issues: markAfter(START, issues.nodes, issueFingerprint),
    comments: markAfter(START, comments?.nodes ?? [], commentFingerprint),
    full: { from: 0 },
    paging: null,
    except: [],
  };
}

async function* listAll(api: LinearApi, standing: Standing): AsyncGenerator<Page> {
  const { config } = api.reading;
  const readPage = (start: PageStart) =>
    readIssuePage(api, { filter: admittedSince(config, start), page: PAGE, archived: false });
  const start = { from: standing.full?.from || null, except: standing.except };
  for await (const { nodes, isLast, reached, except } of oldestFirst(readPage, start)) {
    const next = isLast ? { full: null, except: [] } : { full: { from: reached }, except };
    yield { items: await toWholeTasks(api, nodes), next: formatCursor({ ...standing, ...next }) };
  }
}

async function* listChanges(api: LinearApi, standing: Standing): AsyncGenerator<Page> {
  const poll = await pollFrom(api, standing);
  let { issues, comments } = standing;
  const news = new Set<string>();

  const changed = readPoll(poll.issues, issues, issueFingerprint);
  if (standing.paging === 'issues' || changed.isBeyond) {
    for await (const { nodes, mark, except } of changedIssues(api, standing)) {
      issues = mark;
      const items = await toWholeTasks(api, nodes);
      yield { items, next: formatCursor({ issues, comments, full: null, paging: 'issues', except }) };
    }
  } else {
    for (const { id } of changed.fresh) news.add(id);
    issues = changed.mark;
  }

  const said = poll.comments && readPoll(poll.comments, comments, commentFingerprint);
  if (standing.paging === 'comments' || said?.isBeyond) {
    // News of issues that were found, and not read yet, hold their mark back.
    const held = news.size > 0 ? standing.issues : issues;
    for await (const { nodes, mark, except } of changedComments(api, standing)) {
      comments = mark;
      const items = await readNews(api, new Set(nodes.flatMap(({ issue }) => issue?.id ?? [])));
      const next = { issues: held, comments, full: null, paging: 'comments', except } as const;
      yield { items, next: formatCursor(next) };
    }
  } else if (said) {
    for (const { issue } of said.fresh) if (issue) news.add(issue.id);
    comments = said.mark;
  }

  const items = await readNews(api, news);
  yield { items, next: formatCursor({ issues, comments, full: null, paging: null, except: [] }) };
}

interface Polled<T> {
  nodes: T[];
  pageInfo: { hasNextPage: boolean };
}

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
async function readNews(api: LinearApi, news: ReadonlySet<string>) {
  const ids = [...news];
  const found: IssueAnswer[] = [];
  for (let at = 0; at < ids.length; at += PAGE) {
    // A page may come smaller than it was asked for: what it lacks is asked for again.
    for (let some = ids.slice(at, at + PAGE); some.length > 0; ) {
      const query = { filter: { id: { in: some } }, page: some.length, archived: true };
      const { nodes, pageInfo } = await readIssuePage(api, query);
      found.push(...nodes);
      const there = new Set(nodes.map(({ id }) => id));
      some = pageInfo.hasPreviousPage && nodes.length > 0 ? some.filter((id) => !there.has(id)) : [];
    }
  }
  found.sort((a, b) => Date.parse(a.updatedAt) - Date.parse(b.updatedAt));
  return toWholeTasks(api, found);
}

function changedIssues(api: LinearApi, standing: Standing) {
  const team = teamFilter(api.reading.config);
  const readPage = (start: PageStart) =>
    readIssuePage(api, { filter: { team, ...since(start) }, page: PAGE, archived: true });
  return marked(oldestFirst(readPage, startOf(standing, 'issues')), standing.issues, issueFingerprint);
}

function changedComments(api: LinearApi, standing: Standing) {
  const issue = { team: teamFilter(api.reading.config) };
  type Answer = { comments: OldestPage<ChangedComment> };
  const readPage = async (start: PageStart) =>
    (await api.ask<Answer>('changedComments', { filter: { issue, ...since(start) } })).comments;
  return marked(oldestFirst(readPage, startOf(standing, 'comments')), standing.comments, commentFingerprint);
}

/** Pages that were begun go on at their mark: what lies below it was read. */
function startOf(standing: Standing, what: 'issues' | 'comments'): PageStart {
  const { at } = standing[what];
  if (standing.paging === what) return { from: at, except: standing.except };
  return { from: at - OVERLAP_MS, except: [] };
}

/** Pages, each with the mark after it; what a poll would show is remembered across pages. */
async function* marked<T extends { id: string; updatedAt: string }>(
  pages: AsyncIterable<{ nodes: T[]; except: string[] }>,
  start: Mark,
  fingerprint: (node: T) => string,
) {
  let mark = start;
  let newest: T[] = [];
  for await (const { nodes, except } of pages) {
    const latest = new Map([...nodes.toReversed(), ...newest].reverse().map((node) => [node.id, node]));
    newest = [...latest.values()].reverse().slice(0, PAGE);
    mark = markAfter(mark, newest, fingerprint);
    yield { nodes, mark, except };
  }
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
