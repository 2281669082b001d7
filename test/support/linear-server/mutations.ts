// The root fields that write, with the checks Linear makes: ids of its form that were never used, references that lead
// somewhere, texts within its limits, roles that may.
import { forbidden, inputError, notFound } from './answer-errors.ts';
import {
  byId,
  type CommentRecord,
  findIssue,
  type IssueRecord,
  type LabelRecord,
  type LinearState,
  newIssue,
  type RelationRecord,
  stamp,
  withHistory,
} from './records.ts';
import { rewriteMarkdown } from './rewrite-markdown.ts';
import type { Session } from './session.ts';
import { CommentView, IssueView, LabelView, RelationView } from './views.ts';

export const MAX_TEXT = 250_000;
const MAX_TITLE = 255;
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

interface IssueInput {
  id?: string | null;
  teamId?: string;
  title?: string | null;
  description?: string | null;
  stateId?: string | null;
  assigneeId?: string | null;
  parentId?: string | null;
  priority?: number | null;
  dueDate?: string | null;
  labelIds?: string[] | null;
  addedLabelIds?: string[] | null;
  removedLabelIds?: string[] | null;
  trashed?: boolean | null;
}

type RelationInput = {
  id?: string | null;
  issueId: string;
  relatedIssueId: string;
  type: RelationRecord['type'];
};
type LabelInput = { id?: string | null; name: string; teamId?: string | null; isGroup?: boolean | null };
type CommentInput = {
  id?: string | null;
  issueId?: string | null;
  parentId?: string | null;
  body?: string | null;
};

/** Root fields of `Mutation` for one request. */
export function createMutations(session: Session) {
  const { state } = session;
  const done = { success: true, lastSyncId: state.usedIds.size };
  return {
    issueCreate({ input }: { input: IssueInput }) {
      const team = state.teams.find((one) => one.id === input.teamId);
      if (!team) throw notFound('Team');
      if (!input.title?.trim()) throw inputError('Argument Validation Error - title must not be empty');
      const fresh = freshStamp(state, input.id);
      const [stateId, creatorId] = [firstState(state, team.id), session.viewerId];
      const issue = newIssue(team, { ...fresh, stateId, creatorId });
      writeIssue(state, issue, input);
      state.issues.push(issue);
      return { ...done, issue: new IssueView(session, issue) };
    },
    issueUpdate({ id, input }: { id: string; input: IssueInput }) {
      const issue = requireIssue(state, id);
      withHistory(state, issue, session.viewerId, () => writeIssue(state, issue, input));
      issue.updatedAt = state.now;
      return { ...done, issue: new IssueView(session, issue) };
    },
    issueArchive({ id, trash }: { id: string; trash?: boolean | null }) {
      const issue = requireIssue(state, id);
      Object.assign(issue, { archivedAt: state.now, updatedAt: state.now, trashed: trash === true });
      return { ...done, entity: new IssueView(session, issue) };
    },
    commentCreate({ input }: { input: CommentInput }) {
      const issue = requireIssue(state, input.issueId ?? '');
      const comment: CommentRecord = {
        ...freshStamp(state, input.id),
        issueId: issue.id,
        parentId: input.parentId ?? null,
        userId: session.viewerId,
        externalUser: null,
        body: checkText('body', input.body),
      };
      state.comments.push(comment);
      return { ...done, comment: new CommentView(session, comment) };
    },
    commentUpdate({ id, input }: { id: string; input: { body?: string | null } }) {
      const comment = state.comments.find((one) => one.id === id);
      if (!comment) throw notFound('Comment');
      if (comment.userId !== session.viewerId) throw forbidden();
      Object.assign(comment, { body: checkText('body', input.body), updatedAt: state.now });
      return { ...done, comment: new CommentView(session, comment) };
    },
    issueLabelCreate({ input }: { input: LabelInput }) {
      const same = (one: LabelRecord) => one.name.toLowerCase() === input.name.toLowerCase();
      if (state.labels.some((one) => same(one) && one.teamId === (input.teamId ?? null)))
        throw inputError('duplicate label name', 'A label with this name already exists.');
      const { name, teamId = null } = input;
      const label = {
        ...freshStamp(state, input.id),
        name,
        teamId,
        isGroup: input.isGroup === true,
        parentId: null,
      };
      state.labels.push(label);
      return { ...done, issueLabel: new LabelView(session, label) };
    },
    issueRelationCreate({ input }: { input: RelationInput }) {
      const [issue, related] = [
        requireIssue(state, input.issueId),
        requireIssue(state, input.relatedIssueId),
      ];
      if (issue.id === related.id) throw inputError('An issue can not be related to itself');
      const ends = { issueId: issue.id, relatedIssueId: related.id };
      const relation: RelationRecord = { ...freshStamp(state, input.id), type: input.type, ...ends };
      state.relations.push(relation);
      for (const end of [issue, related]) end.updatedAt = state.now;
      return { ...done, issueRelation: new RelationView(session, relation) };
    },
    issueRelationDelete({ id }: { id: string }) {
      const relation = state.relations.find((one) => one.id === id);
      if (!relation) throw notFound('IssueRelation');
      state.relations = state.relations.filter((one) => one.id !== id);
      for (const end of [relation.issueId, relation.relatedIssueId])
        byId(state.issues, end).updatedAt = state.now;
      return { ...done, entityId: id };
    },
  };
}

export function freshStamp(state: LinearState, id: string | null | undefined) {
  if (id == null) return stamp(state);
  if (!UUID_V4.test(id))
    throw inputError('Argument Validation Error - id must be a UUID', 'id must be a UUID');
  if (state.usedIds.has(id))
    throw inputError('Entity already exists', 'An entity with this id already exists.');
  return stamp(state, id);
}

function requireIssue(state: LinearState, id: string): IssueRecord {
  const issue = findIssue(state, id);
  if (!issue) throw notFound('Issue');
  return issue;
}

function firstState(state: LinearState, teamId: string): string {
  const own = state.states.filter((one) => one.teamId === teamId && one.type === 'backlog');
  const first = own.sort((a, b) => a.position - b.position)[0];
  if (!first) throw notFound('WorkflowState');
  return first.id;
}

function checkText(field: string, text: string | null | undefined): string {
  if (!text?.trim()) throw inputError(`Argument Validation Error - ${field} must not be empty`);
  if (text.length > MAX_TEXT) throw inputError(`Argument Validation Error - ${field} is too long`);
  return rewriteMarkdown(text);
}

function writeIssue(state: LinearState, issue: IssueRecord, input: IssueInput): void {
  const labels = [
    ...(input.labelIds ?? []),
    ...(input.addedLabelIds ?? []),
    ...(input.removedLabelIds ?? []),
  ];
  for (const id of labels) checkLabel(state, issue, id);
  if (input.title != null) {
    if (!input.title.trim()) throw inputError('Argument Validation Error - title must not be empty');
    if (input.title.length > MAX_TITLE) throw inputError('Argument Validation Error - title is too long');
    issue.title = input.title.replace(/\s+/g, ' ').trim();
  }
  if (input.description !== undefined) {
    if ((input.description?.length ?? 0) > MAX_TEXT) throw inputError('description is too long');
    issue.description = rewriteMarkdown(input.description ?? '') || null;
  }
  if (input.stateId != null) {
    const target = state.states.find((one) => one.id === input.stateId && one.teamId === issue.teamId);
    if (!target) throw notFound('WorkflowState');
    if (target.type === 'duplicate') throw inputError('Duplicate is set by a relation');
    issue.stateId = target.id;
  }
  if (input.assigneeId !== undefined) {
    const known = input.assigneeId === null || state.users.some((one) => one.id === input.assigneeId);
    if (!known) throw notFound('User');
    issue.assigneeId = input.assigneeId;
  }
  if (input.parentId !== undefined)
    issue.parentId = input.parentId === null ? null : requireIssue(state, input.parentId).id;
  if (input.priority != null) issue.priority = checkPriority(input.priority);
  if (input.dueDate !== undefined) issue.dueDate = input.dueDate;
  if (input.labelIds) issue.labelIds = [...new Set(input.labelIds)];
  const removed = input.removedLabelIds ?? [];
  issue.labelIds = [...new Set([...issue.labelIds, ...(input.addedLabelIds ?? [])])];
  issue.labelIds = issue.labelIds.filter((id) => !removed.includes(id));
}

function checkPriority(priority: number): number {
  if (priority < 0 || priority > 4) throw inputError('Argument Validation Error - priority must be 0 to 4');
  return priority;
}

function checkLabel(state: LinearState, issue: IssueRecord, id: string): void {
  const label = state.labels.find((one) => one.id === id);
  if (!label || (label.teamId !== null && label.teamId !== issue.teamId)) throw notFound('IssueLabel');
  if (label.isGroup) throw inputError('A label group can not be applied to an issue');
}
