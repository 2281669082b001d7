// Comments written and edited: once for each key, and only our own.
import { RoomError } from '../../core/errors.ts';
import type { Attempt, RemoteComment, RemoteRef } from '../provider.ts';
import { readComment } from './api/response-shapes.ts';
import { fetchIssueComments, issueParams, type Source } from './api/source.ts';
import { splitMarker, withMarker } from './marker.ts';
import { assertText } from './profile.ts';
import { isMine, toRemoteComment } from './to-remote-task.ts';

/** The contract's `add`. */
export async function addComment(
  source: Source,
  ref: RemoteRef,
  body: string,
  { key, tries }: Attempt,
  signal: AbortSignal,
): Promise<RemoteComment> {
  assertText('comment', body);
  const params = { ...issueParams(ref), body: withMarker(body, key) };
  const login = await source.login(signal);
  if (tries > 0) {
    const comments = await fetchIssueComments(source, ref, signal);
    const earlier = comments.find(
      (one) => isMine(one.user, login) && splitMarker(one.body ?? '').key === key,
    );
    if (earlier) return toRemoteComment(earlier, login);
  }
  const path = '/repos/{owner}/{repo}/issues/{issue_number}/comments';
  const { data } = await source.client({ method: 'POST', path, params, signal, what: `a comment on ${ref}` });
  return toRemoteComment(readComment(data), login);
}

/** The contract's `edit`. The marker stays, so that a try again still finds it. */
export async function editComment(
  source: Source,
  ref: RemoteRef,
  id: string,
  body: string,
  signal: AbortSignal,
): Promise<RemoteComment> {
  assertText('comment', body);
  const { owner, repo } = issueParams(ref);
  if (!/^\d{1,16}$/.test(id))
    throw new RoomError('bad_input', `${JSON.stringify(id)} is not a GitHub comment`);
  const login = await source.login(signal);
  const path = '/repos/{owner}/{repo}/issues/comments/{comment_id}';
  const params = { owner, repo, comment_id: Number(id) };
  const what = `comment ${id} on ${ref}`;
  const known = readComment((await source.client({ method: 'GET', path, params, signal, what })).data);
  if (!isMine(known.user, login)) throw new RoomError('refused', `${what} is not ours to edit`);
  const { key } = splitMarker(known.body ?? '');
  const marked = { ...params, body: key === null ? body : withMarker(body, key) };
  const { data } = await source.client({ method: 'PATCH', path, params: marked, signal, what });
  return toRemoteComment(readComment(data), login);
}
