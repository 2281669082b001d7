// GitHub's issues and comments as the contract has them. Pure. What we write ends in an HTML comment, the idempotency marker,
// so that a try whose answer was lost is found again. It is believed only in our own account's words; in anybody else's it is
// text like any other.
import { FIELDS, type Field } from '../../core/chore/fields.ts';
import { readStatus, type Status, saysFinished } from '../../core/task/status.ts';
import type { RemoteComment, RemoteRef, RemoteTask, SourceConfig } from '../provider.ts';
import { isSameName, wordNamed } from '../tracker-rules.ts';
import { type GithubOptions, issueOfApiUrl, repositoryOf } from './options.ts';
import type { Card } from './project.ts';
import type { WireComment, WireIssue } from './response-shapes.ts';

/** What the chore says. */
type Words = { config: SourceConfig; options: GithubOptions };

export interface ReadingOptions {
  source: Words;
  login: string;
  ref: RemoteRef;
  comments: readonly WireComment[];
  complete: boolean; // These comments are all there are.
  blockers: readonly WireIssue[] | null; // Null: not asked for.
  card: Card | null; // In the project.
}

/** What GitHub shows for a deleted account. */
export const GHOST = 'ghost';

export function toRemoteTask(issue: WireIssue, options: ReadingOptions): RemoteTask {
  const { source, login, ref, comments, complete, blockers, card } = options;
  const { config } = source;
  const mine = isMine(issue.user, login);
  const { body, key } = ownText(issue.body, mine);
  const silent = silentFields(issue, config.fields, blockers);
  const asks = (field: Field) => !silent.includes(field);
  const home = { ref, repository: repositoryOf(issue.repository_url ?? ''), source: config.source };
  const count = complete ? comments.length : (issue.comments ?? null);
  const said = saidBy(issue, card?.column ?? null, source.options);
  const parent = asks('parent') ? issueOfApiUrl(issue.parent_issue_url ?? '') : null;
  return {
    ref,
    uid: issue.node_id,
    url: issue.html_url ?? null,
    title: issue.title,
    body: asks('body') ? body : '',
    state: (issue.state === 'open' && said.column) || stateOf(issue),
    ...said.status,
    labels: asks('labels') ? labelsOf(issue) : [],
    assignees: asks('assignees') ? assigneesOf(issue) : [],
    priority: null,
    due: null,
    milestone: issue.milestone?.title ?? null,
    ...(issue.type ? { type: issue.type.name } : {}),
    ...(card && card.fields.length > 0 ? { project: card.fields } : {}),
    parent: parent && `${spelt(parent.repository, home)}#${parent.number}`,
    blockedBy: (blockers ?? []).map((blocker) => ({
      ref: `${spelt(repositoryOf(blocker.repository_url ?? ''), home)}#${blocker.number}`,
      finished: blocker.state === 'closed',
    })),
    author: issue.user?.login ?? GHOST,
    role: roleOf(issue.author_association),
    mine,
    key,
    createdAt: issue.created_at,
    updatedAt: issue.updated_at,
    locked: issue.locked === true,
    admitted: isAdmitted(issue, source, login),
    commentCount: asks('comments') ? count : null,
    comments: asks('comments')
      ? { complete, items: comments.map((comment) => toRemoteComment(comment, login)) }
      : { complete: false, items: [] },
    silent,
  };
}

export function toRemoteComment(comment: WireComment, login: string): RemoteComment {
  const mine = isMine(comment.user, login);
  return {
    id: String(comment.id),
    author: comment.user?.login ?? GHOST,
    role: roleOf(comment.author_association),
    mine,
    ...ownText(comment.body, mine),
    createdAt: comment.created_at,
    updatedAt: comment.updated_at,
  };
}

const ownText = (text: string | null | undefined, mine: boolean): { body: string; key: string | null } =>
  mine ? splitMarker(text ?? '') : { body: text ?? '', key: null };

export const isMine = (user: { login: string } | null | undefined, login: string): boolean =>
  user != null && isSameName(user.login, login);

export const roleOf = (association: string | null | undefined): string | null =>
  association ? association.toLowerCase() : null;

export const isPull = (issue: WireIssue): boolean => issue.pull_request != null;

/** `open`, `closed/completed`, `closed/not_planned`, `closed/duplicate`; `merged` for a pull request. */
export function stateOf(issue: WireIssue): string {
  if (issue.state === 'open') return 'open';
  if (issue.pull_request?.merged_at) return 'merged';
  return issue.state_reason ? `closed/${issue.state_reason}` : 'closed';
}

export function statusOf(issue: WireIssue): Status {
  if (issue.state === 'open') return 'todo';
  return issue.state_reason === 'not_planned' || issue.state_reason === 'duplicate' ? 'canceled' : 'done';
}

/** What the issue's column stands for (null: nothing); a closed issue is over, whatever its card's column. */
export function saidBy(issue: WireIssue, column: string | null, { projectStatuses, own }: GithubOptions) {
  const status = statusOf(issue);
  const word = column === null ? undefined : wordNamed(projectStatuses, column);
  const said = readStatus(word ?? '', () => own);
  const isSaid = said !== null && (issue.state === 'open' || said.status === status);
  return isSaid ? { status: said, column } : { status: { status }, column: null };
}

/** GitHub knows open and closed, and whether closed means done; a project has columns, too. What has none is where todo is. */
export function classOf(word: Status, { projectStatuses, own }: GithubOptions): string {
  const column = projectStatuses[word] ?? projectStatuses.todo;
  if (saysFinished(word, own)) return word;
  return column === undefined ? 'open' : `column ${column.trim().toLowerCase()}`;
}

export const labelsOf = (issue: WireIssue): string[] =>
  issue.labels.map((label) => (typeof label === 'string' ? label : label.name));

export const assigneesOf = (issue: WireIssue) => (issue.assignees ?? []).map(({ login }) => login);

/** Where an issue stands from which others are named. */
interface Home {
  ref: RemoteRef;
  repository: string | null; // Its repository's name today, which differs from the ref's after a rename.
  source: string;
}

/** Spelt as the chore, or the issue's own ref, spells that repository. */
function spelt(repository: string | null, { ref, repository: own, source }: Home): string {
  if (repository === null || (own !== null && isSameName(repository, own)))
    return ref.slice(0, ref.indexOf('#'));
  return isSameName(repository, source) ? source : repository;
}

function silentFields(
  issue: WireIssue,
  asked: readonly Field[] | null,
  blockers: readonly WireIssue[] | null,
): Field[] {
  // A server with sub-issues names the parent where there is one.
  const knowsParents = issue.parent_issue_url != null || issue.sub_issues_summary != null;
  const silent = (field: Field): boolean => {
    if (field === 'priority' || field === 'due') return true;
    if (field === 'parent' && !knowsParents) return true;
    if (field === 'blocked_by' && blockers === null) return true;
    // Without a title and a state there is no issue.
    return asked !== null && !asked.includes(field) && field !== 'title' && field !== 'status';
  };
  return FIELDS.filter(silent);
}

export function isAdmitted(issue: WireIssue, { config, options }: Words, login: string): boolean {
  const { labels, assignee, state } = config.filter;
  if (isPull(issue) && !options.pullRequests) return false;
  if (state !== 'all' && issue.state !== state) return false;
  const own = labelsOf(issue);
  if (!labels.every((name) => own.some((label) => isSameName(label, name)))) return false;
  const assignees = assigneesOf(issue);
  if (assignee === null) return true;
  if (assignee === 'none') return assignees.length === 0;
  if (assignee === '*') return assignees.length > 0;
  const wanted = assignee === 'me' ? login : assignee;
  return assignees.some((name) => isSameName(name, wanted));
}

const MARKER = /(?:(?:\r?\n){1,2}|^)<!-- taskroom:([0-9a-z]{8,40}) -->\s*$/;

/** What a marker takes of a body at most: two line ends, the longest key and what stands around it. */
const MARKER_LENGTH = 64;

/** GitHub counts characters; UTF-16 units are never fewer. */
export const LIMITS = { title: 256, body: 65_536 - MARKER_LENGTH, comment: 65_536 - MARKER_LENGTH };

/** A browser sends other line ends, and nobody sees those at the end. */
export const normalise = (text: string): string => text.replace(/\r\n?/g, '\n').trimEnd();

export function withMarker(body: string, key: string): string {
  const marker = `<!-- taskroom:${key} -->`;
  return body === '' ? marker : `${body}\n\n${marker}`;
}

export function splitMarker(text: string): { body: string; key: string | null } {
  const found = MARKER.exec(text);
  return found ? { body: text.slice(0, found.index), key: found[1]! } : { body: text, key: null };
}
