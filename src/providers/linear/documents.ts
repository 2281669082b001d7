// Every GraphQL document this provider sends, and the shapes of the answers. Each asks for what is read and nothing more, so
// that a page of 50 issues stays below the 10,000 points Linear lets one query have; a trimmed source leaves parts out, and a
// field that it does not ask for is absent in the answer.
import type { Field } from '../../core/chore/chore.ts';

export const PAGE = 50;
/** Comments that come with their issue; more are fetched page by page. */
const NESTED_COMMENTS = 20;

const USER = 'id name displayName email isMe owner admin guest app';
const COMMENT = `id body createdAt updatedAt user { ${USER} } botActor { name } externalUser { displayName }`;
/** What shows that a comment is no longer what was read. */
const COMMENT_GIST = 'id updatedAt body issue { id }';
const TEAM =
  'teams(filter: $teams, first: 1) { nodes { id key states(first: 100) { nodes { id name type position } } } }';
const ONWARD = 'pageInfo { hasNextPage endCursor }';

/**
 * The documents for a source that asks for these fields. In them: `gist` shows that an issue is no longer what was read,
 * though its time is the same; `links` are all labels and relations, of which only the first come with an issue.
 */
export function createDocuments(fields: ReadonlySet<Field>) {
  const has = (field: Field, text: string) => (fields.has(field) ? text : '');
  const gist = `id updatedAt title ${has('body', 'description')} state { name type }
    ${has('priority', 'priority')} ${has('due', 'dueDate')} ${has('assignees', 'assignee { id }')}
    ${has('labels', 'labels(first: 20) { nodes { id name } pageInfo { hasNextPage } }')}
    ${has('parent', 'parent { identifier }')}`;
  const relations = (page: number) =>
    has(
      'blocked_by',
      `inverseRelations(first: ${page}) {
        nodes { id type issue { identifier state { type } } } pageInfo { hasNextPage }
      }`,
    );
  const issue = `${gist} identifier url createdAt trashed
    creator { ${USER} } botActor { name } externalUserCreator { displayName }
    ${has('assignees', 'assignee { name displayName email isMe }')}
    ${relations(10)}
    ${has('comments', `comments(first: ${NESTED_COMMENTS}) { nodes { ${COMMENT} } ${ONWARD} }`)}`;
  const links = `${has('labels', 'labels(first: 250) { nodes { id name } }')} ${relations(250)}`;
  return {
    ...documentsForListing(gist, issue, fields.has('comments')),
    ...documentsForReading(issue, links),
    ...documentsForWriting(issue),
  };
}

function documentsForListing(gist: string, issue: string, hasComments: boolean) {
  const newest = 'first: 50, orderBy: updatedAt';
  const comments = `comments(filter: $comments, ${newest}) { nodes { ${COMMENT_GIST} } pageInfo { hasNextPage } }`;
  return {
    /** What happened last, newest first. */
    poll: `query Poll($teams: TeamFilter, $issues: IssueFilter${hasComments ? ', $comments: CommentFilter' : ''}) {
      ${TEAM}
      issues(filter: $issues, ${newest}, includeArchived: true) { nodes { ${gist} } pageInfo { hasNextPage } }
      ${hasComments ? comments : ''}
    }`,
    /** The oldest that fit, newest of them first; so are the changed comments. */
    issues: `query Issues($filter: IssueFilter, $page: Int, $archived: Boolean) {
      issues(filter: $filter, last: $page, orderBy: updatedAt, includeArchived: $archived) {
        nodes { ${issue} } pageInfo { hasPreviousPage }
      }
    }`,
    changedComments: `query ChangedComments($filter: CommentFilter) {
      comments(filter: $filter, last: ${PAGE}, orderBy: updatedAt) {
        nodes { ${COMMENT_GIST} } pageInfo { hasPreviousPage }
      }
    }`,
  };
}

function documentsForReading(issue: string, links: string) {
  return {
    team: `query Team($teams: TeamFilter) { ${TEAM} }`,
    labels: `query Labels($filter: IssueLabelFilter, $after: String) {
      issueLabels(filter: $filter, first: 250, after: $after) {
        nodes { id name isGroup team { id } } ${ONWARD}
      }
    }`,
    users: `query Users($filter: UserFilter, $after: String) {
      users(filter: $filter, first: 250, after: $after) { nodes { ${USER} } ${ONWARD} }
    }`,
    issue: `query Issue($id: String!) { issue(id: $id) { ${issue} } }`,
    acts: `query Acts($id: String!) {
      issue(id: $id) {
        history(first: 50, orderBy: updatedAt) {
          nodes {
            updatedAt fromTitle updatedDescription fromState { type } toState { type }
            actor { ${USER} } descriptionUpdatedBy { ${USER} } botActor { name }
          }
        }
      }
    }`,
    presence: 'query Presence($id: String!) { issue(id: $id) { id trashed } }',
    links: `query Links($id: String!) { issue(id: $id) { id ${links} } }`,
    moreComments: `query MoreComments($id: String!, $after: String) {
      issue(id: $id) { comments(first: 100, after: $after) { nodes { ${COMMENT} } ${ONWARD} } }
    }`,
    comment: `query Comments($filter: CommentFilter) {
      comments(filter: $filter, first: 1) { nodes { ${COMMENT} } }
    }`,
  };
}

function documentsForWriting(issue: string) {
  return {
    issueCreate: `mutation IssueCreate($input: IssueCreateInput!) {
      issueCreate(input: $input) { issue { ${issue} } }
    }`,
    issueUpdate: `mutation IssueUpdate($id: String!, $input: IssueUpdateInput!) {
      issueUpdate(id: $id, input: $input) { issue { ${issue} } }
    }`,
    commentCreate: `mutation CommentCreate($input: CommentCreateInput!) {
      commentCreate(input: $input) { comment { ${COMMENT} } }
    }`,
    commentUpdate: `mutation CommentUpdate($id: String!, $input: CommentUpdateInput!) {
      commentUpdate(id: $id, input: $input) { comment { ${COMMENT} } }
    }`,
    labelCreate: `mutation LabelCreate($input: IssueLabelCreateInput!) {
      issueLabelCreate(input: $input) { issueLabel { id name } }
    }`,
    relationCreate: `mutation RelationCreate($input: IssueRelationCreateInput!) {
      issueRelationCreate(input: $input) { success }
    }`,
    relationDelete: 'mutation RelationDelete($id: String!) { issueRelationDelete(id: $id) { success } }',
  };
}

export interface UserAnswer {
  id: string;
  name: string;
  displayName: string;
  email: string;
  isMe: boolean;
  owner: boolean;
  admin: boolean;
  guest: boolean;
  app: boolean;
}

type Bot = { name: string | null } | null;
type External = { displayName: string } | null;
type StateType = { type: string };

/** A list, and where it goes on. */
export interface Listed<T> {
  nodes: T[];
  pageInfo: { hasNextPage: boolean; endCursor?: string | null };
}
/** Of a list whose rest is asked for as a whole. */
type FirstOf<T> = Pick<Listed<T>, 'nodes'> & Partial<Listed<T>>;

export interface CommentAnswer {
  id: string;
  body: string;
  createdAt: string;
  updatedAt: string;
  user: UserAnswer | null;
  botActor: Bot;
  externalUser: External;
}

/** What a poll says of an issue. */
export interface GistAnswer {
  id: string;
  updatedAt: string;
  title: string;
  description?: string | null;
  state: { name: string } & StateType;
  priority?: number;
  dueDate?: string | null;
  assignee?: { id: string } | null;
  labels?: FirstOf<{ id: string; name: string }>;
  parent?: { identifier: string } | null;
}

export interface IssueAnswer extends GistAnswer {
  identifier: string;
  url: string;
  createdAt: string;
  trashed: boolean | null;
  creator: UserAnswer | null;
  botActor: Bot;
  externalUserCreator: External;
  assignee?: Pick<UserAnswer, 'id' | 'name' | 'displayName' | 'email' | 'isMe'> | null;
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

export interface ChangedComment {
  id: string;
  updatedAt: string;
  body: string;
  issue: { id: string } | null;
}

export interface StateAnswer extends StateType {
  id: string;
  name: string;
  position: number;
}

export interface TeamAnswer {
  id: string;
  key: string;
  states: { nodes: StateAnswer[] };
}

/** The oldest of a list, newest of them first. */
export interface OldestPage<T> {
  nodes: T[];
  pageInfo: { hasPreviousPage: boolean };
}
