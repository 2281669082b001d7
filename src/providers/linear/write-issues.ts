// Making and changing issues and comments. What is made has an id made of its key, so that a second try meets the first. A
// change is looked at once more, compared field by field with what was expected, and only what differs is written. Between
// that look and the write lies one request's time in which an edit of somebody else is overwritten: Linear has no
// conditional write.
import { isRoomError, RoomError } from '../../core/errors.ts';
import { defined } from '../../core/plain-data.ts';
import type { Attempt, ListChange, RemoteChange, RemoteDraft, RemoteRef, RemoteTask } from '../provider.ts';
import { assertTexts, changesLeft, isSameName } from '../tracker-rules.ts';
import type { CommentAnswer, IssueAnswer, Listed, UserAnswer } from './documents.ts';
import { normalise } from './normalise.ts';
import { LIMITS, parseRef } from './options.ts';
import { type LinearApi, readIssue, readPresence, readToEnd, toWholeTask } from './read-issues.ts';
import {
  classOf,
  fromPriority,
  isPerson,
  personFilter,
  stateFor,
  toRemoteComment,
  toRemoteTask,
  uuidOfKey,
} from './to-remote-task.ts';
import { isMissing, nullIfMissing } from './transport.ts';

type Variables = Record<string, unknown>;

export async function createIssue(
  api: LinearApi,
  { title, body, status, labels, priority, due }: RemoteDraft,
  { key, tries }: Attempt,
): Promise<RemoteTask> {
  assertTexts('Linear', LIMITS, { title, body });
  const id = uuidOfKey(key);
  const earlier = async () => {
    const found = await readIssue(api, id);
    return found?.creator?.isMe ? toRemoteTask(found, api.reading) : null;
  };
  const make = async () => {
    const team = await api.team();
    const input = {
      ...{ id, teamId: team.id, title, description: body },
      stateId: stateFor(status, team.key, team.states.nodes, api.reading.options).id,
      labelIds: await labelIds(api, labels),
      priority: fromPriority(priority),
      ...(due === null ? {} : { dueDate: due }),
    };
    type Answer = { issueCreate: { issue: IssueAnswer } };
    return await toWholeTask(api, (await api.ask<Answer>('issueCreate', { input })).issueCreate.issue);
  };
  try {
    return await makeOnce(tries, earlier, make);
  } catch (error) {
    if (!isRoomError(error, 'refused') || !(await readPresence(api, id))?.trashed) throw error;
    throw new RoomError('gone', 'the issue was made, and thrown away in Linear', { cause: error });
  }
}

/** @param earlier finds what an earlier try made */
export async function makeOnce<T>(tries: number, earlier: () => Promise<T | null>, make: () => Promise<T>) {
  const made = tries > 0 ? await earlier() : null;
  if (made) return made;
  try {
    return await make();
  } catch (error) {
    // Refused because it is there: a try we do not know of got through.
    const there = isRoomError(error, 'refused') ? await earlier() : null;
    if (there) return there;
    throw error;
  }
}

export async function addComment(api: LinearApi, ref: RemoteRef, body: string, { key, tries }: Attempt) {
  assertTexts('Linear', LIMITS, { comment: body });
  // Linear would take words for what lies in its trash too.
  const issue = await readPresence(api, ref);
  if (!issue || issue.trashed) throw gone(ref);
  const id = uuidOfKey(key);
  const earlier = async () => {
    type Answer = { comments: { nodes: CommentAnswer[] } };
    const { comments } = await api.ask<Answer>('comment', { filter: { id: { eq: id } } });
    const found = comments.nodes.find(({ user }) => user?.isMe);
    return found ? toRemoteComment(found) : null;
  };
  const make = async () => {
    type Answer = { commentCreate: { comment: CommentAnswer } };
    const input = { id, issueId: issue.id, body };
    return toRemoteComment((await api.ask<Answer>('commentCreate', { input })).commentCreate.comment);
  };
  return await makeOnce(tries, earlier, make).catch((error: unknown) => {
    throw isMissing(error) ? gone(ref, error) : error;
  });
}

const gone = (ref: RemoteRef, cause?: unknown): RoomError =>
  new RoomError('gone', `${ref} is not there any more`, { cause });

export async function editComment({ ask }: LinearApi, ref: RemoteRef, id: string, body: string) {
  assertTexts('Linear', LIMITS, { comment: body });
  type Answer = { commentUpdate: { comment: CommentAnswer | null } };
  const answer = await ask<Answer>('commentUpdate', { id, input: { body } }).catch(nullIfMissing);
  if (answer?.commentUpdate.comment) return toRemoteComment(answer.commentUpdate.comment);
  throw new RoomError('gone', `the comment on ${ref} was deleted`);
}

export async function updateIssue(
  api: LinearApi,
  ref: RemoteRef,
  change: RemoteChange,
  expected: RemoteTask,
): Promise<RemoteTask> {
  assertTexts('Linear', LIMITS, change);
  const { options } = api.reading;
  const issue = await readIssue(api, expected.uid || ref);
  if (!issue) throw gone(ref);
  const present = toRemoteTask(issue, api.reading);
  const left = changesLeft(change, present, expected, {
    title: (text) => text.replace(/\s+/g, ' ').trim(),
    normalise,
    // Another state of the same class, or a new name of it, is no change of status.
    classOf: (status) => classOf(status, options),
  });
  const { title, body, priority, due, parent, status, labels } = left;
  const input: Variables = {
    ...defined({ title, description: body, dueDate: due, parentId: parent }),
    ...(priority === undefined ? {} : { priority: fromPriority(priority) }),
    ...(change.assignees ? await assigneeInput(api, issue, change.assignees, expected) : {}),
  };
  const team = parseRef(issue.identifier).team;
  if (status !== undefined) {
    const { key, states } = await api.team(team);
    input.stateId = stateFor(status, key, states.nodes, options).id;
  }
  if (labels) {
    const isRemoved = ({ name }: { name: string }) => labels.remove.includes(name);
    input.addedLabelIds = await labelIds(api, labels.add, team);
    input.removedLabelIds = issue.labels?.nodes.filter(isRemoved).map(({ id }) => id) ?? [];
  }
  if (left.blockedBy) await relate(api, issue, left.blockedBy);
  if (Object.keys(input).length > 0) {
    type Answer = { issueUpdate: { issue: IssueAnswer } };
    const answer = api.ask<Answer>('issueUpdate', { id: issue.id, input }).catch(refuseMissing);
    return await toWholeTask(api, (await answer).issueUpdate.issue);
  }
  if (!left.blockedBy) return present;
  const now = await readIssue(api, issue.id);
  if (!now) throw gone(present.ref);
  return toRemoteTask(now, api.reading);
}

/** For a `catch`: a name in the change that leads nowhere is a refusal, not the issue's absence. */
function refuseMissing(error: unknown): never {
  if (isMissing(error)) throw new RoomError('refused', error.message, { cause: error });
  throw error;
}

/** Linear has one assignee: another is set where nobody is, or where the present one is removed. */
async function assigneeInput(
  api: LinearApi,
  { identifier, assignee }: IssueAnswer,
  { add, remove }: ListChange,
  expected: RemoteTask,
): Promise<Variables> {
  const isCurrent = (name: string) => isPerson(assignee, name);
  const [wanted = null] = add;
  const stays = Boolean(assignee) && !remove.some(isCurrent);
  if (add.some(isCurrent) || (wanted === null && (stays || !assignee))) return {};
  if (assignee?.displayName !== expected.assignees[0])
    throw new RoomError('conflict', `the assignee of ${identifier} changed upstream meanwhile`);
  return stays ? {} : { assigneeId: wanted === null ? null : await userId(api, wanted) };
}

async function relate(
  { ask }: LinearApi,
  { id, inverseRelations }: IssueAnswer,
  { add, remove }: ListChange,
): Promise<void> {
  for (const ref of add) {
    const input = { issueId: ref, relatedIssueId: id, type: 'blocks' };
    await ask('relationCreate', { input }).catch(refuseMissing);
  }
  // Somebody else may be first.
  for (const { id: relation, type, issue } of inverseRelations?.nodes ?? [])
    if (type === 'blocks' && remove.includes(issue.identifier))
      await ask('relationDelete', { id: relation }).catch(nullIfMissing);
}

type LabelAnswer = { id: string; name: string; isGroup: boolean; team: { id: string } | null };

/** Ids of labels that an issue of this team can bear, in the order of the names; one nobody made yet is made in the team. */
async function labelIds(api: LinearApi, names: readonly string[], teamKey?: string): Promise<string[]> {
  if (names.length === 0) return [];
  const team = await api.team(teamKey);
  const filter = {
    or: names.map((name) => ({ name: { eqIgnoreCase: name } })),
    and: [{ or: [{ team: { id: { eq: team.id } } }, { team: { null: true } }] }],
  };
  const known = await allOf<LabelAnswer>(api, 'labels', 'issueLabels', filter);
  const ids: string[] = [];
  for (const name of names) {
    const named = known.filter(
      (label) => isSameName(label.name, name) && (label.team?.id ?? team.id) === team.id,
    );
    if (named.some(({ isGroup }) => isGroup)) {
      const message = `${JSON.stringify(name)} is a group of labels in Linear, which no issue can bear`;
      throw new RoomError('refused', message);
    }
    // The team's own label before one of the whole workspace.
    const label = named.find((one) => one.team !== null) ?? named[0];
    ids.push(label?.id ?? (await makeLabel(name)));
  }
  return ids;

  async function makeLabel(name: string): Promise<string> {
    type Answer = { issueLabelCreate: { issueLabel: { id: string } } };
    const answer = await api.ask<Answer>('labelCreate', { input: { name, teamId: team.id } });
    return answer.issueLabelCreate.issueLabel.id;
  }
}

/** @throws RoomError `refused` when Linear knows nobody by that name, or several */
async function userId(api: LinearApi, name: string): Promise<string> {
  const found = await allOf<UserAnswer>(api, 'users', 'users', personFilter(name));
  const fit = found.filter((user) => isPerson(user, name));
  // A display name is unique in a workspace; names and addresses only mostly.
  const exact =
    fit.find((user) => isSameName(user.displayName, name)) ?? (fit.length === 1 ? fit[0] : undefined);
  if (exact) return exact.id;
  const said = fit.length === 0 ? 'knows nobody' : 'knows several people';
  throw new RoomError('refused', `Linear ${said} named ${JSON.stringify(name)}`);
}

const allOf = <T>(api: LinearApi, document: 'labels' | 'users', field: string, filter: Variables) =>
  readToEnd<T>(
    async (after) => (await api.ask<Record<string, Listed<T>>>(document, { filter, after }))[field]!,
  );
