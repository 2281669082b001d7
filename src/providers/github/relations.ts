// Sub-issues and dependencies, which GitHub names by database ids.
import { RoomError } from '../../core/errors.ts';
import type { RemoteRef } from '../provider.ts';
import { issueOfApiUrl } from './api/refs.ts';
import type { WireIssue } from './api/response-shapes.ts';
import { issueParams, nullIfGone, type Source } from './api/source.ts';
import { fetchIssue } from './issues.ts';
import type { UpdatePlan } from './update-plan.ts';

const ISSUE = '/repos/{owner}/{repo}/issues/{issue_number}';

export async function writeRelations(
  source: Source,
  ref: RemoteRef,
  issue: WireIssue,
  { parent, blockedBy }: UpdatePlan,
  signal: AbortSignal,
): Promise<void> {
  if (parent !== undefined) await setParent(source, ref, issue, parent, signal);
  const { client } = source;
  const path = `${ISSUE}/dependencies/blocked_by`;
  const what = `the dependencies of ${ref}`;
  const absent = 'not_found';
  for (const blocker of blockedBy?.add ?? []) {
    const params = { ...issueParams(ref), issue_id: await idOf(source, blocker, signal) };
    await client({ method: 'POST', path, params, signal, what, absent });
  }
  for (const blocker of blockedBy?.remove ?? []) {
    const params = { ...issueParams(ref), issue_id: await idOf(source, blocker, signal) };
    // It was taken off before, perhaps by a first try whose answer was lost.
    await client({ method: 'DELETE', path: `${path}/{issue_id}`, params, signal, what }).catch(nullIfGone);
  }
}

async function setParent(
  source: Source,
  ref: RemoteRef,
  issue: WireIssue,
  parent: RemoteRef | null,
  signal: AbortSignal,
): Promise<void> {
  const what = `the parent of ${ref}`;
  const { client } = source;
  if (parent !== null) {
    const params = { ...issueParams(parent), sub_issue_id: issue.id, replace_parent: true };
    await client({ method: 'POST', path: `${ISSUE}/sub_issues`, params, signal, what, absent: 'not_found' });
    return;
  }
  const old = issueOfApiUrl(issue.parent_issue_url ?? '');
  if (!old) return;
  const params = { ...issueParams(`${old.repository}#${old.number}`), sub_issue_id: issue.id };
  await client({ method: 'DELETE', path: `${ISSUE}/sub_issue`, params, signal, what }).catch(nullIfGone);
}

async function idOf(source: Source, ref: RemoteRef, signal: AbortSignal): Promise<number> {
  try {
    return (await fetchIssue(source, ref, signal)).id;
  } catch (cause) {
    if (!(cause instanceof RoomError) || cause.code !== 'gone') throw cause;
    throw new RoomError('bad_input', `${ref}, which is to block another issue, is not there`, { cause });
  }
}
