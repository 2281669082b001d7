// Issues made and changed. What is written was looked at a moment before: GitHub has no conditional write, so between
// that look and the write (tens of milliseconds, more while writes are paced) somebody else's change is overwritten.
import { RoomError } from '../../core/errors.ts';
import type { Attempt, RemoteChange, RemoteDraft, RemoteRef, RemoteTask } from '../provider.ts';
import { readIssue, type WireIssue } from './api/response-shapes.ts';
import { fetchBlockers, fetchIssuePage, issueParams, repositoryParams, type Source } from './api/source.ts';
import { fetchIssue } from './issues.ts';
import { splitMarker, withMarker } from './marker.ts';
import { assertText } from './profile.ts';
import { writeRelations } from './relations.ts';
import { classOf, isMine, isPull, toRemoteTask } from './to-remote-task.ts';
import { changesOf, type UpdatePlan } from './update-plan.ts';

/** The contract's `create`. */
export async function createIssue(
  source: Source,
  draft: RemoteDraft,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<RemoteTask> {
  assertText('title', draft.title);
  assertText('body', draft.body);
  const earlier = attempt.tries > 0 ? await findEarlier(source, attempt.key, signal) : null;
  const issue = earlier ?? (await postIssue(source, draft, attempt.key, signal));
  const ref = `${source.config.source}#${issue.number}`;
  const isOver = classOf(draft.status) !== 'open' && issue.state === 'open';
  const whole = isOver ? await setStatus(source, ref, issue, draft.status, signal) : issue;
  return await asTask(source, ref, whole, signal);
}

/** Among our own account's issues, newest first: nobody else's marker is believed. */
async function findEarlier(source: Source, key: string, signal: AbortSignal): Promise<WireIssue | null> {
  const login = await source.login(signal);
  let at: Record<string, unknown> | null = {};
  const asked = new Set<string>();
  while (at !== null && !asked.has(JSON.stringify(at))) {
    asked.add(JSON.stringify(at));
    const query = { creator: login, state: 'all', sort: 'created', direction: 'desc', ...at };
    const { items, links } = await fetchIssuePage(source, query, signal);
    const found = items.find(({ user, body }) => isMine(user, login) && splitMarker(body ?? '').key === key);
    if (found) return found;
    at = links.next;
  }
  return null;
}

async function postIssue(
  source: Source,
  draft: RemoteDraft,
  key: string,
  signal: AbortSignal,
): Promise<WireIssue> {
  const { title, body, labels } = draft;
  const { data } = await source.client({
    method: 'POST',
    path: '/repos/{owner}/{repo}/issues',
    params: { ...repositoryParams(source.config), title, body: withMarker(body, key), labels: [...labels] },
    signal,
    what: `a new issue in ${source.config.source}`,
    absent: 'not_found',
  });
  return readIssue(data);
}

/** The contract's `update`. */
export async function updateIssue(
  source: Source,
  ref: RemoteRef,
  change: RemoteChange,
  expected: RemoteTask,
  signal: AbortSignal,
): Promise<RemoteTask> {
  assertText('title', change.title);
  assertText('body', change.body);
  const issue = await fetchIssue(source, ref, signal);
  const present = await asTask(source, ref, issue, signal, change.blockedBy !== undefined);
  if (present.uid !== expected.uid) throw new RoomError('gone', `${ref} is another issue now`);
  const plan = changesOf(change, present, expected);
  const changed = await writePlan(source, ref, issue, plan, signal);
  return await asTask(source, ref, changed, signal, change.blockedBy !== undefined);
}

async function writePlan(
  source: Source,
  ref: RemoteRef,
  issue: WireIssue,
  plan: UpdatePlan,
  signal: AbortSignal,
): Promise<WireIssue> {
  let now = issue;
  const { title, body, status, labels, assignees } = plan;
  if (title !== undefined || body !== undefined) {
    const mine = isMine(issue.user, await source.login(signal));
    const key = mine ? splitMarker(issue.body ?? '').key : null;
    const marked = body === undefined || key === null ? body : withMarker(body, key);
    const words = {
      ...(title === undefined ? {} : { title }),
      ...(marked === undefined ? {} : { body: marked }),
    };
    now = await patch(source, ref, words, signal);
  }
  await writeLabels(source, ref, labels, signal);
  await writeAssignees(source, ref, assignees, signal);
  await writeRelations(source, ref, issue, plan, signal);
  if (status !== undefined) return await setStatus(source, ref, now, status, signal);
  const isElsewhereChanged = labels ?? assignees ?? plan.blockedBy ?? plan.parent;
  return isElsewhereChanged === undefined ? now : await fetchIssue(source, ref, signal);
}

async function patch(
  { client }: Source,
  ref: RemoteRef,
  change: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<WireIssue> {
  const path = '/repos/{owner}/{repo}/issues/{issue_number}';
  const params = { ...issueParams(ref), ...change };
  return readIssue(
    (await client({ method: 'PATCH', path, params, signal, what: `a change of ${ref}` })).data,
  );
}

/** GitHub takes a reason only where the state changes with it: from one closed state to another it leads over open. */
async function setStatus(
  source: Source,
  ref: RemoteRef,
  issue: WireIssue,
  status: RemoteDraft['status'],
  signal: AbortSignal,
): Promise<WireIssue> {
  const wanted = classOf(status);
  if (wanted === 'open') return await patch(source, ref, { state: 'open' }, signal);
  // A pull request has no reason to be closed for.
  const reason = isPull(issue) ? {} : { state_reason: wanted === 'done' ? 'completed' : 'not_planned' };
  if (issue.state === 'closed') await patch(source, ref, { state: 'open' }, signal);
  return await patch(source, ref, { state: 'closed', ...reason }, signal);
}

async function writeLabels(
  { client }: Source,
  ref: RemoteRef,
  labels: UpdatePlan['labels'],
  signal: AbortSignal,
): Promise<void> {
  const path = '/repos/{owner}/{repo}/issues/{issue_number}/labels';
  const what = `the labels of ${ref}`;
  const { add = [], remove = [] } = labels ?? {};
  if (add.length > 0) {
    await client({ method: 'POST', path, params: { ...issueParams(ref), labels: [...add] }, signal, what });
  }
  for (const name of remove) {
    const params = { ...issueParams(ref), name };
    // Somebody took it off before.
    await client({ method: 'DELETE', path: `${path}/{name}`, params, signal, what }).catch(
      (error: unknown) => {
        if (!(error instanceof RoomError && error.code === 'gone')) throw error;
      },
    );
  }
}

async function writeAssignees(
  { client }: Source,
  ref: RemoteRef,
  assignees: UpdatePlan['assignees'],
  signal: AbortSignal,
): Promise<void> {
  const path = '/repos/{owner}/{repo}/issues/{issue_number}/assignees';
  const what = `the assignees of ${ref}`;
  for (const [method, logins] of [
    ['POST', assignees?.add ?? []],
    ['DELETE', assignees?.remove ?? []],
  ] as const) {
    if (logins.length === 0) continue;
    await client({ method, path, params: { ...issueParams(ref), assignees: [...logins] }, signal, what });
  }
}

async function asTask(
  source: Source,
  ref: RemoteRef,
  issue: WireIssue,
  signal: AbortSignal,
  withBlockers = false,
): Promise<RemoteTask> {
  const blockers = withBlockers ? await fetchBlockers(source, ref, issue, signal) : null;
  const login = await source.login(signal);
  return toRemoteTask(issue, { config: source.config, login, ref, comments: [], complete: false, blockers });
}
