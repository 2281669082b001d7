// Issues: listed, read, made, changed, locked.
import {
  type Answer,
  type Call,
  type Handler,
  invalid,
  issueOf,
  needSpeech,
  needWrite,
  Refused,
  type Routes,
  repoOf,
} from './answer.ts';
import { sliceByCursor, slicePages, sortKeyed } from './paging.ts';
import { closeIssue, editIssue, openIssue, reopenIssue, touch, useLabel } from './people.ts';
import type { StateReason, StoredIssue, StoredRepo } from './state.ts';

const MAX_TITLE = 256;
const MAX_BODY = 65_536;

export function checkedBody(value: unknown, resource = 'Issue'): string {
  if (typeof value !== 'string') throw invalid('body', 'body must be a string', resource);
  if ([...value].length > MAX_BODY)
    throw invalid('body', `body is too long (maximum is ${MAX_BODY} characters)`, resource);
  return value;
}

function checkedTitle(value: unknown): string {
  const title = typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : '';
  if (title === '') throw new Refused(422, 'Validation Failed', { errors: [missingTitle] });
  if ([...title].length > MAX_TITLE)
    throw invalid('title', `title is too long (maximum is ${MAX_TITLE} characters)`);
  return title;
}

const missingTitle = { resource: 'Issue', field: 'title', code: 'missing_field' };

export function sinceOf(call: Call): number {
  const text = call.url.searchParams.get('since');
  if (text === null) return Number.NEGATIVE_INFINITY;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw invalid('since', 'is not a date');
  return ms;
}

function isListed(issue: StoredIssue, call: Call): boolean {
  const query = call.url.searchParams;
  const state = query.get('state') ?? 'open';
  if (issue.gone !== null || (state !== 'all' && issue.state !== state)) return false;
  const creator = query.get('creator');
  if (creator !== null && issue.user?.toLowerCase() !== creator.toLowerCase()) return false;
  const labels = issue.labels.map((name) => name.toLowerCase());
  const wanted = (query.get('labels') ?? '').split(',').filter((name) => name !== '');
  if (!wanted.every((name) => labels.includes(name.toLowerCase()))) return false;
  return isAssigned(issue, query.get('assignee')) && issue.updatedAt >= sinceOf(call);
}

function isAssigned(issue: StoredIssue, asked: string | null): boolean {
  if (asked === null) return true;
  if (asked === 'none') return issue.assignees.length === 0;
  if (asked === '*') return issue.assignees.length > 0;
  return issue.assignees.some((login) => login.toLowerCase() === asked.toLowerCase());
}

function shown(call: Call, repo: StoredRepo, issue: StoredIssue, status = 200): Answer {
  return { status, body: call.shapes.issue(repo, issue) };
}

function names(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.map((item) => (typeof item === 'string' ? item : String((item as { name: unknown }).name)));
}

const TYPES = ['Bug', 'Feature', 'Task'];

function checkedType(type: unknown): string | null {
  if (type != null && !TYPES.includes(String(type)))
    throw invalid('type', 'is not a type of the organization');
  return type == null ? null : String(type);
}

/** Only those who can be assigned: people of the repository. */
function assignable(repo: StoredRepo, logins: string[]): string[] {
  return logins.filter((login) => repo.people.has(login.toLowerCase()));
}

function setLock(locked: boolean): Handler {
  return (call) => {
    const { issue } = issueOf(call);
    needWrite(call);
    issue.locked = locked;
    touch(call.state, issue);
    return { status: 204 };
  };
}

function changeAssignees(add: boolean): Handler {
  return (call) => {
    const { repo, issue } = issueOf(call);
    needWrite(call);
    const logins = names(call.body.assignees);
    const rest = issue.assignees.filter((login) => !logins.includes(login));
    const assignees = add ? [...rest, ...assignable(repo, logins)] : rest;
    editIssue(call.state, issue, { assignees });
    return shown(call, repo, issue, add ? 201 : 200);
  };
}

export const ISSUE_ROUTES: Routes = {
  'GET /repos/{owner}/{repo}/issues': (call) => {
    const repo = repoOf(call);
    if (!repo.hasIssues) throw new Refused(410, 'Issues are disabled for this repo');
    const query = call.url.searchParams;
    const descending = query.get('direction') !== 'asc';
    const sort = query.get('sort') ?? 'created';
    const key = (issue: StoredIssue) => (sort === 'updated' ? issue.updatedAt : issue.createdAt);
    const entries = repo.issues.filter((issue) => isListed(issue, call));
    const sorted = sortKeyed(
      entries.map((item) => ({ item, key: key(item), id: item.number })),
      descending,
    );
    const { items, link } = call.state.features.cursorLinks
      ? sliceByCursor(sorted, call.url, descending)
      : slicePages(sorted, call.url);
    const body = items.map((issue) => call.shapes.issue(repo, issue));
    return { status: 200, body, headers: link === null ? {} : { link } };
  },
  'POST /repos/{owner}/{repo}/issues': (call) => {
    const repo = repoOf(call);
    needSpeech(call);
    if (!repo.hasIssues) throw new Refused(410, 'Issues are disabled for this repo');
    const may = call.access === 'write';
    const issue = openIssue(call.state, repo, {
      title: checkedTitle(call.body.title),
      body: call.body.body == null ? null : checkedBody(call.body.body),
      user: call.viewer.login,
      labels: may ? [...new Set(names(call.body.labels))] : [],
      assignees: may ? assignable(repo, names(call.body.assignees)) : [],
      type: may ? checkedType(call.body.type) : null,
    });
    return shown(call, repo, issue, 201);
  },
  'GET /repos/{owner}/{repo}/issues/{issue_number}': (call) => {
    const { repo, issue } = issueOf(call);
    return shown(call, repo, issue);
  },
  'PATCH /repos/{owner}/{repo}/issues/{issue_number}': (call) => {
    const { repo, issue } = issueOf(call);
    needSpeech(call);
    if (issue.user !== call.viewer.login) needWrite(call);
    const { title, body, labels, assignees, state, state_reason: reason } = call.body;
    const change: Partial<StoredIssue> = {};
    if (title != null) change.title = checkedTitle(title);
    if (body !== undefined) change.body = body === null ? null : checkedBody(body);
    if (call.access === 'write') {
      if (labels !== undefined) change.labels = names(labels).map((name) => useLabel(call.state, repo, name));
      if (assignees !== undefined) change.assignees = assignable(repo, names(assignees));
    }
    if (state !== undefined && state !== 'open' && state !== 'closed') throw invalid('state', 'is unknown');
    editIssue(call.state, issue, change, call.viewer.login);
    // The reason counts only where the state changes with it.
    if (state === 'closed' && issue.state === 'open')
      closeIssue(call.state, issue, (reason as StateReason | undefined) ?? 'completed');
    if (state === 'open' && issue.state === 'closed') reopenIssue(call.state, issue, call.viewer.login);
    return shown(call, repo, issue);
  },
  'PUT /repos/{owner}/{repo}/issues/{issue_number}/lock': setLock(true),
  'DELETE /repos/{owner}/{repo}/issues/{issue_number}/lock': setLock(false),
  'GET /repos/{owner}/{repo}/issues/{issue_number}/labels': (call) => {
    const { repo, issue } = issueOf(call);
    return { status: 200, body: issue.labels.map((name) => call.shapes.label(repo, name)) };
  },
  'POST /repos/{owner}/{repo}/issues/{issue_number}/labels': (call) => {
    const { repo, issue } = issueOf(call);
    needWrite(call);
    const wanted = names(call.body.labels).map((name) => useLabel(call.state, repo, name));
    editIssue(call.state, issue, { labels: [...new Set([...issue.labels, ...wanted])] });
    return { status: 200, body: issue.labels.map((name) => call.shapes.label(repo, name)) };
  },
  'DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}': (call) => {
    const { repo, issue } = issueOf(call);
    needWrite(call);
    const name = call.parts[3]!.toLowerCase();
    const left = issue.labels.filter((label) => label.toLowerCase() !== name);
    if (left.length === issue.labels.length) throw new Refused(404, 'Label does not exist');
    editIssue(call.state, issue, { labels: left });
    return { status: 200, body: left.map((label) => call.shapes.label(repo, label)) };
  },
  'POST /repos/{owner}/{repo}/issues/{issue_number}/assignees': changeAssignees(true),
  'DELETE /repos/{owner}/{repo}/issues/{issue_number}/assignees': changeAssignees(false),
  'GET /repos/{owner}/{repo}/milestones': (call) => {
    const repo = repoOf(call);
    return { status: 200, body: repo.milestones.map((one) => call.shapes.milestone(repo, one)) };
  },
};
