// Every GraphQL document that is sent to Linear, and the shapes of the answers. Each asks for what is read and nothing more, so
// that a page of 50 issues stays below the 10,000 points Linear lets one query have; a trimmed source leaves parts out, and a
// field that it does not ask for is absent in the answer.
import type { Field } from '../../core/chore/chore.ts';

export const PAGE = 50;
const NESTED_COMMENTS = 20; // Comments that come with their issue; more are fetched page by page.
const USER = 'id name displayName email isMe owner admin guest app';
const COMMENT = `id body createdAt updatedAt user { ${USER} } botActor { name } externalUser { displayName }`;
/** Shows that a comment is no longer what was read. */
const COMMENT_GIST = 'id updatedAt body issue { id }';
const TEAM =
  'teams(filter: $teams, first: 1) { nodes { id key states(first: 100) { nodes { id name type position } } } }';
const ONWARD = 'pageInfo { hasNextPage endCursor }';
const NEWEST = 'first: 50, orderBy: updatedAt';

const ofIssue = (name: string, fields: string, more = '') =>
  `query ${name}($id: String!${more}) { issue(id: $id) { ${fields} } }`;
const creation = (type: 'Issue' | 'Comment' | 'IssueLabel' | 'IssueRelation', fields: string) => {
  const name = type[0]!.toLowerCase() + type.slice(1);
  return `mutation ${type}Create($input: ${type}CreateInput!) { ${name}Create(input: $input) { ${fields} } }`;
};
const update = (type: 'Issue' | 'Comment', name: string, fields: string) =>
  `mutation ${type}Update($id: String!, $input: ${type}UpdateInput!) {
    ${name}Update(id: $id, input: $input) { ${name} { ${fields} } }
  }`;

/** The documents for a source that asks for these fields. In them: `gist` shows that an issue is no longer what was read,
 * though its time is the same; `links` are all labels and relations, of which only the first come with an issue.
 * @param isApp the token is an app's, which issues are delegated to */
export function createDocuments(fields: ReadonlySet<Field>, isApp = false) {
  const has = (field: Field, text: string) => (fields.has(field) ? text : '');
  const gist = `id updatedAt title ${has('body', 'description')} state { name type }
    ${has('priority', 'priority')} ${has('due', 'dueDate')} ${has('assignees', 'assignee { id }')}
    ${has('labels', 'labels(first: 20) { nodes { id name } pageInfo { hasNextPage } }')}
    ${has('parent', 'parent { identifier }')}`;
  const related = 'nodes { id type issue { identifier state { type } } } pageInfo { hasNextPage }';
  const relations = (page: number) => has('blocked_by', `inverseRelations(first: ${page}) { ${related} }`);
  const issue = `${gist} identifier url createdAt trashed
    creator { ${USER} } botActor { name } externalUserCreator { displayName }
    ${has('assignees', 'assignee { name displayName email isMe }')} ${isApp ? 'delegate { isMe }' : ''}
    ${relations(10)}
    ${has('comments', `comments(first: ${NESTED_COMMENTS}) { nodes { ${COMMENT} } ${ONWARD} }`)}`;
  const links = `${has('labels', 'labels(first: 250) { nodes { id name } }')} ${relations(250)}`;
  const newComments = `comments(filter: $comments, ${NEWEST}) { nodes { ${COMMENT_GIST} } pageInfo { hasNextPage } }`;
  return {
    ...COMMON_DOCUMENTS,
    /** What happened last, newest first. */
    poll: `query Poll($teams: TeamFilter, $issues: IssueFilter${has('comments', ', $comments: CommentFilter')}) {
      ${TEAM}
      issues(filter: $issues, ${NEWEST}, includeArchived: true) { nodes { ${gist} } pageInfo { hasNextPage } }
      ${has('comments', newComments)}
    }`,
    /** The oldest that fit, newest of them first; so are the changed comments. */
    issues: `query Issues($filter: IssueFilter, $page: Int, $archived: Boolean) {
      issues(filter: $filter, last: $page, orderBy: updatedAt, includeArchived: $archived) {
        nodes { ${issue} } pageInfo { hasPreviousPage }
      }
    }`,
    issue: ofIssue('Issue', issue),
    links: ofIssue('Links', `id ${links}`),
    issueCreate: creation('Issue', `issue { ${issue} }`),
    issueUpdate: update('Issue', 'issue', issue),
  };
}

/** Those that are the same for every source. */
const COMMON_DOCUMENTS = {
  changedComments: `query ChangedComments($filter: CommentFilter) {
    comments(filter: $filter, last: ${PAGE}, orderBy: updatedAt) {
      nodes { ${COMMENT_GIST} } pageInfo { hasPreviousPage }
    }
  }`,
  team: `query Team($teams: TeamFilter) { ${TEAM} }`,
  labels: `query Labels($filter: IssueLabelFilter, $after: String) {
    issueLabels(filter: $filter, first: 250, after: $after) {
      nodes { id name isGroup team { id } } ${ONWARD}
    }
  }`,
  users: `query Users($filter: UserFilter, $after: String) {
    users(filter: $filter, first: 250, after: $after) { nodes { ${USER} } ${ONWARD} }
  }`,
  acts: ofIssue(
    'Acts',
    `history(first: 50, orderBy: updatedAt) {
      nodes {
        updatedAt fromTitle updatedDescription fromState { type } toState { type }
        actor { ${USER} } descriptionUpdatedBy { ${USER} } botActor { name }
      }
    }`,
  ),
  presence: ofIssue('Presence', 'id trashed'),
  moreComments: ofIssue(
    'MoreComments',
    `comments(first: 100, after: $after) { nodes { ${COMMENT} } ${ONWARD} }`,
    ', $after: String',
  ),
  comment: `query Comments($filter: CommentFilter) { comments(filter: $filter, first: 1) { nodes { ${COMMENT} } } }`,
  commentCreate: creation('Comment', `comment { ${COMMENT} }`),
  commentUpdate: update('Comment', 'comment', COMMENT),
  labelCreate: creation('IssueLabel', 'issueLabel { id name }'),
  relationCreate: creation('IssueRelation', 'success'),
  sessions: `query Sessions($after: String) {
    agentSessions(first: ${PAGE}, after: $after, orderBy: updatedAt) {
      nodes {
        id createdAt updatedAt status appUser { isMe } creator { ${USER} } issue { id }
        activities(first: 10, filter: { type: { eq: "prompt" } }) {
          nodes {
            id createdAt signal sourceComment { id } user { ${USER} }
            content { ... on AgentActivityPromptContent { body } }
          }
        }
      } ${ONWARD}
    }
  }`,
  activity: 'query Activity($id: String!) { agentActivity(id: $id) { id createdAt } }',
  activityCreate: `mutation ActivityCreate($input: AgentActivityCreateInput!) {
    agentActivityCreate(input: $input) { agentActivity { id createdAt } }
  }`,
  sessionUpdate: `mutation SessionUpdate($id: String!, $input: AgentSessionUpdateInput!) {
    agentSessionUpdate(id: $id, input: $input) { success }
  }`,
  relationDelete: 'mutation RelationDelete($id: String!) { issueRelationDelete(id: $id) { success } }',
};

type Texts<Name extends string> = Record<Name, string>;
type Bot = { name: string | null } | null;
type External = { displayName: string } | null;
type StateType = { type: string };

export type UserAnswer = Texts<'id' | 'name' | 'displayName' | 'email'> &
  Record<'isMe' | 'owner' | 'admin' | 'guest' | 'app', boolean>;

export type Listed<T> = { nodes: T[]; pageInfo: { hasNextPage: boolean; endCursor?: string | null } };
/** Of a list whose rest is asked for as a whole. */
type FirstOf<T> = Pick<Listed<T>, 'nodes'> & Partial<Listed<T>>;

/** The oldest of a list, newest of them first. */
export type OldestPage<T> = { nodes: T[]; pageInfo: { hasPreviousPage: boolean } };

export interface CommentAnswer extends Texts<'id' | 'body' | 'createdAt' | 'updatedAt'> {
  user: UserAnswer | null;
  botActor: Bot;
  externalUser: External;
}

/** What a poll says of an issue. */
export interface GistAnswer extends Texts<'id' | 'updatedAt' | 'title'> {
  description?: string | null;
  state: { name: string } & StateType;
  priority?: number;
  dueDate?: string | null;
  assignee?: { id: string } | null;
  labels?: FirstOf<{ id: string; name: string }>;
  parent?: { identifier: string } | null;
}

export interface IssueAnswer extends GistAnswer, Texts<'identifier' | 'url' | 'createdAt'> {
  trashed: boolean | null;
  creator: UserAnswer | null;
  botActor: Bot;
  externalUserCreator: External;
  assignee?: Pick<UserAnswer, 'id' | 'name' | 'displayName' | 'email' | 'isMe'> | null;
  delegate?: { isMe: boolean } | null;
  inverseRelations?: FirstOf<{ id: string; type: string; issue: { identifier: string; state: StateType } }>;
  comments?: Listed<CommentAnswer>;
}

export interface HistoryAnswer {
  updatedAt: string;
  fromTitle: string | null;
  updatedDescription: boolean | null;
  fromState: StateType | null;
  toState: StateType | null;
  actor: UserAnswer | null;
  descriptionUpdatedBy: UserAnswer[] | null;
  botActor: Bot;
}

export type ChangedComment = Texts<'id' | 'updatedAt' | 'body'> & { issue: { id: string } | null };
export type StateAnswer = Texts<'id' | 'name' | 'type'> & { position: number };
export type TeamAnswer = Texts<'id' | 'key'> & { states: { nodes: StateAnswer[] } };

export interface SessionAnswer extends Texts<'id' | 'createdAt' | 'updatedAt' | 'status'> {
  appUser: { isMe: boolean };
  creator: UserAnswer | null;
  issue: { id: string } | null;
  activities: { nodes: PromptAnswer[] };
}

export interface PromptAnswer extends Texts<'id' | 'createdAt'> {
  signal: string | null;
  sourceComment: { id: string } | null;
  user: UserAnswer;
  content: { body?: string };
}
