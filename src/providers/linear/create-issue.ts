// Making issues and comments, once for each key: the id is made of the key, so that a second try meets the first.
import { isRoomError, RoomError } from '../../core/errors.ts';
import type { Attempt, RemoteComment, RemoteDraft, RemoteRef, RemoteTask } from '../provider.ts';
import { isMissing } from './api-errors.ts';
import { uuidOfKey } from './client-ids.ts';
import { labelIds } from './directory.ts';
import { assertLength } from './limits.ts';
import type { Reader } from './read-issues.ts';
import type { CommentAnswer, IssueAnswer } from './response-shapes.ts';
import { stateFor } from './states.ts';
import { fromPriority, toRemoteComment, toRemoteTask } from './to-remote-task.ts';

/** See Provider.write. */
export async function createIssue(
  reader: Reader,
  draft: RemoteDraft,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<RemoteTask> {
  assertLength('title', draft.title);
  assertLength('body', draft.body);
  if (attempt.tries > 0) {
    const earlier = await earlierIssue(reader, attempt, signal);
    if (earlier) return toRemoteTask(earlier, reader.reading);
  }
  const team = await reader.team(signal);
  const input = {
    id: uuidOfKey(attempt.key),
    teamId: team.id,
    title: draft.title,
    description: draft.body,
    stateId: stateFor(draft.status, team.key, team.states.nodes, reader.options).id,
    labelIds: await labelIds(reader, draft.labels, signal),
    priority: fromPriority(draft.priority),
    ...(draft.due === null ? {} : { dueDate: draft.due }),
  };
  try {
    type Answer = { issueCreate: { issue: IssueAnswer } };
    const answer = await reader.ask<Answer>(reader.documents.issueCreate, { input }, signal);
    return await reader.toTask(answer.issueCreate.issue, signal);
  } catch (error) {
    if (!isRoomError(error, 'refused')) throw error;
    // Refused because it is there: a try we do not know of got through.
    const earlier = await earlierIssue(reader, attempt, signal);
    if (earlier) return toRemoteTask(earlier, reader.reading);
    if (await reader.isInTrash(uuidOfKey(attempt.key), signal)) {
      throw new RoomError('gone', 'the issue was made, and thrown away in Linear', { cause: error });
    }
    throw error;
  }
}

async function earlierIssue(
  reader: Reader,
  { key }: Attempt,
  signal: AbortSignal,
): Promise<IssueAnswer | null> {
  const found = await reader.one(uuidOfKey(key), signal);
  return found?.creator?.isMe ? found : null;
}

/** See Provider.comment. */
export async function addComment(
  reader: Reader,
  ref: RemoteRef,
  body: string,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<RemoteComment> {
  assertLength('comment', body);
  const issueId = await presentId(reader, ref, signal);
  if (attempt.tries > 0) {
    const earlier = await earlierComment(reader, attempt, signal);
    if (earlier) return toRemoteComment(earlier);
  }
  const input = { id: uuidOfKey(attempt.key), issueId, body };
  try {
    type Answer = { commentCreate: { comment: CommentAnswer } };
    const answer = await reader.ask<Answer>(reader.documents.commentCreate, { input }, signal);
    return toRemoteComment(answer.commentCreate.comment);
  } catch (error) {
    if (isMissing(error)) throw new RoomError('gone', `${ref} is not there any more`, { cause: error });
    if (!isRoomError(error, 'refused')) throw error;
    const earlier = await earlierComment(reader, attempt, signal);
    if (earlier) return toRemoteComment(earlier);
    throw error;
  }
}

/** The UUID of an issue that can be commented on: Linear would take words for what lies in its trash too. */
async function presentId(reader: Reader, ref: RemoteRef, signal: AbortSignal): Promise<string> {
  const issue = await reader.presence(ref, signal);
  if (issue && !issue.trashed) return issue.id;
  throw new RoomError('gone', `${ref} is not there any more`);
}

async function earlierComment(reader: Reader, { key }: Attempt, signal: AbortSignal) {
  type Answer = { comments: { nodes: CommentAnswer[] } };
  const filter = { id: { eq: uuidOfKey(key) } };
  const { comments } = await reader.ask<Answer>(reader.documents.comment, { filter }, signal);
  return comments.nodes.find(({ user }) => user?.isMe) ?? null;
}

/** See Provider.comment. */
export async function editComment(
  reader: Reader,
  ref: RemoteRef,
  id: string,
  body: string,
  signal: AbortSignal,
): Promise<RemoteComment> {
  assertLength('comment', body);
  try {
    type Answer = { commentUpdate: { comment: CommentAnswer | null } };
    const variables = { id, input: { body } };
    const { commentUpdate } = await reader.ask<Answer>(reader.documents.commentUpdate, variables, signal);
    if (commentUpdate.comment) return toRemoteComment(commentUpdate.comment);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  throw new RoomError('gone', `the comment on ${ref} was deleted`);
}
