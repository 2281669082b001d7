// Making issues and comments, once for each key: the id is made of the key, so that a second try meets the first.
import { isRoomError, RoomError } from '../../core/errors.ts';
import type { Attempt, RemoteComment, RemoteDraft, RemoteRef, RemoteTask } from '../provider.ts';
import { isMissing } from './api-errors.ts';
import { uuidOfKey } from './client-ids.ts';
import { labelIds } from './directory.ts';
import type { LinearApi } from './linear-api.ts';
import { assertLength } from './options.ts';
import { readIssue, readPresence, toWholeTask } from './read-issues.ts';
import type { CommentAnswer, IssueAnswer } from './response-shapes.ts';
import { stateFor } from './states.ts';
import { fromPriority, toRemoteComment, toRemoteTask } from './to-remote-task.ts';

/** See Provider.write. */
export async function createIssue(
  api: LinearApi,
  draft: RemoteDraft,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<RemoteTask> {
  assertLength('title', draft.title);
  assertLength('body', draft.body);
  if (attempt.tries > 0) {
    const earlier = await earlierIssue(api, attempt, signal);
    if (earlier) return toRemoteTask(earlier, api.reading);
  }
  const team = await api.teams.get(signal);
  const input = {
    id: uuidOfKey(attempt.key),
    teamId: team.id,
    title: draft.title,
    description: draft.body,
    stateId: stateFor(draft.status, team.key, team.states.nodes, api.reading.options).id,
    labelIds: await labelIds(api, draft.labels, signal),
    priority: fromPriority(draft.priority),
    ...(draft.due === null ? {} : { dueDate: draft.due }),
  };
  try {
    type Answer = { issueCreate: { issue: IssueAnswer } };
    const answer = await api.ask<Answer>(api.documents.issueCreate, { input }, signal);
    return await toWholeTask(api, answer.issueCreate.issue, signal);
  } catch (error) {
    if (!isRoomError(error, 'refused')) throw error;
    // Refused because it is there: a try we do not know of got through.
    const earlier = await earlierIssue(api, attempt, signal);
    if (earlier) return toRemoteTask(earlier, api.reading);
    if ((await readPresence(api, input.id, signal))?.trashed) {
      throw new RoomError('gone', 'the issue was made, and thrown away in Linear', { cause: error });
    }
    throw error;
  }
}

async function earlierIssue(
  api: LinearApi,
  { key }: Attempt,
  signal: AbortSignal,
): Promise<IssueAnswer | null> {
  const found = await readIssue(api, uuidOfKey(key), signal);
  return found?.creator?.isMe ? found : null;
}

/** See Provider.comment. */
export async function addComment(
  api: LinearApi,
  ref: RemoteRef,
  body: string,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<RemoteComment> {
  assertLength('comment', body);
  const issueId = await presentId(api, ref, signal);
  if (attempt.tries > 0) {
    const earlier = await earlierComment(api, attempt, signal);
    if (earlier) return toRemoteComment(earlier);
  }
  const input = { id: uuidOfKey(attempt.key), issueId, body };
  try {
    type Answer = { commentCreate: { comment: CommentAnswer } };
    const answer = await api.ask<Answer>(api.documents.commentCreate, { input }, signal);
    return toRemoteComment(answer.commentCreate.comment);
  } catch (error) {
    if (isMissing(error)) throw new RoomError('gone', `${ref} is not there any more`, { cause: error });
    if (!isRoomError(error, 'refused')) throw error;
    const earlier = await earlierComment(api, attempt, signal);
    if (earlier) return toRemoteComment(earlier);
    throw error;
  }
}

/** The UUID of an issue that can be commented on: Linear would take words for what lies in its trash too. */
async function presentId(api: LinearApi, ref: RemoteRef, signal: AbortSignal): Promise<string> {
  const issue = await readPresence(api, ref, signal);
  if (issue && !issue.trashed) return issue.id;
  throw new RoomError('gone', `${ref} is not there any more`);
}

async function earlierComment(api: LinearApi, { key }: Attempt, signal: AbortSignal) {
  type Answer = { comments: { nodes: CommentAnswer[] } };
  const filter = { id: { eq: uuidOfKey(key) } };
  const { comments } = await api.ask<Answer>(api.documents.comment, { filter }, signal);
  return comments.nodes.find(({ user }) => user?.isMe) ?? null;
}

/** See Provider.comment. */
export async function editComment(
  api: LinearApi,
  ref: RemoteRef,
  id: string,
  body: string,
  signal: AbortSignal,
): Promise<RemoteComment> {
  assertLength('comment', body);
  try {
    type Answer = { commentUpdate: { comment: CommentAnswer | null } };
    const variables = { id, input: { body } };
    const { commentUpdate } = await api.ask<Answer>(api.documents.commentUpdate, variables, signal);
    if (commentUpdate.comment) return toRemoteComment(commentUpdate.comment);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  throw new RoomError('gone', `the comment on ${ref} was deleted`);
}
