// The state as the schema shows it: one object a record, whose members are its GraphQL fields. Members with arguments
// or behind another record are functions, so that nothing is computed that was not asked for.
import { connect, type PageArguments } from './connections.ts';
import {
  byId,
  type CommentRecord,
  type HistoryRecord,
  type IssueRecord,
  identifierOf,
  type LabelRecord,
  type LinearState,
  type RelationRecord,
  type Stamped,
  type StateRecord,
  type TeamRecord,
  type UserRecord,
} from './records.ts';
import type { Session } from './session.ts';

/** Fields every record has. The default resolver calls functions and reads getters. */
class View<T extends Stamped> {
  readonly session: Session;
  readonly record: T;
  constructor(session: Session, record: T) {
    this.session = session;
    this.record = record;
  }
  get all(): LinearState {
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

export type ViewOf<T extends Stamped> = new (session: Session, record: T) => View<T>;

/**
 * @param names of fields that it shows as the record has them
 * @param fields the others
 */
export function viewOf<T extends Stamped>(
  names: readonly (keyof T & string)[],
  fields: Readonly<Record<string, (view: View<T>, args: PageArguments) => unknown>>,
): ViewOf<T> {
  class Shown extends View<T> {}
  const show = (name: keyof T) => ({
    get(this: View<T>) {
      return this.record[name];
    },
  });
  for (const name of names) Object.defineProperty(Shown.prototype, name, show(name));
  const answer = (field: (view: View<T>, args: PageArguments) => unknown) =>
    function (this: View<T>, args: PageArguments) {
      return field(this, args);
    };
  for (const [name, field] of Object.entries(fields))
    Object.defineProperty(Shown.prototype, name, { value: answer(field) });
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

export const UserView: ViewOf<UserRecord> = viewOf(
  ['name', 'displayName', 'email', 'active', 'admin', 'owner', 'guest', 'app'],
  { isMe: ({ id, session }) => id === session.viewerId },
);

export const TeamView: ViewOf<TeamRecord> = viewOf(['key', 'name'], {
  states: ({ id, all, session }, args) => page(session, StateView, ofTeam(all.states, id), args),
  labels: ({ id, all, session }, args) => page(session, LabelView, ofTeam(all.labels, id), args),
  issues: ({ id, all, session }, args) => page(session, IssueView, ofTeam(all.issues, id), args),
});

const ofTeam = <T extends { teamId: string | null }>(records: readonly T[], id: string): T[] =>
  records.filter(({ teamId }) => teamId === id);

export const StateView: ViewOf<StateRecord> = viewOf(['name', 'type', 'position'], {
  team: ({ session, record }) => teamView(session, record.teamId),
});

export const LabelView: ViewOf<LabelRecord> = viewOf(['name', 'isGroup'], {
  team: ({ session, record }) => teamView(session, record.teamId),
  parent: ({ all, session, record: { parentId } }) =>
    parentId === null ? null : new LabelView(session, byId(all.labels, parentId)),
});

export const CommentView: ViewOf<CommentRecord> = viewOf(['body', 'issueId', 'parentId'], {
  editedAt: ({ record, updatedAt }) => (record.updatedAt > record.createdAt ? updatedAt : null),
  url: ({ id, session, record }) => `${addressOf(session, record.issueId)}#comment-${id.slice(0, 8)}`,
  issue: ({ session, record }) => issueView(session, record.issueId),
  parent: ({ all, session, record: { parentId } }) =>
    parentId === null ? null : new CommentView(session, byId(all.comments, parentId)),
  user: ({ session, record }) => userView(session, record.userId),
  botActor: () => null,
  externalUser: ({ record }) => outsider(record.externalUser),
});

export const RelationView: ViewOf<RelationRecord> = viewOf(['type'], {
  issue: ({ session, record }) => issueView(session, record.issueId),
  relatedIssue: ({ session, record }) => issueView(session, record.relatedIssueId),
});

export const IssueView: ViewOf<IssueRecord> = viewOf(
  ['previousIdentifiers', 'number', 'title', 'description', 'priority', 'dueDate'],
  {
    identifier: ({ all, record }) => identifierOf(all, record),
    trashed: ({ record }) => record.trashed || null,
    url: ({ id, session }) => addressOf(session, id),
    branchName: ({ all, record }) => identifierOf(all, record).toLowerCase(),
    team: ({ session, record }) => teamView(session, record.teamId),
    state: ({ session, record }) => stateView(session, record.stateId),
    assignee: ({ session, record }) => userView(session, record.assigneeId),
    delegate: ({ session, record }) => userView(session, record.delegateId ?? null),
    creator: ({ session, record }) => userView(session, record.creatorId),
    botActor: () => null,
    externalUserCreator: ({ record }) => outsider(record.externalCreator),
    parent: ({ session, record }) => issueView(session, record.parentId),
    children({ id, all, session }, args) {
      const own = all.issues.filter((one) => one.parentId === id);
      return page(session, IssueView, own, args);
    },
    labels({ all, session, record }, args) {
      const own = record.labelIds.map((each) => byId(all.labels, each));
      return page(session, LabelView, own, args);
    },
    comments: ({ id, session }, args) => page(session, CommentView, session.commentsOf(id), args),
    relations({ id, all, session }, args) {
      const own = all.relations.filter((one) => one.issueId === id);
      return page(session, RelationView, own, args);
    },
    history({ id, all, session }, args) {
      const own = all.history.filter((one) => one.issueId === id);
      const stateOf = (state: string) => stateView(session, state);
      return connect(
        own.map((one) => historyEntry(one, userView(session, one.actorId), stateOf)),
        args,
      );
    },
    inverseRelations({ id, all, session }, args) {
      const own = all.relations.filter((one) => one.relatedIssueId === id);
      return page(session, RelationView, own, args);
    },
  },
);

export const issueView = (session: Session, id: string | null) =>
  id === null ? null : new IssueView(session, session.issue(id));
export const userView = (session: Session, id: string | null) =>
  id === null ? null : new UserView(session, byId(session.state.users, id));
const teamView = (session: Session, id: string | null) =>
  id === null ? null : new TeamView(session, byId(session.state.teams, id));
const stateView = (session: Session, id: string) => new StateView(session, byId(session.state.states, id));

/** Where the issue's page is. */
function addressOf({ state, issue }: Session, id: string): string {
  const record = issue(id);
  const words = record.title.toLowerCase().match(/[a-z0-9]+/g) ?? ['issue'];
  return `${state.organization.site}/issue/${identifierOf(state, record)}/${words.join('-')}`;
}

const outsider = (name: string | null) => (name === null ? null : { id: name, name, displayName: name });

// An entry of an issue's history, as the schema shows it.
function historyEntry<U, S>(
  { id, updatedAt, title, description, state }: HistoryRecord,
  actor: U,
  stateOf: (id: string) => S,
) {
  const at = new Date(updatedAt);
  return {
    ...{ id, createdAt: at, updatedAt: at, archivedAt: null },
    ...{ actor, botActor: null, fromTitle: title?.[0] ?? null, toTitle: title?.[1] ?? null },
    updatedDescription: description || null,
    descriptionUpdatedBy: description ? [actor] : null,
    ...{ fromState: state && stateOf(state[0]), toState: state && stateOf(state[1]) },
  };
}
