// Changing an issue: looked at once more, compared field by field with what was expected, and only what differs written.
// Between that look and the write lies one request's time in which an edit of somebody else is overwritten: Linear has
// no conditional write.
import { RoomError } from '../../core/errors.ts';
import type { RemoteChange, RemoteRef, RemoteTask } from '../provider.ts';
import { isMissing } from './api-errors.ts';
import { labelIds, sameName, userId } from './directory.ts';
import type { LinearApi } from './linear-api.ts';
import { normalise } from './normalise.ts';
import { assertLength } from './options.ts';
import { readIssue, toWholeTask } from './read-issues.ts';
import { parseRef } from './refs.ts';
import type { IssueAnswer } from './response-shapes.ts';
import { classOf, stateFor } from './states.ts';
import { fromPriority, isPerson, toRemoteTask } from './to-remote-task.ts';

type Input = Record<string, unknown>;

interface Facts {
  api: LinearApi;
  /** As Linear has it now. */
  issue: IssueAnswer;
  present: RemoteTask;
  expected: RemoteTask;
  change: RemoteChange;
  signal: AbortSignal;
}

/** See Provider.write. */
export async function updateIssue(
  api: LinearApi,
  ref: RemoteRef,
  change: RemoteChange,
  expected: RemoteTask,
  signal: AbortSignal,
): Promise<RemoteTask> {
  if (change.title !== undefined) assertLength('title', change.title);
  if (change.body !== undefined) assertLength('body', change.body);
  const issue = await readIssue(api, expected.uid || ref, signal);
  if (!issue) throw new RoomError('gone', `${ref} is not there any more`);
  const present = toRemoteTask(issue, api.reading);
  const facts: Facts = { api, issue, present, expected, change, signal };
  const input = { ...plainInput(facts), ...(await namedInput(facts)) };
  const related = await relate(facts);
  if (Object.keys(input).length === 0) return related ? await reread(facts) : present;
  type Answer = { issueUpdate: { issue: IssueAnswer } };
  const variables = { id: issue.id, input };
  const answer = await orRefused(() => api.ask<Answer>(api.documents.issueUpdate, variables, signal));
  return await toWholeTask(api, answer.issueUpdate.issue, signal);
}

async function reread({ api, issue, present, signal }: Facts): Promise<RemoteTask> {
  const now = await readIssue(api, issue.id, signal);
  if (!now) throw new RoomError('gone', `${present.ref} is not there any more`);
  return toRemoteTask(now, api.reading);
}

/** A name in the change that leads nowhere is a refusal, not the issue's absence. */
async function orRefused<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (isMissing(error)) throw new RoomError('refused', (error as RoomError).message, { cause: error });
    throw error;
  }
}

/**
 * Whether a field has to be written.
 * @throws RoomError `conflict` when it is neither as wanted nor as expected
 */
function mustWrite(facts: Facts, field: string, isWanted: boolean, isExpected: boolean): boolean {
  if (isWanted) return false;
  if (!isExpected)
    throw new RoomError('conflict', `${field} of ${facts.present.ref} changed in Linear meanwhile`);
  return true;
}

/** Fields that are written as they are. */
function plainInput(facts: Facts): Input {
  const { change, present, expected } = facts;
  const { title, body, priority, due, parent } = change;
  const input: Input = {};
  const line = (text: string) => text.replace(/\s+/g, ' ').trim();
  const isTitle = (other: string) => line(present.title) === line(other);
  const isBody = (other: string) => normalise(present.body) === normalise(other);
  if (title !== undefined && mustWrite(facts, 'the title', isTitle(title), isTitle(expected.title))) {
    input.title = title;
  }
  if (body !== undefined && mustWrite(facts, 'the body', isBody(body), isBody(expected.body))) {
    input.description = body;
  }
  const isSame = <K extends 'priority' | 'due' | 'parent'>(field: K, wanted: RemoteTask[K]) =>
    mustWrite(facts, field, present[field] === wanted, present[field] === expected[field]);
  if (priority !== undefined && isSame('priority', priority)) input.priority = fromPriority(priority);
  if (due !== undefined && isSame('due', due)) input.dueDate = due;
  if (parent !== undefined && isSame('parent', parent)) input.parentId = parent;
  return input;
}

/** Fields whose words stand for ids. */
async function namedInput(facts: Facts): Promise<Input> {
  const { change, issue, present, expected, api, signal } = facts;
  const { options } = api.reading;
  const input: Input = {};
  if (change.status !== undefined) {
    const isWanted = classOf(present.status, options) === classOf(change.status, options);
    // Another state of the same class, or a new name of it, is no change of status.
    const isExpected = classOf(present.status, options) === classOf(expected.status, options);
    if (mustWrite(facts, 'the state', isWanted, isExpected)) {
      const team = await api.teams.get(signal, parseRef(issue.identifier).team);
      input.stateId = stateFor(change.status, team.key, team.states.nodes, options).id;
    }
  }
  if (change.assignees) Object.assign(input, await assigneeInput(facts, change.assignees));
  if (change.labels) Object.assign(input, await labelInput(facts, change.labels));
  return input;
}

/** Linear has one assignee: another is set where nobody is, or where the present one is removed. */
async function assigneeInput(
  facts: Facts,
  { add, remove }: NonNullable<RemoteChange['assignees']>,
): Promise<Input> {
  const { issue, present, expected, api, signal } = facts;
  const current = issue.assignee ?? null;
  const isCurrent = (name: string) => isPerson(current, name);
  const wanted = add[0] ?? null;
  const stays = current !== null && !remove.some(isCurrent);
  if (add.some(isCurrent) || (wanted === null && (stays || current === null))) return {};
  mustWrite(facts, 'the assignee', false, present.assignees[0] === expected.assignees[0]);
  if (stays) return {};
  return { assigneeId: wanted === null ? null : await userId(api, wanted, signal) };
}

/** Labels are added and removed one by one: those of others stay, and nothing conflicts. */
async function labelInput(
  facts: Facts,
  { add, remove }: NonNullable<RemoteChange['labels']>,
): Promise<Input> {
  const { issue, api, signal } = facts;
  const own = issue.labels?.nodes ?? [];
  const isOwn = (name: string) => own.some((label) => sameName(label.name, name));
  const removed = own.filter(({ name }) => remove.some((other) => sameName(name, other))).map(({ id }) => id);
  const added = await labelIds(
    api,
    add.filter((name) => !isOwn(name)),
    signal,
    parseRef(issue.identifier).team,
  );
  if (removed.length === 0 && added.length === 0) return {};
  return { addedLabelIds: added, removedLabelIds: removed };
}

/** Makes and undoes relations; true when there was any to make or undo. */
async function relate({ change, issue, present, api, signal }: Facts): Promise<boolean> {
  if (!change.blockedBy) return false;
  const { add, remove } = change.blockedBy;
  const has = (ref: RemoteRef) => present.blockedBy.some((blocker) => blocker.ref === ref);
  const fresh = [...new Set(add)].filter((ref) => !has(ref));
  for (const ref of fresh) {
    const input = { issueId: ref, relatedIssueId: issue.id, type: 'blocks' };
    await orRefused(() => api.ask(api.documents.relationCreate, { input }, signal));
  }
  const gone = (issue.inverseRelations?.nodes ?? []).filter(
    ({ type, issue: other }) => type === 'blocks' && remove.includes(other.identifier),
  );
  for (const { id } of gone) await undo(api, id, signal);
  return fresh.length > 0 || gone.length > 0;
}

async function undo(api: LinearApi, id: string, signal: AbortSignal): Promise<void> {
  try {
    await api.ask(api.documents.relationDelete, { id }, signal);
  } catch (error) {
    // Somebody else was first.
    if (!isMissing(error)) throw error;
  }
}
