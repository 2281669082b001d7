// All that `emulate`'s Linear holds, read in one request and told as the strict server's records: its queries then
// filter, order and page what `emulate` can only list.
import { createWorkspace, type LinearState, type StateType } from '../linear-server/records.ts';
import type { ClientIds } from './client-ids.ts';
import type { Call } from './emulator.ts';

interface Stamped {
  id: string;
  createdAt: string;
  updatedAt: string;
  archivedAt?: string | null;
}
interface Id {
  id: string;
}
interface Nodes<T> {
  nodes: T[];
}
interface User extends Stamped {
  name: string;
  displayName: string;
  email: string;
  active: boolean;
  admin: boolean;
  owner: boolean;
  guest: boolean;
  app: boolean;
}
interface Issue extends Stamped {
  number: number;
  title: string;
  description: string | null;
  priority: number;
  dueDate: string | null;
  team: Id;
  state: Id;
  assignee: Id | null;
  creator: Id | null;
  labels: Nodes<Id>;
}

interface Everything {
  viewer: Id;
  organization: { id: string; name: string; urlKey: string; url: string };
  users: Nodes<User>;
  teams: Nodes<Stamped & { key: string; name: string }>;
  workflowStates: Nodes<Stamped & { name: string; type: StateType; position: number; team: Id }>;
  issueLabels: Nodes<Stamped & { name: string; team: Id | null }>;
  issues: Nodes<Issue>;
  comments: Nodes<Stamped & { body: string; issue: Id; user: Id | null }>;
}

const STAMPS = 'id createdAt updatedAt';
const EVERYTHING = `query($most: Int) {
  viewer { id }
  organization { id name urlKey url }
  users(first: $most) { nodes { ${STAMPS} name displayName email active admin owner guest app } }
  teams(first: $most) { nodes { ${STAMPS} key name } }
  workflowStates(first: $most) { nodes { ${STAMPS} name type position team { id } } }
  issueLabels(first: $most) { nodes { ${STAMPS} name team { id } } }
  issues(first: $most) { nodes {
    ${STAMPS} archivedAt number title description priority dueDate
    team { id } state { id } assignee { id } creator { id } labels(first: $most) { nodes { id } }
  } }
  comments(first: $most) { nodes { ${STAMPS} body issue { id } user { id } } }
}`;
/** More than any test makes. */
const MOST = 100_000;

export interface Snapshot {
  state: LinearState;
  viewerId: string;
}

export async function readSnapshot(call: Call, { toClient }: ClientIds): Promise<Snapshot> {
  const all = await call<Everything>(EVERYTHING, { most: MOST });
  const { id, name, urlKey, url } = all.organization;
  const stamped = <T extends Stamped>(record: T) => ({
    ...record,
    id: toClient(record.id),
    createdAt: Date.parse(record.createdAt),
    updatedAt: Date.parse(record.updatedAt),
    archivedAt: record.archivedAt ? Date.parse(record.archivedAt) : null,
  });
  const state: LinearState = {
    ...createWorkspace(Date.now()),
    organization: { id, name, urlKey, site: url },
    users: all.users.nodes.map(stamped),
    teams: all.teams.nodes.map((team) => ({ ...stamped(team), lastNumber: 0 })),
    states: all.workflowStates.nodes.map((one) => ({ ...stamped(one), teamId: one.team.id })),
    labels: all.issueLabels.nodes.map((label) => ({
      ...stamped(label),
      teamId: label.team?.id ?? null,
      isGroup: false,
      parentId: null,
    })),
    issues: all.issues.nodes.map((issue) => ({
      ...stamped(issue),
      teamId: issue.team.id,
      stateId: issue.state.id,
      assigneeId: issue.assignee?.id ?? null,
      creatorId: issue.creator?.id ?? null,
      labelIds: issue.labels.nodes.map((label) => label.id),
      previousIdentifiers: [],
      externalCreator: null,
      parentId: null,
      trashed: false,
    })),
    comments: all.comments.nodes.map((comment) => ({
      ...stamped(comment),
      issueId: toClient(comment.issue.id),
      userId: comment.user?.id ?? null,
      externalUser: null,
      parentId: null,
    })),
  };
  return { state, viewerId: all.viewer.id };
}
