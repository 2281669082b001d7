// The state as the schema shows it: one object a record, whose members are its GraphQL fields. Members with arguments
// or behind another record are functions, so that nothing is computed that was not asked for.
import { connect, type PageArguments } from './connections.ts';
import { historyEntry } from './history-entry.ts';
import {
  byId,
  type CommentRecord,
  type IssueRecord,
  identifierOf,
  type LabelRecord,
  type LinearState,
  type RelationRecord,
  type StateRecord,
  type TeamRecord,
  type UserRecord,
} from './records.ts';
import type { Session } from './session.ts';

interface Stamped {
  id: string;
  createdAt: number;
  updatedAt: number;
  archivedAt: number | null;
}

/** Fields every record has. The default resolver calls functions and reads getters. */
abstract class View<T extends Stamped> {
  protected readonly session: Session;
  protected readonly record: T;
  constructor(session: Session, record: T) {
    this.session = session;
    this.record = record;
  }
  protected get all(): LinearState {
    return this.session.state;
  }
  get id() {
    return this.record.id;
  }
  get createdAt() {
    return new Date(this.record.createdAt);
  }
  get updatedAt() {
    return new Date(this.record.updatedAt);
  }
  get archivedAt() {
    return this.record.archivedAt === null ? null : new Date(this.record.archivedAt);
  }
}

/** A view that shows these fields as the record has them. */
export function viewOf<T extends Stamped>(...names: (keyof T & string)[]) {
  abstract class Shown extends View<T> {}
  const show = (name: keyof T) => ({
    get(this: { record: T }) {
      return this.record[name];
    },
  });
  for (const name of names) Object.defineProperty(Shown.prototype, name, show(name));
  return Shown;
}

/** The page of these records that the arguments ask for. */
export function page<T extends Stamped, V extends View<T>>(
  session: Session,
  Shown: new (session: Session, record: T) => V,
  records: readonly T[],
  args: PageArguments,
) {
  return connect(
    records.map((one) => new Shown(session, one)),
    args,
  );
}

export class UserView extends viewOf<UserRecord>(
  'name',
  'displayName',
  'email',
  'active',
  'admin',
  'owner',
  'guest',
  'app',
) {
  get isMe() {
    return this.record.id === this.session.viewerId;
  }
}

export class TeamView extends viewOf<TeamRecord>('key', 'name') {
  states(args: PageArguments) {
    const own = this.all.states.filter((one) => one.teamId === this.id);
    return page(this.session, StateView, own, args);
  }
  labels(args: PageArguments) {
    const own = this.all.labels.filter((one) => one.teamId === this.id);
    return page(this.session, LabelView, own, args);
  }
  issues(args: PageArguments) {
    const own = this.all.issues.filter((one) => one.teamId === this.id);
    return page(this.session, IssueView, own, args);
  }
}

export class StateView extends viewOf<StateRecord>('name', 'type', 'position') {
  team() {
    return new TeamView(this.session, byId(this.all.teams, this.record.teamId));
  }
}

export class LabelView extends viewOf<LabelRecord>('name', 'isGroup') {
  team() {
    const { teamId } = this.record;
    return teamId === null ? null : new TeamView(this.session, byId(this.all.teams, teamId));
  }
  parent() {
    const { parentId } = this.record;
    return parentId === null ? null : new LabelView(this.session, byId(this.all.labels, parentId));
  }
}

export class CommentView extends viewOf<CommentRecord>('body', 'issueId', 'parentId') {
  get editedAt() {
    return this.record.updatedAt > this.record.createdAt ? this.updatedAt : null;
  }
  get url() {
    return `${this.issue().url}#comment-${this.id.slice(0, 8)}`;
  }
  issue() {
    return new IssueView(this.session, this.session.issue(this.record.issueId));
  }
  parent() {
    const { parentId } = this.record;
    return parentId === null ? null : new CommentView(this.session, byId(this.all.comments, parentId));
  }
  user() {
    return userView(this.session, this.record.userId);
  }
  readonly botActor = null;
  externalUser() {
    return outsider(this.record.externalUser);
  }
}

export class RelationView extends viewOf<RelationRecord>('type') {
  issue() {
    return new IssueView(this.session, this.session.issue(this.record.issueId));
  }
  relatedIssue() {
    return new IssueView(this.session, this.session.issue(this.record.relatedIssueId));
  }
}

export class IssueView extends viewOf<IssueRecord>(
  'previousIdentifiers',
  'number',
  'title',
  'description',
  'priority',
  'dueDate',
) {
  get identifier() {
    return identifierOf(this.all, this.record);
  }
  get trashed() {
    return this.record.trashed || null;
  }
  get url() {
    const words = this.record.title.toLowerCase().match(/[a-z0-9]+/g) ?? ['issue'];
    return `${this.all.organization.site}/issue/${this.identifier}/${words.join('-')}`;
  }
  get branchName() {
    return this.identifier.toLowerCase();
  }
  team() {
    return new TeamView(this.session, byId(this.all.teams, this.record.teamId));
  }
  state() {
    return new StateView(this.session, byId(this.all.states, this.record.stateId));
  }
  assignee() {
    return userView(this.session, this.record.assigneeId);
  }
  delegate() {
    return userView(this.session, this.record.delegateId ?? null);
  }
  creator() {
    return userView(this.session, this.record.creatorId);
  }
  readonly botActor = null;
  externalUserCreator() {
    return outsider(this.record.externalCreator);
  }
  parent() {
    const { parentId } = this.record;
    return parentId === null ? null : new IssueView(this.session, this.session.issue(parentId));
  }
  children(args: PageArguments) {
    const own = this.all.issues.filter((one) => one.parentId === this.id);
    return page(this.session, IssueView, own, args);
  }
  labels(args: PageArguments) {
    const own = this.record.labelIds.map((id) => byId(this.all.labels, id));
    return page(this.session, LabelView, own, args);
  }
  comments(args: PageArguments) {
    const own = this.session.commentsOf(this.id);
    return page(this.session, CommentView, own, args);
  }
  relations(args: PageArguments) {
    const own = this.all.relations.filter((one) => one.issueId === this.id);
    return page(this.session, RelationView, own, args);
  }
  history(args: PageArguments) {
    const own = this.all.history.filter((one) => one.issueId === this.id);
    return connect(
      own.map((one) => {
        const stateOf = (id: string) => new StateView(this.session, byId(this.all.states, id));
        return historyEntry(one, userView(this.session, one.actorId), stateOf);
      }),
      args,
    );
  }
  inverseRelations(args: PageArguments) {
    const own = this.all.relations.filter((one) => one.relatedIssueId === this.id);
    return page(this.session, RelationView, own, args);
  }
}

export function userView(session: Session, id: string | null): UserView | null {
  return id === null ? null : new UserView(session, byId(session.state.users, id));
}

function outsider(name: string | null) {
  return name === null ? null : { id: name, name, displayName: name };
}
