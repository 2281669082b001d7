// One opened source: what its parts share, and the few requests they all make.
import { RoomError } from '../../../core/errors.ts';
import type { RemoteRef, SourceConfig } from '../../provider.ts';
import type { ApiAnswer, Client, Links } from './client.ts';
import { parseRef } from './refs.ts';
import {
  readComments,
  readFullName,
  readIssues,
  readLogin,
  readSlug,
  readViewer,
  type WireComment,
  type WireIssue,
} from './response-shapes.ts';

export const PAGE_SIZE = 100;

export type Source = ReturnType<typeof createSource>;

export function createSource(
  client: Client,
  config: SourceConfig,
  credentials: { fingerprint: string; app: boolean },
) {
  let login: string | null = null;
  return {
    client,
    config,
    fingerprint: credentials.fingerprint,
    /** The credentials' own account; asked for once. */
    async login(signal: AbortSignal): Promise<string> {
      login ??= credentials.app
        ? await fetchAppLogin(client, signal)
        : await fetchLogin(client, config, signal);
      return login;
    },
    /** Takes the login from a cursor that these credentials made. */
    rememberLogin(known: string): void {
      login ??= known;
    },
  };
}

/** A server of one's own has GraphQL beside its REST API, and not below it. */
export function graphqlPath(config: SourceConfig): string {
  const api = (config.url ?? '').replace(/\/+$/, '');
  return api.endsWith('/api/v3') ? `${api.slice(0, -'/v3'.length)}/graphql` : '/graphql';
}

async function fetchLogin(client: Client, config: SourceConfig, signal: AbortSignal): Promise<string> {
  const what = 'the account of the token';
  try {
    const { data } = await client({ method: 'GET', path: '/user', signal, what, absent: 'not_found' });
    return readLogin(data).login;
  } catch (error) {
    if (!isNotAllowed(error)) throw error;
    // A workflow's token may not ask that way.
    const params = { query: '{ viewer { login } }' };
    const path = graphqlPath(config);
    const ask = { method: 'POST', path, params, signal, what, absent: 'not_found' } as const;
    const answer = await client(ask).catch(() => null);
    if (answer === null) throw error;
    return readViewer(answer.data).data.viewer.login;
  }
}

function isNotAllowed(error: unknown): boolean {
  const cause = error instanceof RoomError && error.code === 'unauthorized' ? error.cause : null;
  return cause instanceof Error && 'status' in cause && cause.status === 403;
}

// An installation can't ask who it is; the app it belongs to can.
async function fetchAppLogin(client: Client, signal: AbortSignal): Promise<string> {
  const { data } = await client({
    method: 'GET',
    path: '/app',
    signal,
    what: 'the app',
    absent: 'not_found',
  });
  return `${readSlug(data).slug}[bot]`;
}

export function repositoryParams(config: SourceConfig): { owner: string; repo: string } {
  const [owner, repo] = config.source.split('/') as [string, string];
  return { owner, repo };
}

/** Route parameters of an issue. @throws RoomError `bad_input` */
export function issueParams(ref: RemoteRef): { owner: string; repo: string; issue_number: number } {
  const name = parseRef(ref);
  if (!name) {
    const hint = 'An issue is named owner/repository#number.';
    throw new RoomError('bad_input', `${JSON.stringify(ref)} is not a GitHub issue`, { hint });
  }
  return { owner: name.owner, repo: name.repo, issue_number: name.number };
}

export interface Listed<T> {
  unchanged: boolean;
  items: T[];
  etag: string | null;
  links: Links;
  servedAt: number | null;
}

/** One page of the source's issues. */
export async function fetchIssuePage(
  { client, config }: Source,
  query: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
  etag: string | null = null,
): Promise<Listed<WireIssue>> {
  const { data, ...rest } = await client({
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues',
    params: { ...repositoryParams(config), per_page: PAGE_SIZE, ...query },
    etag,
    signal,
    what: `the issues of ${config.source}`,
    absent: 'not_found',
  });
  return { ...rest, items: rest.unchanged ? [] : readIssues(data) };
}

/** One page of all comments in the source. @throws RoomError `not_found` where the server has no such list */
export async function fetchCommentPage(
  { client, config }: Source,
  query: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
  etag: string | null = null,
): Promise<Listed<WireComment>> {
  const { data, ...rest } = await client({
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/comments',
    params: { ...repositoryParams(config), per_page: PAGE_SIZE, sort: 'updated', ...query },
    etag,
    signal,
    what: `the comments of ${config.source}`,
    absent: 'not_found',
  });
  return { ...rest, items: rest.unchanged ? [] : readComments(data) };
}

/** All comments of one issue, oldest first. @throws RoomError `gone` */
export async function fetchIssueComments(
  { client }: Source,
  ref: RemoteRef,
  signal: AbortSignal,
): Promise<WireComment[]> {
  const found = new Map<number, WireComment>();
  for (let page: number | null = 1; page !== null; ) {
    const { data, links } = await client({
      method: 'GET',
      path: '/repos/{owner}/{repo}/issues/{issue_number}/comments',
      params: { ...issueParams(ref), per_page: PAGE_SIZE, page },
      signal,
      what: `the comments of ${ref}`,
    });
    for (const comment of readComments(data)) found.set(comment.id, comment);
    page = pageAfter(links, page);
  }
  return inOrder([...found.values()]);
}

/** Null also for a link that leads back: no page is read twice. */
function pageAfter({ next }: Links, page: number): number | null {
  return next && 'page' in next && next.page > page ? next.page : null;
}

export function inOrder(comments: readonly WireComment[]): WireComment[] {
  return [...comments].sort((a, b) => a.created_at - b.created_at || a.id - b.id);
}

/** What blocks the issue; null where the server has no dependencies, or says nothing of them. */
export async function fetchBlockers(
  source: Source,
  ref: RemoteRef,
  issue: WireIssue,
  signal: AbortSignal,
): Promise<WireIssue[] | null> {
  const { config, client } = source;
  const summary = issue.issue_dependencies_summary;
  if (!summary || (config.fields !== null && !config.fields.includes('blocked_by'))) return null;
  if (summary.total_blocked_by === 0) return [];
  const blockers: WireIssue[] = [];
  for (let page: number | null = 1; page !== null; ) {
    const answer: ApiAnswer | null = await client({
      method: 'GET',
      path: '/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by',
      params: { ...issueParams(ref), per_page: PAGE_SIZE, page },
      signal,
      what: `the dependencies of ${ref}`,
    }).catch(nullIfGone);
    if (!answer) return null;
    blockers.push(...readIssues(answer.data));
    page = pageAfter(answer.links, page);
  }
  return blockers;
}

/** For a `catch`: null when it is gone. */
export function nullIfGone(error: unknown): null {
  if (error instanceof RoomError && error.code === 'gone') return null;
  throw error;
}

/** The repository's name today. @throws RoomError `not_found` */
export async function fetchFullName(
  { client }: Source,
  repository: { owner: string; repo: string },
  signal: AbortSignal,
): Promise<string> {
  const { owner, repo } = repository;
  const what = `the repository ${owner}/${repo}`;
  const ask = {
    method: 'GET',
    path: '/repos/{owner}/{repo}',
    params: { owner, repo },
    signal,
    what,
  } as const;
  return readFullName((await client({ ...ask, absent: 'not_found' })).data).full_name;
}
