// What the GitHub-shaped server knows: plain data that a test may read and edit at will. Times are epoch milliseconds
// on the server's own clock, `nowMs`, which only a test moves.

export type Association = 'OWNER' | 'MEMBER' | 'COLLABORATOR' | 'CONTRIBUTOR' | 'NONE';
export type StateReason = 'completed' | 'not_planned' | 'duplicate' | 'reopened';

export type StoredComment = { id: number; user: string; body: string; createdAt: number; updatedAt: number };

/** Why a number answers no more. */
export type Gone =
  | { kind: 'deleted' }
  | { kind: 'converted' }
  | { kind: 'transferred'; repo: string; number: number };

export interface StoredIssue {
  id: number;
  number: number;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  stateReason: StateReason | null;
  /** Null as for an account that was deleted. */
  user: string | null;
  labels: string[];
  assignees: string[];
  /** Number of the milestone. */
  milestone: number | null;
  /** Name of the issue type. */
  type?: string | null;
  locked: boolean;
  createdAt: number;
  updatedAt: number;
  closedAt: number | null;
  pull: { mergedAt: number | null } | null;
  comments: StoredComment[];
  /** Ids of issues, in any repository. */
  blockedBy: number[];
  parent: number | null;
  gone: Gone | null;
  /** Edits of title and body, and reopenings, oldest first; absent for none. */
  acts?: { what: 'title' | 'body' | 'reopened'; by: string | null; at: number }[];
}

export interface StoredMilestone {
  id: number;
  number: number;
  title: string;
  state: 'open' | 'closed';
  createdAt: number;
}

export interface StoredRepo {
  id: number;
  fullName: string;
  private: boolean;
  hasIssues: boolean;
  labels: Map<string, { id: number; color: string }>;
  milestones: StoredMilestone[];
  issues: StoredIssue[];
  people: Map<string, Association>;
  pulls?: StoredPull[];
  noMergeCommits?: boolean;
  checks?: StoredCheck[];
  /** The last commit of a branch, null where there is none; absent: it has no branches. */
  tipOf?(branch: string): string | null;
}

export interface StoredPull {
  number: number;
  title: string;
  body: string | null;
  head: string;
  base: string;
  draft: boolean;
  state: 'open' | 'closed';
  mergedAt: number | null;
  mergeable: boolean | null;
  user: string;
  createdAt: number;
  reviews: {
    id: number;
    user: string;
    body: string;
    state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED';
    submittedAt: number;
  }[];
  /** In its conversation. */
  comments: StoredComment[];
  /** Comments on lines. */
  remarks: {
    id: number;
    user: string;
    body: string;
    path: string;
    line: number | null;
    hunk: string;
    replyTo: number | null;
    createdAt: number;
  }[];
}

export interface StoredCheck {
  id: number;
  name: string;
  sha: string;
  /** Null while it runs. */
  conclusion: 'success' | 'failure' | 'skipped' | null;
  summary: string;
  /** What its program printed; absent: nobody kept that. */
  log?: string;
}

export interface StoredProject {
  id: string;
  owner: string;
  number: number;
  title: string;
  fields: StoredField[];
  items: StoredItem[];
  /** To the accounts that ask. */
  isReadOnly?: boolean;
}

export interface StoredField {
  id: string;
  name: string;
  dataType: 'TITLE' | 'LABELS' | 'TEXT' | 'NUMBER' | 'DATE' | 'SINGLE_SELECT' | 'ITERATION';
  options?: { id: string; name: string }[];
}

export interface StoredItem {
  id: string;
  /** Id of the issue; null for a draft. */
  issue: number | null;
  isArchived: boolean;
  updatedAt: number;
  /** By the ids of fields. */
  values: Map<string, { value: string | number; at: number }>;
}

export type StoredUser = { id: number; login: string; type: 'User' | 'Bot' };

/** `write`: pushes and triages; `comment`: speaks as anybody may in a public repository; `read`: looks only. */
export type Access = 'write' | 'comment' | 'read';

export type ProjectScope = 'project' | 'read:project' | 'none';

/** A refusal that the next request meets. */
export type Refusal = 'secondary' | 'secondary_without_wait' | 'too_many' | 'primary';

export interface Features {
  repoComments: boolean;
  dependencies: boolean;
  subIssues: boolean;
  etag: boolean;
  /** How the issue list is paged: github.com gives cursors and no last page, older servers page numbers. */
  cursorLinks: boolean;
}

export interface ServerState {
  nowMs: number;
  users: Map<string, StoredUser>;
  /** `projects`: the scope for them, `project` where it is absent. */
  tokens: Map<string, { login: string; access: Access; projects?: ProjectScope }>;
  repos: Map<string, StoredRepo>;
  projects: StoredProject[];
  /** Old full name, lower case → the repository's name today. */
  renamed: Map<string, string>;
  rate: { limit: number; remaining: number; resetAtMs: number };
  refusals: Refusal[];
  features: Features;
  /** So many answers to coming POSTs are lost: the server acts, and the connection breaks. */
  lostAnswers: number;
  /** An answer waits for this before it is sent; null for one that does not wait. */
  hold?(answered: { method: string; path: string; status: number }): Promise<void> | null;
  /** A GitHub App with one installation, for whom `publicKey` (PEM) proves its tokens. */
  app: { id: string; slug: string; installationId: number; publicKey: string } | null;
  lastId: number;
}

const ALL_FEATURES: Features = {
  repoComments: true,
  dependencies: true,
  subIssues: true,
  etag: true,
  cursorLinks: true,
};

/** An empty server at 2026-11-20 10:00 UTC with one account, `me`, whose token is `good-token`. */
export function createServerState(features: Partial<Features> = {}): ServerState {
  const nowMs = Date.UTC(2026, 10, 20, 10);
  const state: ServerState = {
    nowMs,
    users: new Map(),
    tokens: new Map([['good-token', { login: 'me', access: 'write' }]]),
    repos: new Map(),
    projects: [],
    renamed: new Map(),
    rate: { limit: 5_000, remaining: 5_000, resetAtMs: nowMs + 3_600_000 },
    refusals: [],
    features: { ...ALL_FEATURES, ...features },
    lostAnswers: 0,
    app: null,
    lastId: 1_000,
  };
  addUser(state, 'me');
  return state;
}

export function nextId(state: ServerState): number {
  state.lastId += 1;
  return state.lastId;
}

/** GitHub's clock has a resolution of one second. */
export const serverTime = (state: ServerState): number => Math.floor(state.nowMs / 1_000) * 1_000;

export function addUser(state: ServerState, login: string, type: 'User' | 'Bot' = 'User'): StoredUser {
  const known = state.users.get(login.toLowerCase());
  if (known) return known;
  const user: StoredUser = { id: nextId(state), login, type };
  state.users.set(login.toLowerCase(), user);
  return user;
}

export function addRepo(state: ServerState, fullName: string, change: Partial<StoredRepo> = {}): StoredRepo {
  const repo: StoredRepo = {
    id: nextId(state),
    fullName,
    private: false,
    hasIssues: true,
    labels: new Map(),
    milestones: [],
    issues: [],
    people: new Map([['me', 'OWNER']]),
    ...change,
  };
  addUser(state, fullName.split('/')[0]!);
  state.repos.set(fullName.toLowerCase(), repo);
  return repo;
}

/** The repository of that name today, following a rename; null for none. */
export function repoNamed(state: ServerState, fullName: string): StoredRepo | null {
  const name = fullName.toLowerCase();
  return state.repos.get(state.renamed.get(name)?.toLowerCase() ?? name) ?? null;
}

export function issueWithId(state: ServerState, id: number): { repo: StoredRepo; issue: StoredIssue } | null {
  for (const repo of state.repos.values()) {
    const issue = repo.issues.find((one) => one.id === id && one.gone === null);
    if (issue) return { repo, issue };
  }
  return null;
}
