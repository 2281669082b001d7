// Listings. First everything the filter lets in; then one small poll of what happened last, and the issues that it
// shows to be news. Pages go from old to new by time, not by the server's page numbers, so that nothing is lost when
// issues move while they are read. Marks are set before anything is read: what changes meanwhile is then above them.
import type { Cursor, Page, RemoteTask, SourceConfig } from '../provider.ts';
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
  type Walk,
} from './cursor.ts';
import {
  type ChangedComment,
  type GistAnswer,
  type IssueAnswer,
  type OldestPage,
  PAGE,
  type TeamAnswer,
} from './documents.ts';
import { type LinearApi, readIssuePage, toWholeTasks } from './read-issues.ts';
import { FINISHED_TYPES } from './states.ts';
import { personFilter } from './to-remote-task.ts';

type Filter = Record<string, unknown>;
type PageStart = Pick<Walk, 'from' | 'except'>;

function since({ from, except }: PageStart): Filter {
  return {
    ...(from === null ? {} : { updatedAt: { gte: new Date(from).toISOString() } }),
    ...(except.length === 0 ? {} : { id: { nin: except } }),
  };
}

/** From where on there may be news. */
function newsSince({ at }: Mark): PageStart {
  return { from: at === 0 ? null : at - OVERLAP_MS, except: [] };
}

function teamFilter({ source }: SourceConfig): Filter {
  return { key: { eq: source.toUpperCase() } };
}

function admittedFilter({ filter: { labels, assignee, state } }: SourceConfig): Filter {
  const type = { open: { nin: FINISHED_TYPES }, closed: { in: FINISHED_TYPES }, all: null }[state];
  const named = labels.map((name) => ({ labels: { some: { name: { eqIgnoreCase: name } } } }));
  return {
    ...(named.length > 0 ? { and: named } : {}),
    ...(assignee === null ? {} : { assignee: personFilter(assignee) }),
    ...(type === null ? {} : { state: { type } }),
  };
}

export async function* listIssues(api: LinearApi, cursor: Cursor | null): AsyncGenerator<Page> {
  const known = parseCursor(cursor);
  if (known && known.walks.length > 0) return yield* walkOn(api, known);
  const { issues, comments, marks } = await poll(api, known ?? { issues: START, comments: START });
  if (known === null)
    return yield* walkOn(api, { ...marks, walks: [{ what: 'admitted', from: null, except: [] }] });
  const walks: Walk[] = [
    ...(issues.isBeyond ? [{ what: 'issues' as const, ...newsSince(known.issues) }] : []),
    ...(comments.isBeyond ? [{ what: 'comments' as const, ...newsSince(known.comments) }] : []),
  ];
  const news = new Set([
    ...(issues.isBeyond ? [] : issues.fresh.map(({ id }) => id)),
    ...(comments.isBeyond ? [] : issuesOf(comments.fresh)),
  ]);
  const standing = { ...marks, walks };
  if (news.size > 0 || walks.length === 0)
    yield { items: await readNews(api, news), next: formatCursor(standing) };
  yield* walkOn(api, standing);
}

interface Polled<T> {
  nodes: T[];
  pageInfo: { hasNextPage: boolean };
}

/** What happened last, and the marks after it. */
async function poll(api: LinearApi, known: Pick<Standing, 'issues' | 'comments'>) {
  const team = teamFilter(api.reading.config);
  const answer = await api.ask<{
    teams: { nodes: TeamAnswer[] };
    issues: Polled<GistAnswer>;
    comments?: Polled<ChangedComment>;
  }>('poll', {
    teams: team,
    issues: { team, ...since(newsSince(known.issues)) },
    comments: { issue: { team }, ...since(newsSince(known.comments)) },
  });
  api.noteTeam(answer.teams);
  const nothing: Polled<ChangedComment> = { nodes: [], pageInfo: { hasNextPage: false } };
  const issues = readPolled(answer.issues, known.issues, issueFingerprint);
  const comments = readPolled(answer.comments ?? nothing, known.comments, commentFingerprint);
  return { issues, comments, marks: { issues: issues.mark, comments: comments.mark } };
}

/** What of a poll is news, oldest first, and whether there may be more of it than the poll shows. */
function readPolled<T extends { updatedAt: string }>(
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

function issuesOf(comments: readonly ChangedComment[]): string[] {
  return comments.flatMap(({ issue }) => issue?.id ?? []);
}

/** The issues with these ids as they are now, oldest change first. */
async function readNews(api: LinearApi, news: ReadonlySet<string>): Promise<RemoteTask[]> {
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

async function* walkOn(api: LinearApi, standing: Standing): AsyncGenerator<Page> {
  for (const [index, walk] of standing.walks.entries()) {
    const later = standing.walks.slice(index + 1);
    for await (const { items, start } of walkedPages(api, walk)) {
      const walks = start === null ? later : [{ what: walk.what, ...start }, ...later];
      yield { items, next: formatCursor({ ...standing, walks }) };
    }
  }
}

async function* walkedPages(api: LinearApi, { what, ...start }: Walk) {
  const { config } = api.reading;
  const team = teamFilter(config);
  if (what === 'comments') {
    type Answer = { comments: OldestPage<ChangedComment> };
    const read = async (from: PageStart) =>
      (await api.ask<Answer>('changedComments', { filter: { issue: { team }, ...since(from) } })).comments;
    for await (const { nodes, ...page } of oldestFirst(read, start))
      yield { ...page, items: await readNews(api, new Set(issuesOf(nodes))) };
    return;
  }
  const isFirst = what === 'admitted';
  const filter = { team, ...(isFirst ? admittedFilter(config) : {}) };
  const read = (from: PageStart) =>
    readIssuePage(api, { filter: { ...filter, ...since(from) }, page: PAGE, archived: !isFirst });
  for await (const { nodes, ...page } of oldestFirst(read, start))
    yield { ...page, items: await toWholeTasks(api, nodes) };
}

/**
 * Pages in the order of change, and where the next one starts (null after the last). It is what changed at or after the newest
 * of the last one, without what was read of that instant: no cursor of the server's is followed, which would jump when the
 * issue it names is edited.
 */
async function* oldestFirst<T extends { id: string; updatedAt: string }>(
  readPage: (start: PageStart) => Promise<OldestPage<T>>,
  begin: PageStart,
): AsyncGenerator<{ nodes: T[]; start: PageStart | null }> {
  const given = new Set<string>();
  let { from, except } = begin;
  for (let isLast = false; !isLast; ) {
    const { nodes, pageInfo } = await readPage({ from, except });
    const reached = nodes[0] ? Date.parse(nodes[0].updatedAt) : (from ?? 0);
    // A server that ignores the filter gives the same page for ever.
    const isOld = nodes.every(({ id, updatedAt }) => given.has(`${id}@${updatedAt}`));
    for (const { id, updatedAt } of nodes) given.add(`${id}@${updatedAt}`);
    const atOnce = nodes.filter(({ updatedAt }) => Date.parse(updatedAt) === reached).map(({ id }) => id);
    except = reached === from ? [...except, ...atOnce] : atOnce;
    from = reached;
    isLast = !pageInfo.hasPreviousPage || isOld;
    yield { nodes: nodes.toReversed(), start: isLast ? null : { from, except } };
  }
}
