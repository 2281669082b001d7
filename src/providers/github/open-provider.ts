// Opens a GitHub source as the contract's Provider. Only GraphQL tells who did what to an issue.
import { FIELDS, type Field } from '../../core/chore/fields.ts';
import { nullIf } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import type { Provider, RemoteAct, RemoteTask, SourceConfig } from '../provider.ts';
import { isSameName, underSignal } from '../tracker-rules.ts';
import { SCOPES } from './api-errors.ts';
import { connect, createClient, type Pace } from './client.ts';
import { listIssues } from './listing.ts';
import type { Credentials } from './options.ts';
import { apiBase, readOptions } from './options.ts';
import {
  assertMayOpen,
  findPull,
  mergePull,
  openPull,
  readLog,
  readPullWithNews,
  replyToRemark,
} from './pull-requests.ts';
import { readActs, type WireActor } from './response-shapes.ts';
import { createSource, explained, getIssues, issueParams, type Source } from './source.ts';
import { classOf, GHOST, isMine, LIMITS, normalise } from './to-remote-task.ts';
import { addComment, createIssue, editComment, updateIssue } from './write-issues.ts';

const HAS_NONE_OF: readonly Field[] = ['priority', 'due'];

export async function openProvider(
  config: SourceConfig,
  credentials: Credentials,
  effects: Effects,
  pace: Partial<Pace>,
): Promise<Provider> {
  const place = { api: apiBase(config), source: config.source };
  const connection = await connect(credentials, place, effects, pace);
  const bound = underSignal(createSource(createClient(connection), config, connection));
  const options = readOptions(config);
  const isAsked = (field: Field) => config.fields === null || config.fields.includes(field);
  return {
    name: 'github',
    profile: {
      limits: LIMITS,
      writable: FIELDS.filter((field) => isAsked(field) && !HAS_NONE_OF.includes(field)),
      normalise,
      classOf: (status) => classOf(status, options),
      ownStatuses: Object.keys(options.own),
      trustedRoles: ['owner', 'member', 'collaborator'],
      remote: true,
    },
    list: bound(listIssues),
    get: bound(getIssues),
    acts: bound(fetchActs),
    write: { create: bound(createIssue), update: bound(explained(updateIssue)) },
    ...(isAsked('comments')
      ? { comment: { add: bound(explained(addComment)), edit: bound(explained(editComment)) } }
      : {}),
    pullRequest: {
      find: bound(findPull),
      assertMayOpen: bound(assertMayOpen),
      open: bound(openPull),
      read: bound(readPullWithNews),
      merge: bound(mergePull),
      readLog: bound(readLog),
      reply: bound(replyToRemark),
    },
    usage: connection.usage,
    close: async () => {},
  };
}

const ACTOR = '{ __typename login }';
const ACTS = `lastEditedAt editor ${ACTOR}
  userContentEdits(first: 100) { nodes { editedAt editor ${ACTOR} } }
  timelineItems(since: $since, last: 100, itemTypes: [RENAMED_TITLE_EVENT, REOPENED_EVENT]) { nodes {
    __typename ... on RenamedTitleEvent { createdAt actor ${ACTOR} } ... on ReopenedEvent { createdAt actor ${ACTOR} }
  } }`;
const QUERY = `query($owner: String!, $repo: String!, $number: Int!, $since: DateTime!) {
  repository(owner: $owner, name: $repo) { issueOrPullRequest(number: $number) {
    ... on Issue { ${ACTS} } ... on PullRequest { ${ACTS} }
  } }
}`;

const OTHERS_ROLE = 'collaborator'; // Who may edit or reopen what others opened can triage at least.

async function fetchActs(source: Source, issue: RemoteTask, since: number): Promise<RemoteAct[] | null> {
  const { owner, repo, issue_number: number } = issueParams(issue.ref);
  const variables = { owner, repo, number, since: new Date(since).toISOString() };
  const what = `the history of ${issue.ref}`;
  // A server without GraphQL, or credentials that may not use it, tell nothing.
  const answer = await source
    .graphql(what, QUERY, variables, SCOPES)
    .catch(nullIf('not_found', 'refused', 'unauthorized'));
  const acts = answer === null ? null : readActs(answer).data?.repository?.issueOrPullRequest;
  if (!acts) return null;
  const login = await source.login();
  const by = (what: RemoteAct['what'], actor: WireActor): RemoteAct => {
    const author = actor === null ? GHOST : nameOf(actor);
    const role = isSameName(author, issue.author) ? issue.role : actor === null ? null : OTHERS_ROLE;
    return { what, author, role, mine: isMine({ login: author }, login) };
  };
  const isMoved = Object.keys(source.options.projectStatuses).length > 0;
  const isOpenedAgain = acts.timelineItems.nodes.some(({ __typename }) => __typename === 'ReopenedEvent');
  // GitHub does not tell who moved a card: it takes somebody who may write to the project.
  const mover = { author: 'somebody in the project', role: OTHERS_ROLE, mine: false };
  const edits = [{ editedAt: acts.lastEditedAt, editor: acts.editor }, ...acts.userContentEdits.nodes];
  return [
    ...(isMoved && !isOpenedAgain ? [{ what: 'reopened' as const, ...mover }] : []),
    ...edits
      .filter(({ editedAt }) => editedAt !== null && editedAt > since)
      .map(({ editor }) => by('edited', editor)),
    ...acts.timelineItems.nodes
      .filter(({ createdAt }) => createdAt > since)
      .map(({ __typename, actor }) => by(__typename === 'ReopenedEvent' ? 'reopened' : 'edited', actor)),
  ];
}

/** REST calls a bot by another name. */
const nameOf = ({ __typename, login }: NonNullable<WireActor>): string =>
  __typename === 'Bot' && !login.endsWith('[bot]') ? `${login}[bot]` : login;
