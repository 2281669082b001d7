// Listings. First everything the filter lets in; then one small poll of what happened last, and the issues that it
// shows to be news. Pages go from old to new by time, not by the server's page numbers, so that nothing is lost when
// issues move while they are read. Marks are set before anything is read: what changes meanwhile is then above them. What is
// seen again with the same content is no news; what appears late below a mark is.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Cursor, Page, RemoteTask, SourceConfig } from '../provider.ts';
import { parseCursor } from '../tracker-rules.ts';
import type { ChangedComment, GistAnswer, IssueAnswer, Listed, OldestPage, TeamAnswer } from './documents.ts';
import { PAGE } from './documents.ts';
import { type LinearApi, readIssuePage, toWholeTasks } from './read-issues.ts';
import { FINISHED_TYPES, personFilter, type Reading } from './to-remote-task.ts';

/** How far below a mark something may still turn up: what was written before it and became visible after. */
const OVERLAP_MS = 60_000;
const MOST_SEEN = 50; // As many as a poll shows.
/** A cursor stays below 64 KB: an instant that saw more changes than this is read again from its begin. */
const MOST_EXCEPT = 1_000;

/** The newest change seen, epoch ms on the server's clock, and fingerprints of what was seen within the overlap, sorted. */
const mark = z.object({ at: z.int(), seen: z.array(z.string()) });
type Mark = z.output<typeof mark>;

/** Pages that are still to be read, in the order of change. */
const walk = z.object({
  /** `admitted`: everything that the filter lets in; else whatever changed. */
  what: z.enum(['admitted', 'issues', 'comments']),
  from: z.int().nullable(), // Changed at or after, epoch ms; null for the beginning of time.
  except: z.array(z.string()), // Ids that were read of that instant.
});
type Walk = z.output<typeof walk>;
type PageStart = Pick<Walk, 'from' | 'except'>;

const state = z.object({ v: z.literal(2), issues: mark, comments: mark, walks: z.array(walk) });
type ListingState = z.output<typeof state>;

const START: Mark = { at: 0, seen: [] };

function formatCursor({ walks, ...marks }: ListingState): Cursor {
  const short = walks.map((one) => (one.except.length <= MOST_EXCEPT ? one : { ...one, except: [] }));
  return JSON.stringify({ ...marks, walks: short });
}

function issueFingerprint(issue: GistAnswer): string {
  const { id, updatedAt, title, description, state, priority, dueDate, assignee, labels, parent } = issue;
  const names = labels?.nodes.map((label) => label.id).sort();
  const words = [id, updatedAt, title, description, state.name, priority, dueDate];
  return digest([...words, assignee?.id, names, parent?.identifier]);
}

const digest = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 12);

/** The mark after these were seen, newest first; `at` never goes back. */
function markAfter<T extends { updatedAt: string }>(
  before: Mark,
  nodes: readonly T[],
  fingerprint: (node: T) => string,
): Mark {
  const at = Math.max(before.at, ...nodes.map(timeOf));
  const near = nodes.filter((node) => timeOf(node) >= at - OVERLAP_MS).slice(0, MOST_SEEN);
  return { at, seen: near.map(fingerprint).sort() };
}

const timeOf = ({ updatedAt }: { updatedAt: string }): number => Date.parse(updatedAt);

type Filter = Record<string, unknown>;

const since = ({ from, except }: PageStart): Filter => ({
  ...(from === null ? {} : { updatedAt: { gte: new Date(from).toISOString() } }),
  ...(except.length === 0 ? {} : { id: { nin: except } }),
});

/** From where on there may be news. */
const newsSince = ({ at }: Mark): PageStart => ({ from: at === 0 ? null : at - OVERLAP_MS, except: [] });
const teamFilter = ({ source }: SourceConfig): Filter => ({ key: { eq: source.toUpperCase() } });

function admittedFilter({ config: { filter }, isApp }: Reading): Filter {
  const { labels, assignee, state } = filter;
  const type = { open: { nin: FINISHED_TYPES }, closed: { in: FINISHED_TYPES }, all: null }[state];
  const named: Filter[] = labels.map((name) => ({ labels: { some: { name: { eqIgnoreCase: name } } } }));
  const person = assignee === null ? null : personFilter(assignee);
  const isOurs = isApp && assignee === 'me';
  if (isOurs) named.push({ or: [{ assignee: person }, { delegate: person }] });
  return {
    ...(named.length > 0 ? { and: named } : {}),
    ...(person === null || isOurs ? {} : { assignee: person }),
    ...(type === null ? {} : { state: { type } }),
  };
}

export async function* listIssues(api: LinearApi, cursor: Cursor | null): AsyncGenerator<Page> {
  const known = parseCursor(cursor, state);
  if (known && known.walks.length > 0) return yield* walkOn(api, known);
  const { issues, comments } = await poll(api, known ?? { issues: START, comments: START });
  const marks = { v: 2 as const, issues: issues.mark, comments: comments.mark };
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
  if (news.size > 0 || walks.length === 0)
    yield { items: await readNews(api, news), next: formatCursor({ ...marks, walks }) };
  yield* walkOn(api, { ...marks, walks });
}

/** What happened last. */
async function poll(api: LinearApi, known: Pick<ListingState, 'issues' | 'comments'>) {
  const team = teamFilter(api.reading.config);
  const answer = await api.ask<{
    teams: { nodes: TeamAnswer[] };
    issues: Listed<GistAnswer>;
    comments?: Listed<ChangedComment>;
  }>('poll', {
    teams: team,
    issues: { team, ...since(newsSince(known.issues)) },
    comments: { issue: { team }, ...since(newsSince(known.comments)) },
  });
  api.noteTeam(answer.teams);
  const { comments = { nodes: [], pageInfo: { hasNextPage: false } } } = answer;
  return {
    issues: readPolled(answer.issues, known.issues, issueFingerprint),
    comments: readPolled(comments, known.comments, ({ id, updatedAt, body }) =>
      digest([id, updatedAt, body]),
    ),
  };
}

/** What of a poll is news, oldest first, and whether there may be more of it than the poll shows. */
function readPolled<T extends { updatedAt: string }>(
  { nodes, pageInfo }: Listed<T>,
  known: Mark,
  fingerprint: (node: T) => string,
) {
  const fresh = nodes.filter((node) => !known.seen.includes(fingerprint(node))).reverse();
  // A node below the mark says that everything above it is shown.
  const isOpen = pageInfo.hasNextPage && nodes.every((node) => timeOf(node) >= known.at);
  return { fresh, isBeyond: isOpen && fresh.length > 0, mark: markAfter(known, nodes, fingerprint) };
}

const issuesOf = (comments: readonly ChangedComment[]): string[] =>
  comments.flatMap(({ issue }) => issue?.id ?? []);

/** The issues with these ids as they are now, oldest change first. */
async function readNews(api: LinearApi, news: Iterable<string>): Promise<RemoteTask[]> {
  const ids = [...new Set(news)];
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
  found.sort((a, b) => timeOf(a) - timeOf(b));
  return toWholeTasks(api, found);
}

/** Reads the pages that are left, each with the cursor after it. */
async function* walkOn(api: LinearApi, { walks, ...marks }: ListingState): AsyncGenerator<Page> {
  const { config } = api.reading;
  const team = teamFilter(config);
  for (const [index, { what, ...start }] of walks.entries()) {
    const later = walks.slice(index + 1);
    const next = (at: PageStart | null) =>
      formatCursor({ ...marks, walks: at === null ? later : [{ what, ...at }, ...later] });
    if (what === 'comments') {
      type Answer = { comments: OldestPage<ChangedComment> };
      const read = async (from: PageStart) =>
        (await api.ask<Answer>('changedComments', { filter: { issue: { team }, ...since(from) } })).comments;
      for await (const { nodes, start: at } of oldestFirst(read, start))
        yield { items: await readNews(api, issuesOf(nodes)), next: next(at) };
      continue;
    }
    const isFirst = what === 'admitted';
    const filter = { team, ...(isFirst ? admittedFilter(api.reading) : {}) };
    const read = (from: PageStart) =>
      readIssuePage(api, { filter: { ...filter, ...since(from) }, page: PAGE, archived: !isFirst });
    for await (const { nodes, start: at } of oldestFirst(read, start))
      yield { items: await toWholeTasks(api, nodes), next: next(at) };
  }
}

/** Pages in the order of change, and where the next one starts (null after the last). It is what changed at or after the newest
 * of the last one, without what was read of that instant: no cursor of the server's is followed, which would jump when the
 * issue it names is edited. */
async function* oldestFirst<T extends { id: string; updatedAt: string }>(
  readPage: (start: PageStart) => Promise<OldestPage<T>>,
  begin: PageStart,
): AsyncGenerator<{ nodes: T[]; start: PageStart | null }> {
  const given = new Set<string>();
  let { from, except } = begin;
  for (let isLast = false; !isLast; ) {
    const { nodes, pageInfo } = await readPage({ from, except });
    const reached = nodes[0] ? timeOf(nodes[0]) : (from ?? 0);
    // A server that ignores the filter gives the same page for ever.
    const isOld = nodes.every(({ id, updatedAt }) => given.has(`${id}@${updatedAt}`));
    for (const { id, updatedAt } of nodes) given.add(`${id}@${updatedAt}`);
    const atOnce = nodes.filter((node) => timeOf(node) === reached).map(({ id }) => id);
    except = reached === from ? [...except, ...atOnce] : atOnce;
    from = reached;
    isLast = !pageInfo.hasPreviousPage || isOld;
    yield { nodes: nodes.toReversed(), start: isLast ? null : { from, except } };
  }
}
