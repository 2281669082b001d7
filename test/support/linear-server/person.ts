// What a person does in Linear's own window: edits of the state that keep its rules (times, numbers, identifiers).
import {
  addUser,
  byId,
  type CommentRecord,
  findIssue,
  type IssueRecord,
  identifierOf,
  type LabelRecord,
  type LinearState,
  newIssue,
  type RelationRecord,
  type StateRecord,
  type StateType,
  stamp,
  type UserRecord,
  withHistory,
} from './records.ts';
import { rewriteMarkdown } from './rewrite-markdown.ts';

export interface NewIssue {
  title?: string;
  description?: string;
  team?: string;
  /** A state's name or type. */
  state?: string;
  by?: UserRecord;
  labels?: string[];
  assignee?: UserRecord | null;
  priority?: number;
  dueDate?: string | null;
  parent?: string | null;
  externalCreator?: string;
}

export type IssueEdit = Omit<NewIssue, 'externalCreator'>;

/** The person's hands on one server state. Issues are named by identifier or UUID. */
export function createPerson(state: LinearState) {
  const ann = state.users.find((user) => user.name === 'Ann') ?? addUser(state, 'Ann');

  function issueOf(name: string): IssueRecord {
    const issue = findIssue(state, name);
    if (!issue) throw new Error(`no issue ${name}`);
    return issue;
  }

  function stateOf(teamId: string, word: string): StateRecord {
    const own = state.states.filter((one) => one.teamId === teamId);
    own.sort((a, b) => a.position - b.position);
    const found = own.find((one) => one.name === word) ?? own.find((one) => one.type === (word as StateType));
    if (!found) throw new Error(`no state ${word}`);
    return found;
  }

  function labelOf(teamId: string, name: string): LabelRecord {
    const found = state.labels.find((one) => one.name === name && (one.teamId ?? teamId) === teamId);
    if (found) return found;
    const made: LabelRecord = { ...stamp(state), name, isGroup: false, teamId, parentId: null };
    state.labels.push(made);
    return made;
  }

  function apply(issue: IssueRecord, edit: IssueEdit): void {
    if (edit.title !== undefined) issue.title = edit.title;
    if (edit.description !== undefined) issue.description = rewriteMarkdown(edit.description) || null;
    if (edit.state !== undefined) issue.stateId = stateOf(issue.teamId, edit.state).id;
    if (edit.labels) issue.labelIds = edit.labels.map((name) => labelOf(issue.teamId, name).id);
    if (edit.assignee !== undefined) issue.assigneeId = edit.assignee?.id ?? null;
    if (edit.priority !== undefined) issue.priority = edit.priority;
    if (edit.dueDate !== undefined) issue.dueDate = edit.dueDate;
    if (edit.parent !== undefined) issue.parentId = edit.parent === null ? null : issueOf(edit.parent).id;
  }

  return {
    ann,
    /** Makes an issue and answers its identifier. */
    addIssue(fresh: NewIssue = {}): string {
      const team = state.teams.find((one) => one.key === (fresh.team ?? 'ENG'));
      if (!team) throw new Error(`no team ${fresh.team}`);
      const { externalCreator = null, by = ann } = fresh;
      const creatorId = externalCreator === null ? by.id : null;
      const stateId = stateOf(team.id, 'Todo').id;
      const issue = newIssue(team, { ...stamp(state), stateId, creatorId, externalCreator });
      apply(issue, fresh);
      state.issues.push(issue);
      return identifierOf(state, issue);
    },
    editIssue(name: string, edit: IssueEdit): void {
      const issue = issueOf(name);
      withHistory(state, issue, (edit.by ?? ann).id, () => apply(issue, edit));
      issue.updatedAt = state.now;
    },
    /** Moves it to another team: a new number there, the old identifier goes on leading to it. */
    moveIssue(name: string, key: string): string {
      const issue = issueOf(name);
      const team = state.teams.find((one) => one.key === key);
      if (!team) throw new Error(`no team ${key}`);
      const { type } = byId(state.states, issue.stateId);
      issue.previousIdentifiers.push(identifierOf(state, issue));
      team.lastNumber += 1;
      Object.assign(issue, { teamId: team.id, number: team.lastNumber, updatedAt: state.now });
      issue.stateId = stateOf(team.id, type).id;
      return identifierOf(state, issue);
    },
    archiveIssue(name: string): void {
      Object.assign(issueOf(name), { archivedAt: state.now, updatedAt: state.now });
    },
    /** What the person calls deleting: the issue lies in the trash for 30 days. */
    trashIssue(name: string): void {
      Object.assign(issueOf(name), { archivedAt: state.now, updatedAt: state.now, trashed: true });
    },
    /** What the end of the 30 days does. */
    destroyIssue(name: string): void {
      const { id } = issueOf(name);
      state.issues = state.issues.filter((issue) => issue.id !== id);
      state.comments = state.comments.filter((comment) => comment.issueId !== id);
      state.relations = state.relations.filter((one) => one.issueId !== id && one.relatedIssueId !== id);
    },
    /** Comments and answers the comment's id. A comment does not touch its issue's `updatedAt`. */
    addComment(
      name: string,
      body: string,
      from: { by?: UserRecord; external?: string; parent?: string } = {},
    ): string {
      const comment: CommentRecord = {
        ...stamp(state),
        issueId: issueOf(name).id,
        parentId: from.parent ?? null,
        userId: from.external === undefined ? (from.by ?? ann).id : null,
        externalUser: from.external ?? null,
        body: rewriteMarkdown(body),
      };
      state.comments.push(comment);
      return comment.id;
    },
    editComment(id: string, body: string): void {
      Object.assign(byId(state.comments, id), { body: rewriteMarkdown(body), updatedAt: state.now });
    },
    deleteComment(id: string): void {
      state.comments = state.comments.filter((comment) => comment.id !== id);
    },
    relate(from: string, type: RelationRecord['type'], to: string): void {
      const ends = { issueId: issueOf(from).id, relatedIssueId: issueOf(to).id };
      state.relations.push({ ...stamp(state), type, ...ends });
      for (const name of [from, to]) issueOf(name).updatedAt = state.now;
    },
    unrelate(from: string, to: string): void {
      const ends = [issueOf(from).id, issueOf(to).id];
      state.relations = state.relations.filter(
        (one) => one.issueId !== ends[0] || one.relatedIssueId !== ends[1],
      );
      for (const name of [from, to]) issueOf(name).updatedAt = state.now;
    },
  };
}
