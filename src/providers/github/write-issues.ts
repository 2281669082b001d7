// Issues and comments made and changed, once for each key. What is written was looked at a moment before: GitHub has no
// conditional write, so between that look and the write (tens of milliseconds, more while writes are paced) somebody
// else's change is overwritten.
import { RoomError } from '../../core/errors.ts';
import { defined } from '../../core/plain-data.ts';
import { isFinished, readStatus, type Status, statusWord } from '../../core/task/status.ts';
import type { Attempt, RemoteChange, RemoteDraft, RemoteRef, RemoteTask } from '../provider.ts';
import { assertTexts, changesLeft } from '../tracker-rules.ts';
import type { Params } from './client.ts';
import { issueOfApiUrl } from './options.ts';
import { type Card, fetchCard, planCardMove } from './project.ts';
import type { WireIssue } from './response-shapes.ts';
import { readComment, readIssue } from './response-shapes.ts';
import {
  fetchBlockers,
  fetchIssue,
  fetchIssueComments,
  fetchIssuePage,
  ISSUE,
  issueParams,
  NOT_FOUND,
  nullIfGone,
  REPOSITORY,
  type Source,
  toTask,
} from './source.ts';
import {
  classOf,
  isMine,
  isPull,
  LIMITS,
  normalise,
  saidBy,
  splitMarker,
  statusOf,
  toRemoteComment,
  withMarker,
} from './to-remote-task.ts';

export async function createIssue(
  source: Source,
  { title, body, status, labels }: RemoteDraft,
  { key, tries }: Attempt,
): Promise<RemoteTask> {
  assertTexts('GitHub', LIMITS, { title, body });
  const made = (tries > 0 ? await findEarlier(source, key) : null) ?? (await post());
  const ref = source.refOf(made.number);
  const now = made.state === 'open' ? await setStatus(source, ref, made, status) : made;
  return await toTask(source, ref, now);

  async function post(): Promise<WireIssue> {
    const words = { title, body: withMarker(body, key), labels: [...labels] };
    const params = { ...source.repository, ...words, type: source.options.type ?? undefined };
    const what = `a new issue in ${source.config.source}`;
    return readIssue((await source.ask(`POST ${REPOSITORY}/issues`, what, params, NOT_FOUND)).data);
  }
}

/** Among our own account's issues, newest first: nobody else's marker is believed. */
async function findEarlier(source: Source, key: string): Promise<WireIssue | null> {
  const login = await source.login();
  const asked = new Set<string>();
  for (let at: Params | null = {}; at !== null && !asked.has(JSON.stringify(at)); ) {
    asked.add(JSON.stringify(at));
    const query = { creator: login, state: 'all', sort: 'created', direction: 'desc', ...at };
    const { items, links } = await fetchIssuePage(source, query);
    const found = items.find(({ user, body }) => isMine(user, login) && splitMarker(body ?? '').key === key);
    if (found) return found;
    at = links.next;
  }
  return null;
}

export async function updateIssue(
  source: Source,
  ref: RemoteRef,
  change: RemoteChange,
  expected: RemoteTask,
): Promise<RemoteTask> {
  assertTexts('GitHub', LIMITS, change);
  const { options } = source;
  const issue = await fetchIssue(source, ref);
  const card = await fetchCard(source, issue);
  const asTask = async (now: WireIssue, itsCard?: Card | null) => {
    const blockers = change.blockedBy ? await fetchBlockers(source, ref, now) : null;
    return toTask(source, ref, now, blockers, undefined, itsCard);
  };
  const present = await asTask(issue, card);
  if (present.uid !== expected.uid) throw new RoomError('gone', `${ref} is another issue now`);
  const meanings = { normalise, classOf: (status: Status) => classOf(status, options) };
  const left = changesLeft(change, present, expected, meanings);
  return await asTask(await writeChange(source, ref, issue, left), left.status ? undefined : card);
}

async function writeChange(
  source: Source,
  ref: RemoteRef,
  issue: WireIssue,
  { title, body, status, ...others }: RemoteChange,
): Promise<WireIssue> {
  let now = issue;
  if (title !== undefined || body !== undefined) {
    const mine = isMine(issue.user, await source.login());
    const key = mine ? splitMarker(issue.body ?? '').key : null;
    const marked = body === undefined || key === null ? body : withMarker(body, key);
    now = await patch(source, ref, defined({ title, body: marked }));
  }
  await writeLists(source, ref, others);
  if (others.parent !== undefined) await setParent(source, ref, issue, others.parent);
  if (status !== undefined) return await setStatus(source, ref, now, status);
  return Object.keys(others).length === 0 ? now : await fetchIssue(source, ref);
}

async function patch(source: Source, ref: RemoteRef, change: Params): Promise<WireIssue> {
  const params = { ...issueParams(ref), ...change };
  return readIssue((await source.ask(`PATCH ${ISSUE}`, `a change of ${ref}`, params)).data);
}

/** GitHub takes a reason only where the state changes with it: from one closed state to another it leads over open. */
async function setStatus(source: Source, ref: RemoteRef, issue: WireIssue, word: Status) {
  const wanted = readStatus(word, () => source.options.own)?.status ?? word;
  const move = await planMove(source, issue, word, wanted);
  let now = issue;
  if (issue.state === 'closed' && statusOf(issue) !== wanted)
    now = await patch(source, ref, { state: 'open' });
  // A pull request has no reason to be closed for.
  const reason = isPull(issue) ? {} : { state_reason: wanted === 'done' ? 'completed' : 'not_planned' };
  if (isFinished(wanted) && now.state === 'open')
    now = await patch(source, ref, { state: 'closed', ...reason });
  await move?.();
  return now;
}

/** To where the status stands; a status without a column leaves one that says otherwise. */
async function planMove(source: Source, issue: WireIssue, word: Status, wanted: Status) {
  const { options } = source;
  if (Object.keys(options.projectStatuses).length === 0) return null;
  const column = options.projectStatuses[word] ?? (isFinished(wanted) ? null : options.projectStatuses.todo);
  const state = isFinished(wanted) ? 'closed' : 'open';
  const then = { ...issue, state, state_reason: wanted === 'canceled' ? 'not_planned' : null } as const;
  return await planCardMove(source, issue, column ?? null, (now) => {
    const said = statusWord(saidBy(then, now, options).status) as Status;
    return classOf(said, options) === classOf(word, options);
  });
}

async function writeLists(source: Source, ref: RemoteRef, { labels, assignees, blockedBy }: RemoteChange) {
  const ask = (method: 'POST' | 'DELETE', path: string, params: Params, more = {}) => {
    const what = `the ${path.split('/')[0]} of ${ref}`;
    return source.ask(`${method} ${ISSUE}/${path}`, what, { ...issueParams(ref), ...params }, more);
  };
  if (labels && labels.add.length > 0) await ask('POST', 'labels', { labels: [...labels.add] });
  // What is to be taken off may be off already, by somebody else or by a first try whose answer was lost.
  for (const name of labels?.remove ?? []) await ask('DELETE', 'labels/{name}', { name }).catch(nullIfGone);
  const { add = [], remove = [] } = assignees ?? {};
  if (add.length > 0) await ask('POST', 'assignees', { assignees: [...add] });
  if (remove.length > 0) await ask('DELETE', 'assignees', { assignees: [...remove] });
  // GitHub names issues that belong together by database ids.
  const path = 'dependencies/blocked_by';
  for (const blocker of blockedBy?.add ?? [])
    await ask('POST', path, { issue_id: await idOf(source, blocker) }, NOT_FOUND);
  for (const blocker of blockedBy?.remove ?? [])
    await ask('DELETE', `${path}/{issue_id}`, { issue_id: await idOf(source, blocker) }).catch(nullIfGone);
}

async function idOf(source: Source, ref: RemoteRef): Promise<number> {
  const blocker = await fetchIssue(source, ref).catch(nullIfGone);
  if (blocker) return blocker.id;
  throw new RoomError('bad_input', `${ref}, which is to block another issue, is not there`);
}

async function setParent(source: Source, ref: RemoteRef, issue: WireIssue, parent: RemoteRef | null) {
  const what = `the parent of ${ref}`;
  const child = { sub_issue_id: issue.id };
  const old = issueOfApiUrl(issue.parent_issue_url ?? '');
  if (parent !== null) {
    const params = { ...issueParams(parent), ...child, replace_parent: true };
    await source.ask(`POST ${ISSUE}/sub_issues`, what, params, NOT_FOUND);
  } else if (old) {
    const params = { ...issueParams(`${old.repository}#${old.number}`), ...child };
    await source.ask(`DELETE ${ISSUE}/sub_issue`, what, params).catch(nullIfGone);
  }
}

export async function addComment(source: Source, ref: RemoteRef, body: string, { key, tries }: Attempt) {
  assertTexts('GitHub', LIMITS, { comment: body });
  const params = { ...issueParams(ref), body: withMarker(body, key) };
  const login = await source.login();
  const known = tries > 0 ? await fetchIssueComments(source, ref) : [];
  const earlier = known.find((one) => isMine(one.user, login) && splitMarker(one.body ?? '').key === key);
  if (earlier) return toRemoteComment(earlier, login);
  const { data } = await source.ask(`POST ${ISSUE}/comments`, `a comment on ${ref}`, params);
  return toRemoteComment(readComment(data), login);
}

/** The contract's `edit`. The marker stays, so that a try again still finds it. */
export async function editComment(source: Source, ref: RemoteRef, id: string, body: string) {
  assertTexts('GitHub', LIMITS, { comment: body });
  const { owner, repo } = issueParams(ref);
  if (!/^\d{1,16}$/.test(id))
    throw new RoomError('bad_input', `${JSON.stringify(id)} is not a GitHub comment`);
  const login = await source.login();
  const path = `${REPOSITORY}/issues/comments/{comment_id}` as const;
  const params = { owner, repo, comment_id: Number(id) };
  const what = `comment ${id} on ${ref}`;
  const known = readComment((await source.ask(`GET ${path}`, what, params)).data);
  if (!isMine(known.user, login)) throw new RoomError('refused', `${what} is not ours to edit`);
  const { key } = splitMarker(known.body ?? '');
  const marked = { ...params, body: key === null ? body : withMarker(body, key) };
  return toRemoteComment(readComment((await source.ask(`PATCH ${path}`, what, marked)).data), login);
}
