// One opened source: what its parts share, and the readings of single issues, each with all that belongs to it.
import type { Field } from '../../core/chore/fields.ts';
import { isRoomError, nullIf, RoomError } from '../../core/errors.ts';
import type { RemoteRef, RemoteTask, SourceConfig } from '../provider.ts';
import { DEFAULT_WAIT_MS, isSameName } from '../tracker-rules.ts';
import { SCOPES, statusOf } from './api-errors.ts';
import type { ApiRequest, Client, GraphqlRequest, Links, Params } from './client.ts';
import { isOf, parseRef, readOptions, repositoryOf } from './options.ts';
import { type Card, fetchCard } from './project.ts';
import type { WireComment, WireIssue } from './response-shapes.ts';
import {
  readComments,
  readErrors,
  readFullName,
  readIssue,
  readIssues,
  readLogin,
  readSlug,
  readViewer,
} from './response-shapes.ts';
import { toRemoteTask } from './to-remote-task.ts';

export const PAGE_SIZE = 100;
export const REPOSITORY = '/repos/{owner}/{repo}';
export const ISSUE = '/repos/{owner}/{repo}/issues/{issue_number}';

/** What one call of the contract is made with: the source, and the signal that stops the call. */
export type Source = ReturnType<ReturnType<typeof createSource>>;

export function createSource(
  client: Client,
  config: SourceConfig,
  { fingerprint, app }: { fingerprint: string; app: boolean },
) {
  let login: string | null = null;
  const [owner, repo] = config.source.split('/') as [string, string];
  return (signal: AbortSignal) => {
    const ask = (
      route: ApiRequest['route'],
      what: string,
      params: Params,
      more: Pick<ApiRequest, 'absent' | 'etag' | 'reading'> = {},
    ) => client.ask({ route, what, params, signal, ...more });
    return {
      ask,
      graphql: (...request: GraphqlRequest) => askGraphql(ask, config, ...request),
      /** The end of a text that the API only leads to. @throws RoomError */
      download: (route: ApiRequest['route'], what: string, params: Params) =>
        client.download({ route, what, params, signal }),
      config,
      options: readOptions(config),
      repository: { owner, repo },
      fingerprint,
      signal,
      asks: (field: Field) => config.fields === null || config.fields.includes(field),
      /** The ref of an issue, as the chore spells its repository. */
      refOf: (number: number): RemoteRef => `${config.source}#${number}`,
      /** The credentials' own account; asked for once. */
      async login(): Promise<string> {
        // An installation can't ask who it is; the app it belongs to can.
        login ??= app
          ? `${readSlug((await ask('GET /app', 'the app', {}, NOT_FOUND)).data).slug}[bot]`
          : await fetchLogin(ask, config);
        return login;
      },
      /** Takes the login from a cursor that these credentials made. */
      rememberLogin(known: string): void {
        login ??= known;
      },
    };
  };
}

/** A server of one's own has GraphQL beside its REST API, and not below it. */
export function graphqlRoute({ url }: SourceConfig): ApiRequest['route'] {
  const api = (url ?? '').replace(/\/+$/, '');
  return api.endsWith('/api/v3') ? `POST ${api.slice(0, -'/v3'.length)}/graphql` : 'POST /graphql';
}

/** The whole answer, in which null is what is not there. @throws RoomError */
async function askGraphql(
  ask: Source['ask'],
  config: SourceConfig,
  ...[what, query, variables, needed, scope]: GraphqlRequest
): Promise<unknown> {
  const more = { ...NOT_FOUND, reading: query.startsWith('query') };
  const { data, scopes } = await ask(graphqlRoute(config), what, { query, variables }, more);
  const { errors } = readErrors(data);
  if (scope && scopes?.includes(scope) === false)
    errors.push({ type: 'INSUFFICIENT_SCOPES', message: `the token has only ${scopes.join(', ')}` });
  const { type, message } = errors.find((error) => error.type !== 'NOT_FOUND') ?? {};
  if (message === undefined) return data;
  const words = `GitHub does not answer for ${what}: ${message.slice(0, 300)}`;
  if (type === 'RATE_LIMITED') throw new RoomError('rate_limited', words, { retryAfterMs: DEFAULT_WAIT_MS });
  if (type !== 'INSUFFICIENT_SCOPES' && type !== 'FORBIDDEN') throw new RoomError('refused', words);
  throw new RoomError('unauthorized', words, { hint: `Give the credentials ${needed}.` });
}

export const NOT_FOUND = { absent: 'not_found' } as const;

async function fetchLogin(ask: Source['ask'], config: SourceConfig): Promise<string> {
  const what = 'the account of the token';
  try {
    return readLogin((await ask('GET /user', what, {}, NOT_FOUND)).data).login;
  } catch (error) {
    if (!isRoomError(error, 'unauthorized') || statusOf(error.cause) !== 403) throw error;
    // A workflow's token may not ask that way.
    const query = { query: '{ viewer { login } }' };
    const answer = await ask(graphqlRoute(config), what, query, NOT_FOUND).catch(() => null);
    if (answer === null) throw error;
    return readViewer(answer.data).data.viewer.login;
  }
}

/** Route parameters of an issue. @throws RoomError `bad_input` */
export function issueParams(ref: RemoteRef) {
  const name = parseRef(ref);
  if (name) return { owner: name.owner, repo: name.repo, issue_number: name.number };
  const hint = 'An issue is named owner/repository#number.';
  throw new RoomError('bad_input', `${JSON.stringify(ref)} is not a GitHub issue`, { hint });
}

export async function fetchIssuePage(source: Source, query: Params, etag: string | null = null) {
  const params = { ...source.repository, per_page: PAGE_SIZE, ...query };
  const what = `the issues of ${source.config.source}`;
  const { data, ...rest } = await source.ask(`GET ${REPOSITORY}/issues`, what, params, {
    ...NOT_FOUND,
    etag,
  });
  return { ...rest, items: rest.unchanged ? [] : readIssues(data) };
}

/** One page of all comments in the source. @throws RoomError `not_found` where the server has no such list */
export async function fetchCommentPage(source: Source, query: Params, etag: string | null = null) {
  const params = { ...source.repository, per_page: PAGE_SIZE, sort: 'updated', ...query };
  const what = `the comments of ${source.config.source}`;
  const route = `GET ${REPOSITORY}/issues/comments` as const;
  const { data, ...rest } = await source.ask(route, what, params, { ...NOT_FOUND, etag });
  return { ...rest, items: rest.unchanged ? [] : readComments(data) };
}

/** All pages of a list that belongs to one issue or pull request. @throws RoomError `gone` */
export async function* pagesOf(source: Source, route: `GET ${string}`, what: string, about: Params) {
  for (let page: number | null = 1; page !== null; ) {
    const params = { ...about, per_page: PAGE_SIZE, page };
    const answer: { data: unknown; links: Links } = await source.ask(route, what, params);
    yield answer.data;
    const { next } = answer.links;
    // Not for a link that leads back: no page is read twice.
    page = next && 'page' in next && next.page > page ? next.page : null;
  }
}

/** All comments of one issue, oldest first. @throws RoomError `gone` */
export async function fetchIssueComments(source: Source, ref: RemoteRef): Promise<WireComment[]> {
  const found = new Map<number, WireComment>();
  for await (const data of pagesOf(
    source,
    `GET ${ISSUE}/comments`,
    `the comments of ${ref}`,
    issueParams(ref),
  ))
    for (const comment of readComments(data)) found.set(comment.id, comment);
  return inOrder([...found.values()]);
}

export const inOrder = (comments: readonly WireComment[]): WireComment[] =>
  comments.toSorted((a, b) => a.created_at - b.created_at || a.id - b.id);

/** What blocks the issue; null where the server has no dependencies, or says nothing of them. */
export async function fetchBlockers(
  source: Source,
  ref: RemoteRef,
  { issue_dependencies_summary: summary }: WireIssue,
): Promise<WireIssue[] | null> {
  if (!summary || !source.asks('blocked_by')) return null;
  if (summary.total_blocked_by === 0) return [];
  const blockers: WireIssue[] = [];
  const what = `the dependencies of ${ref}`;
  try {
    for await (const data of pagesOf(source, `GET ${ISSUE}/dependencies/blocked_by`, what, issueParams(ref)))
      blockers.push(...readIssues(data));
    return blockers;
  } catch (error) {
    return nullIfGone(error);
  }
}

/** For a `catch`: null when it is gone. */
export const nullIfGone = nullIf('gone');

/** The repository's name today. @throws RoomError `not_found` */
async function fetchFullName(source: Source, { owner, repo }: Source['repository']): Promise<string> {
  const what = `the repository ${owner}/${repo}`;
  return readFullName((await source.ask(`GET ${REPOSITORY}`, what, { owner, repo }, NOT_FOUND)).data)
    .full_name;
}

/** The issue by itself. @throws RoomError `gone` when it was deleted, converted or transferred */
export async function fetchIssue(source: Source, ref: RemoteRef): Promise<WireIssue> {
  const params = issueParams(ref);
  const issue = readIssue((await source.ask(`GET ${ISSUE}`, ref, params)).data);
  if (!(await isRemote(source, params, issue))) return issue;
  throw new RoomError('gone', `${ref} was transferred to ${issue.html_url ?? 'another repository'}`);
}

// A transferred issue answers from its new place; so does every issue of a repository that was renamed.
async function isRemote(source: Source, asked: ReturnType<typeof issueParams>, issue: WireIssue) {
  if (issue.number !== asked.issue_number) return true;
  const repository = repositoryOf(issue.repository_url ?? '');
  if (repository === null || isSameName(repository, `${asked.owner}/${asked.repo}`)) return false;
  return !isSameName(repository, await fetchFullName(source, asked));
}

/** An issue that is there already, with its comments and blockers. */
export async function completeTask(
  source: Source,
  ref: RemoteRef,
  issue: WireIssue,
  card?: Card | null,
): Promise<RemoteTask> {
  const complete = source.asks('comments');
  const comments = complete && issue.comments !== 0 ? await fetchIssueComments(source, ref) : [];
  return toTask(source, ref, issue, await fetchBlockers(source, ref, issue), { comments, complete }, card);
}

/** The issue as the contract has it. @param blockers null: not asked for. @param card absent: it is asked for */
export const toTask = async (
  source: Source,
  ref: RemoteRef,
  issue: WireIssue,
  blockers: readonly WireIssue[] | null = null,
  gathered: { comments: readonly WireComment[]; complete: boolean } = { comments: [], complete: false },
  card?: Card | null,
): Promise<RemoteTask> =>
  toRemoteTask(issue, {
    source,
    login: await source.login(),
    card: card === undefined ? await fetchCard(source, issue) : card,
    ref,
    blockers,
    ...gathered,
  });

/** GitHub answers 404 for what was deleted, for what may not be written and for a repository that can't be seen. Told
 * apart here, so that nothing is taken for gone that is only out of reach: `not_found` the repository, `refused` the write. */
export function explained<Rest extends unknown[], Answer>(
  act: (source: Source, ref: RemoteRef, ...rest: Rest) => Promise<Answer>,
) {
  return async (source: Source, ref: RemoteRef, ...rest: Rest): Promise<Answer> => {
    try {
      return await act(source, ref, ...rest);
    } catch (error) {
      if (!isRoomError(error, 'gone')) throw error;
      await fetchFullName(source, issueParams(ref));
      const { request } = (error.cause ?? {}) as { request?: { method?: string } };
      const isWrite = request !== undefined && request.method !== 'GET';
      if (!isWrite || !(await fetchIssue(source, ref).catch(nullIfGone))) throw error;
      const hint = `Give the credentials ${SCOPES}.`;
      throw new RoomError('refused', `GitHub does not allow to write to ${ref}`, { cause: error, hint });
    }
  };
}

export async function getIssues(source: Source, refs: readonly RemoteRef[]) {
  for (const ref of refs) issueParams(ref);
  const found = new Map<RemoteRef, RemoteTask>();
  let isSourceSeen = false;
  for (const ref of refs) {
    const isOwn = isOf(ref, source.config.source);
    // A webhook spells the repository as GitHub does.
    const spelt = isOwn ? source.refOf(issueParams(ref).issue_number) : ref;
    const issue = await fetchIssue(source, ref).catch(nullIfGone);
    const task = issue && (await completeTask(source, spelt, issue).catch(nullIfGone));
    if (task) found.set(ref, task);
    if (task || isSourceSeen || !isOwn) continue;
    // A token that lost its access sees no issue either, and none of them is gone.
    await fetchFullName(source, issueParams(ref));
    isSourceSeen = true;
  }
  return found;
}
