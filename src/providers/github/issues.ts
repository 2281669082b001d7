// Single issues, with all their comments and blockers.
import { RoomError } from '../../core/errors.ts';
import type { RemoteRef, RemoteTask } from '../provider.ts';
import { SCOPES } from './api/api-errors.ts';
import { isOf, isSameName, repositoryOf } from './api/refs.ts';
import { readIssue, type WireIssue } from './api/response-shapes.ts';
import {
  fetchBlockers,
  fetchFullName,
  fetchIssueComments,
  issueParams,
  nullIfGone,
  type Source,
} from './api/source.ts';
import { toRemoteTask } from './to-remote-task.ts';

/** The issue by itself. @throws RoomError `gone` when it was deleted, converted or transferred */
export async function fetchIssue(source: Source, ref: RemoteRef, signal: AbortSignal): Promise<WireIssue> {
  const params = issueParams(ref);
  const { data } = await source.client({
    method: 'GET',
    path: '/repos/{owner}/{repo}/issues/{issue_number}',
    params,
    signal,
    what: ref,
  });
  const issue = readIssue(data);
  if (await isElsewhere(source, params, issue, signal)) {
    throw new RoomError('gone', `${ref} was transferred to ${issue.html_url ?? 'another repository'}`);
  }
  return issue;
}

// A transferred issue answers from its new place; so does every issue of a repository that was renamed.
async function isElsewhere(
  source: Source,
  asked: { owner: string; repo: string; issue_number: number },
  issue: WireIssue,
  signal: AbortSignal,
): Promise<boolean> {
  if (issue.number !== asked.issue_number) return true;
  const repository = repositoryOf(issue.repository_url ?? '');
  if (repository === null || isSameName(repository, `${asked.owner}/${asked.repo}`)) return false;
  return !isSameName(repository, await fetchFullName(source, asked, signal));
}

/** An issue that is there already, with its comments and blockers. */
export async function completeTask(
  source: Source,
  ref: RemoteRef,
  issue: WireIssue,
  signal: AbortSignal,
): Promise<RemoteTask> {
  const { config } = source;
  const asksComments = config.fields === null || config.fields.includes('comments');
  const comments = asksComments && issue.comments !== 0 ? await fetchIssueComments(source, ref, signal) : [];
  const blockers = await fetchBlockers(source, ref, issue, signal);
  const login = await source.login(signal);
  return toRemoteTask(issue, { config, login, ref, comments, complete: asksComments, blockers });
}

/**
 * GitHub answers 404 for what was deleted, for what may not be written and for a repository that can't be seen. Told
 * apart here, so that nothing is taken for gone that is only out of reach.
 * @throws RoomError `not_found` the repository, `refused` the write, else what `act` throws
 */
export async function explainGone<T>(
  source: Source,
  ref: RemoteRef,
  signal: AbortSignal,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof RoomError) || error.code !== 'gone') throw error;
    await fetchFullName(source, issueParams(ref), signal);
    if (!isRefusedWrite(error) || !(await fetchIssue(source, ref, signal).catch(nullIfGone))) throw error;
    const hint = `Give the credentials ${SCOPES}.`;
    throw new RoomError('refused', `GitHub does not allow to write to ${ref}`, { cause: error, hint });
  }
}

function isRefusedWrite({ cause }: RoomError): boolean {
  if (!(cause instanceof Error) || !('request' in cause)) return false;
  return (cause.request as { method?: string }).method !== 'GET';
}

/** The contract's `get`. */
export async function getIssues(
  source: Source,
  refs: readonly RemoteRef[],
  signal: AbortSignal,
): Promise<Map<RemoteRef, RemoteTask>> {
  for (const ref of refs) issueParams(ref);
  const found = new Map<RemoteRef, RemoteTask>();
  let isSourceSeen = false;
  for (const ref of refs) {
    const task = await fetchWhole(source, ref, signal);
    if (task) found.set(ref, task);
    if (task || isSourceSeen || !isOf(ref, source.config.source)) continue;
    // A token that lost its access sees no issue either, and none of them is gone.
    await fetchFullName(source, issueParams(ref), signal);
    isSourceSeen = true;
  }
  return found;
}

/** As the chore spells it: a webhook spells the repository as GitHub does. */
function spelt({ config }: Source, ref: RemoteRef): RemoteRef {
  return isOf(ref, config.source) ? `${config.source}${ref.slice(ref.indexOf('#'))}` : ref;
}

async function fetchWhole(source: Source, ref: RemoteRef, signal: AbortSignal): Promise<RemoteTask | null> {
  const issue = await fetchIssue(source, ref, signal).catch(nullIfGone);
  return issue && (await completeTask(source, spelt(source, ref), issue, signal).catch(nullIfGone));
}
