// Every GraphQL document this provider sends. Each asks for what is read and nothing more, so that a page of 50 issues
// stays below the 10,000 points Linear lets one query have; a trimmed source leaves parts out.
import type { Field } from '../../core/chore/chore.ts';

/** Issues of a page. */
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

/** The documents for a source that asks for these fields. */
export function createDocuments(fields: ReadonlySet<Field>) {
  const parts = selectParts((field, text) => (fields.has(field) ? text : ''));
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
    ...documentsForListing(parts, fields.has('comments')),
    ...documentsForReading(parts),
    ...documentsForWriting(parts),
  };
}

interface Parts {
  /** What shows that an issue is no longer what was read, though its time is the same. */
  gist: string;
  issue: string;
  /** All labels and relations, of which only the first come with an issue. */
  links: string;
}

/** @param has gives the text for a field the source asks for, and nothing for any other */
function selectParts(has: (field: Field, text: string) => string): Parts {
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
  return { gist, issue, links };
}

function documentsForListing({ gist, issue }: Parts, hasComments: boolean) {
  const newest = 'first: 50, orderBy: updatedAt';
  const comments = `comments(filter: $comments, ${newest}) { nodes { ${COMMENT_GIST} } pageInfo { hasNextPage } }`;
  return {
    /** What happened last, newest first. */
    poll: `query Poll($teams: TeamFilter, $issues: IssueFilter${hasComments ? ', $comments: CommentFilter' : ''}) {
      ${TEAM}
      issues(filter: $issues, ${newest}, includeArchived: true) { nodes { ${gist} } pageInfo { hasNextPage } }
      ${hasComments ? comments : ''}
    }`,
    /** The oldest that fit, newest of them first. */
    issues: `query Issues($filter: IssueFilter, $page: Int, $archived: Boolean) {
      issues(filter: $filter, last: $page, orderBy: updatedAt, includeArchived: $archived) {
        nodes { ${issue} } pageInfo { hasPreviousPage }
      }
    }`,
    /** The oldest that fit, newest of them first. */
    changedComments: `query ChangedComments($filter: CommentFilter) {
      comments(filter: $filter, last: ${PAGE}, orderBy: updatedAt) {
        nodes { ${COMMENT_GIST} } pageInfo { hasPreviousPage }
      }
    }`,
  };
}

function documentsForReading({ issue, links }: Parts) {
  return {
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

function documentsForWriting({ issue }: Parts) {
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
