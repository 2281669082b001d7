// The shapes of Linear's answers, as the documents ask for them. A field that a trimmed source does not ask for is
// absent; nothing here is believed beyond that.

export interface UserAnswer {
  id: string;
  name: string;
  displayName: string;
  email: string;
  isMe: boolean;
  owner: boolean;
  admin: boolean;
  guest: boolean;
  app: boolean;
}

export interface CommentAnswer {
  id: string;
  body: string;
  createdAt: string;
  updatedAt: string;
  user: UserAnswer | null;
  botActor: { name: string | null } | null;
  externalUser: { displayName: string } | null;
}

export interface PageInfo {
  hasNextPage: boolean;
  endCursor?: string | null;
}

export interface RelationAnswer {
  id: string;
  type: string;
  issue: { identifier: string; state: { type: string } };
}

/** What a poll says of an issue. */
export interface GistAnswer {
  id: string;
  updatedAt: string;
  title: string;
  description?: string | null;
  state: { name: string; type: string };
  priority?: number;
  dueDate?: string | null;
  assignee?: { id: string } | null;
  labels?: { nodes: { id: string; name: string }[]; pageInfo?: PageInfo };
  parent?: { identifier: string } | null;
}

export interface IssueAnswer extends GistAnswer {
  identifier: string;
  url: string;
  createdAt: string;
  trashed: boolean | null;
  creator: UserAnswer | null;
  botActor: { name: string | null } | null;
  externalUserCreator: { displayName: string } | null;
  assignee?: { id: string; name: string; displayName: string; email: string; isMe: boolean } | null;
  inverseRelations?: { nodes: RelationAnswer[]; pageInfo?: PageInfo };
  comments?: { nodes: CommentAnswer[]; pageInfo: PageInfo };
}

/** An entry of an issue's history. */
export interface HistoryAnswer {
  updatedAt: string;
  fromTitle: string | null;
  updatedDescription: boolean | null;
  fromState: { type: string } | null;
  toState: { type: string } | null;
  actor: UserAnswer | null;
  descriptionUpdatedBy: UserAnswer[] | null;
  botActor: { name: string | null } | null;
}

export interface ChangedComment {
  id: string;
  updatedAt: string;
  body: string;
  issue: { id: string } | null;
}

export interface StateAnswer {
  id: string;
  name: string;
  type: string;
  position: number;
}

export interface TeamAnswer {
  id: string;
  key: string;
  states: { nodes: StateAnswer[] };
}

/** The oldest of a list, newest of them first. */
export interface OldestPage<T> {
  nodes: T[];
  pageInfo: { hasPreviousPage: boolean };
}
