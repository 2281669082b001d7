// What people do upstream while nobody of ours looks: each act leaves the traces that GitHub leaves.
import {
  type Association,
  addUser,
  issueWithId,
  nextId,
  type ServerState,
  type StateReason,
  type StoredCheck,
  type StoredComment,
  type StoredIssue,
  type StoredPull,
  type StoredRepo,
  serverTime,
} from './state.ts';

/** An act that shows in the issue's `updated_at`. */
export function touch(state: ServerState, issue: StoredIssue): void {
  issue.updatedAt = serverTime(state);
}

/** GitHub makes a label that is not there yet. */
export function useLabel(state: ServerState, repo: StoredRepo, name: string): string {
  for (const known of repo.labels.keys()) if (known.toLowerCase() === name.toLowerCase()) return known;
  repo.labels.set(name, { id: nextId(state), color: 'ededed' });
  return name;
}

export function openIssue(
  state: ServerState,
  repo: StoredRepo,
  words: Partial<StoredIssue> & { association?: Association } = {},
): StoredIssue {
  const { association, ...change } = words;
  const now = serverTime(state);
  const issue: StoredIssue = {
    id: nextId(state),
    number: repo.issues.reduce((highest, { number }) => Math.max(highest, number), 0) + 1,
    ...{ title: 'An issue', body: null, user: 'me', labels: [], assignees: [], milestone: null },
    ...{ state: 'open', stateReason: null, locked: false, gone: null, pull: null },
    ...{ comments: [], blockedBy: [], parent: null, createdAt: now, updatedAt: now },
    closedAt: change.state === 'closed' ? now : null,
    ...change,
  };
  issue.labels = issue.labels.map((name) => useLabel(state, repo, name));
  for (const login of [issue.user, ...issue.assignees]) if (login !== null) addUser(state, login);
  if (association && issue.user !== null) repo.people.set(issue.user.toLowerCase(), association);
  repo.issues.push(issue);
  return issue;
}

export function sayComment(
  state: ServerState,
  issue: StoredIssue,
  body: string,
  user = 'alice',
): StoredComment {
  addUser(state, user);
  const now = serverTime(state);
  const comment = { id: nextId(state), user, body, createdAt: now, updatedAt: now };
  issue.comments.push(comment);
  touch(state, issue);
  return comment;
}

/** An edit of a comment leaves the issue's own time alone, the harder of the two cases. */
export function editComment(state: ServerState, comment: StoredComment, body: string): void {
  comment.body = body;
  comment.updatedAt = serverTime(state);
}

/** So does a deletion. */
export function deleteComment(issue: StoredIssue, comment: StoredComment): void {
  issue.comments = issue.comments.filter((other) => other !== comment);
}

/** Notes who did what to the issue, as its history tells it. */
function act(
  state: ServerState,
  issue: StoredIssue,
  what: 'title' | 'body' | 'reopened',
  by: string | null,
): void {
  issue.acts = [...(issue.acts ?? []), { what, by, at: serverTime(state) }];
}

/** @param by who does it; absent: the issue's author */
export function editIssue(
  state: ServerState,
  issue: StoredIssue,
  change: Partial<
    Pick<StoredIssue, 'title' | 'body' | 'labels' | 'assignees' | 'milestone' | 'type' | 'locked'>
  >,
  by = issue.user,
): void {
  for (const what of ['title', 'body'] as const)
    if (change[what] !== undefined && change[what] !== issue[what]) act(state, issue, what, by);
  Object.assign(issue, change);
  touch(state, issue);
}

export function closeIssue(state: ServerState, issue: StoredIssue, reason: StateReason = 'completed'): void {
  Object.assign(issue, { state: 'closed', stateReason: reason, closedAt: serverTime(state) });
  touch(state, issue);
}

export function reopenIssue(state: ServerState, issue: StoredIssue, by = issue.user): void {
  act(state, issue, 'reopened', by);
  Object.assign(issue, { state: 'open', stateReason: 'reopened', closedAt: null });
  touch(state, issue);
}

/** The old number answers 301 to the new place from then on. */
export function transferIssue(
  state: ServerState,
  from: StoredRepo,
  issue: StoredIssue,
  to: StoredRepo,
): StoredIssue {
  const { number: _number, gone: _gone, ...kept } = issue;
  from.issues = from.issues.filter((other) => other !== issue);
  const moved = openIssue(state, to, { ...kept, comments: [...issue.comments] });
  const gone = { kind: 'transferred', repo: to.fullName, number: moved.number } as const;
  from.issues.push({ ...issue, id: nextId(state), comments: [], gone });
  return moved;
}

export function deleteIssue(state: ServerState, issue: StoredIssue): void {
  issue.gone = { kind: 'deleted' };
  for (const repo of state.repos.values()) {
    for (const other of repo.issues) {
      other.blockedBy = other.blockedBy.filter((id) => id !== issue.id);
      if (other.parent === issue.id) other.parent = null;
    }
  }
}

export function convertToDiscussion(state: ServerState, issue: StoredIssue): void {
  deleteIssue(state, issue);
  issue.gone = { kind: 'converted' };
}

export function renameRepo(state: ServerState, repo: StoredRepo, fullName: string): void {
  state.repos.delete(repo.fullName.toLowerCase());
  state.renamed.set(repo.fullName.toLowerCase(), fullName);
  repo.fullName = fullName;
  state.repos.set(fullName.toLowerCase(), repo);
}

/** The issues that block it and are still open. */
export function openBlockers(state: ServerState, issue: StoredIssue): StoredIssue[] {
  return issue.blockedBy
    .map((id) => issueWithId(state, id)?.issue)
    .filter((blocker) => blocker?.state === 'open') as StoredIssue[];
}

export function reviewPull(
  state: ServerState,
  pull: StoredPull,
  user: string,
  verdict: StoredPull['reviews'][number]['state'],
  body = '',
): void {
  addUser(state, user);
  const submittedAt = serverTime(state);
  pull.reviews.push({ id: nextId(state), user, body, state: verdict, submittedAt });
}

/** A comment on a line of the pull request's diff. */
export function remarkOn(
  state: ServerState,
  pull: StoredPull,
  user: string,
  words: Pick<StoredPull['remarks'][number], 'path' | 'line' | 'hunk' | 'body'>,
): number {
  addUser(state, user);
  const id = nextId(state);
  pull.remarks.push({ ...words, id, user, replyTo: null, createdAt: serverTime(state) });
  return id;
}

export function sayOnPull(state: ServerState, pull: StoredPull, user: string, body: string): void {
  addUser(state, user);
  const now = serverTime(state);
  pull.comments.push({ id: nextId(state), user, body, createdAt: now, updatedAt: now });
}

export function endCheck(
  state: ServerState,
  repo: StoredRepo,
  check: Omit<StoredCheck, 'id' | 'summary'> & { summary?: string },
): void {
  repo.checks = [...(repo.checks ?? []), { summary: '', ...check, id: nextId(state) }];
}

export function mergePull(state: ServerState, pull: StoredPull): void {
  Object.assign(pull, { state: 'closed', mergedAt: serverTime(state) });
}
