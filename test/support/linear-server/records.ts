// The server's whole state as plain records, which a test may read and edit like a person upstream. References are
// ids; every time is epoch ms on the server's own clock `now`.
import { randomUUID } from 'node:crypto';

export const STATE_TYPES = [
  ...['triage', 'backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate'],
] as const;
export type StateType = (typeof STATE_TYPES)[number];

export type Stamped = { id: string; createdAt: number; updatedAt: number; archivedAt: number | null };

export interface UserRecord extends Stamped {
  name: string;
  displayName: string;
  email: string;
  active: boolean;
  admin: boolean;
  owner: boolean;
  guest: boolean;
  app: boolean;
}

export interface TeamRecord extends Stamped {
  key: string;
  name: string;
  lastNumber: number;
}

export interface StateRecord extends Stamped {
  teamId: string;
  name: string;
  type: StateType;
  position: number;
}

export interface LabelRecord extends Stamped {
  name: string;
  isGroup: boolean;
  /** Null for a label of the whole workspace. */
  teamId: string | null;
  parentId: string | null;
}

export interface IssueRecord extends Stamped {
  teamId: string;
  number: number;
  previousIdentifiers: string[];
  title: string;
  description: string | null;
  stateId: string;
  assigneeId: string | null;
  /** The app that works on it. */
  delegateId?: string | null;
  creatorId: string | null;
  /** Display name of a person outside the workspace who made it; with `creatorId` null. */
  externalCreator: string | null;
  parentId: string | null;
  priority: number;
  dueDate: string | null;
  labelIds: string[];
  trashed: boolean;
}

export interface CommentRecord extends Stamped {
  issueId: string;
  parentId: string | null;
  userId: string | null;
  externalUser: string | null;
  body: string;
}

/** An app's work on an issue, as those who asked for it follow it. */
export interface AgentSessionRecord extends Stamped {
  issueId: string;
  appUserId: string;
  creatorId: string | null;
  status: 'pending' | 'active' | 'awaitingInput' | 'complete' | 'error';
  plan: unknown;
  externalLinks: { label: string; url: string }[];
}

export interface AgentActivityRecord extends Stamped {
  sessionId: string;
  userId: string;
  content: { type: string; body?: string; action?: string; parameter?: string; result?: string };
  signal: string | null;
  sourceCommentId: string | null;
}

export interface RelationRecord extends Stamped {
  type: 'blocks' | 'duplicate' | 'related' | 'similar';
  issueId: string;
  relatedIssueId: string;
}

/** What somebody changed of an issue's words or state. */
export interface HistoryRecord extends Stamped {
  issueId: string;
  actorId: string;
  title: [string, string] | null;
  description: boolean;
  state: [string, string] | null;
}

export interface LinearState {
  /** The server's clock. */
  now: number;
  /** `site` is where its pages are. */
  organization: { id: string; name: string; urlKey: string; site: string };
  /** API key or access token to user id. */
  keys: Map<string, string>;
  users: UserRecord[];
  teams: TeamRecord[];
  states: StateRecord[];
  labels: LabelRecord[];
  issues: IssueRecord[];
  comments: CommentRecord[];
  relations: RelationRecord[];
  sessions: AgentSessionRecord[];
  activities: AgentActivityRecord[];
  history: HistoryRecord[];
  /** Ids that were ever used: Linear does not take one a second time, even after a deletion. */
  usedIds: Set<string>;
}

/** Fields every record has, stamped with the server's clock. Takes `id` as used. */
export function stamp(state: LinearState, id: string = randomUUID()): Stamped {
  state.usedIds.add(id);
  return { id, createdAt: state.now, updatedAt: state.now, archivedAt: null };
}

/** Puts into the history what `change` made of an issue. */
export function withHistory(
  state: LinearState,
  issue: IssueRecord,
  actorId: string,
  change: () => void,
): void {
  const { title, description, stateId } = issue;
  change();
  const entry: HistoryRecord = {
    ...stamp(state),
    issueId: issue.id,
    actorId,
    title: issue.title === title ? null : [title, issue.title],
    description: issue.description !== description,
    state: issue.stateId === stateId ? null : [stateId, issue.stateId],
  };
  if (entry.title || entry.description || entry.state) state.history.push(entry);
}

const DEFAULT_STATES: readonly [string, StateType][] = [
  ['Triage', 'triage'],
  ['Backlog', 'backlog'],
  ['Todo', 'unstarted'],
  ['In Progress', 'started'],
  ['In Review', 'started'],
  ['Done', 'completed'],
  ['Canceled', 'canceled'],
  ['Duplicate', 'duplicate'],
];

/** Adds a team with Linear's own states, whose order in the list is not their order by position. */
export function addTeam(state: LinearState, key: string): TeamRecord {
  const team: TeamRecord = { ...stamp(state), key, name: `Team ${key}`, lastNumber: 0 };
  state.teams.push(team);
  DEFAULT_STATES.forEach(([name, type], position) => {
    state.states.unshift({ ...stamp(state), teamId: team.id, name, type, position });
  });
  return team;
}

/** Adds a user. A member unless told otherwise. */
export function addUser(state: LinearState, name: string, role: Partial<UserRecord> = {}): UserRecord {
  const display = name.toLowerCase();
  const user: UserRecord = {
    ...stamp(state),
    name,
    displayName: display,
    email: `${display}@example.com`,
    ...{ active: true, admin: false, owner: false, guest: false, app: false },
    ...role,
  };
  state.users.push(user);
  return user;
}

/** The team's next issue. */
export function newIssue(
  team: TeamRecord,
  more: Stamped & Pick<IssueRecord, 'stateId' | 'creatorId'> & Partial<IssueRecord>,
): IssueRecord {
  team.lastNumber += 1;
  return {
    ...{ teamId: team.id, number: team.lastNumber, previousIdentifiers: [], trashed: false },
    ...{ title: `Issue ${team.lastNumber}`, description: null, labelIds: [], priority: 0, dueDate: null },
    ...{ assigneeId: null, externalCreator: null, parentId: null },
    ...more,
  };
}

/** A workspace without people, teams or issues. */
export function createWorkspace(now: number): LinearState {
  return {
    now,
    organization: { id: randomUUID(), name: 'Acme', urlKey: 'acme', site: 'https://linear.app/acme' },
    keys: new Map(),
    ...{ users: [], teams: [], states: [], labels: [], issues: [], comments: [], relations: [] },
    ...{ sessions: [], activities: [], history: [] },
    usedIds: new Set(),
  };
}

/** A workspace with a team `ENG`, whose key `lin_api_good` belongs to the member `bot`. */
export function createLinearState(now = Date.UTC(2026, 10, 20, 9)): LinearState {
  const state = createWorkspace(now);
  state.keys.set('lin_api_good', addUser(state, 'Bot').id);
  addTeam(state, 'ENG');
  return state;
}

/** The record with that id. Throws where a test named one that is not there. */
export function byId<T extends { id: string }>(records: readonly T[], id: string): T {
  const found = records.find((record) => record.id === id);
  if (!found) throw new Error(`no record ${id}`);
  return found;
}

/** `ENG-12`. */
export function identifierOf(state: LinearState, issue: IssueRecord): string {
  return `${byId(state.teams, issue.teamId).key}-${issue.number}`;
}

/** The issue a UUID, an identifier or an earlier identifier names. */
export function findIssue(state: LinearState, name: string): IssueRecord | undefined {
  return (
    state.issues.find((issue) => issue.id === name || identifierOf(state, issue) === name.toUpperCase()) ??
    state.issues.find((issue) => issue.previousIdentifiers.includes(name.toUpperCase()))
  );
}
