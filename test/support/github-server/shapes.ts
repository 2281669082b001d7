// The server's state as GitHub's REST API words it (version 2022-11-28). A test holds every answer against GitHub's
// published schemas and refuses a key they don't have.
import { openBlockers } from './people.ts';
import {
  issueWithId,
  type ServerState,
  type StoredComment,
  type StoredIssue,
  type StoredMilestone,
  type StoredRepo,
} from './state.ts';

export type Json = Record<string, unknown>;

export const isoTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

export function nodeId(kind: string, id: number): string {
  return `${kind}_${Buffer.from(String(id)).toString('base64url')}`;
}

/** Made anew for each request. */
export class Shapes {
  readonly state: ServerState;
  readonly base: string;
  private related: StoredIssue[] | null = null;

  constructor(state: ServerState, base: string) {
    this.state = state;
    this.base = base;
  }

  user(login: string | null): Json | null {
    const user = login === null ? undefined : this.state.users.get(login.toLowerCase());
    if (!user) return null;
    const url = `${this.base}/users/${user.login}`;
    return {
      login: user.login,
      id: user.id,
      node_id: nodeId('U', user.id),
      avatar_url: `${this.base}/avatars/${user.id}`,
      gravatar_id: '',
      url,
      html_url: `${this.base}/${user.login}`,
      followers_url: `${url}/followers`,
      following_url: `${url}/following{/other_user}`,
      gists_url: `${url}/gists{/gist_id}`,
      starred_url: `${url}/starred{/owner}{/repo}`,
      subscriptions_url: `${url}/subscriptions`,
      organizations_url: `${url}/orgs`,
      repos_url: `${url}/repos`,
      events_url: `${url}/events{/privacy}`,
      received_events_url: `${url}/received_events`,
      type: user.type,
      user_view_type: 'public',
      site_admin: false,
    };
  }

  /** What `GET /user` answers. */
  ownUser(login: string): Json {
    const nothing = { name: null, company: null, blog: '', location: null, email: null, hireable: null };
    const numbers = { public_repos: 1, public_gists: 0, followers: 0, following: 0 };
    const times = { created_at: '2020-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' };
    return { ...this.user(login), ...nothing, bio: null, twitter_username: null, ...numbers, ...times };
  }

  label(repo: StoredRepo, name: string): Json {
    const { id, color } = repo.labels.get(name) ?? { id: 1, color: 'ededed' };
    const url = `${this.base}/repos/${repo.fullName}/labels/${encodeURIComponent(name)}`;
    return { id, node_id: nodeId('LA', id), url, name, color, default: false, description: null };
  }

  milestone(repo: StoredRepo, milestone: StoredMilestone): Json {
    const url = `${this.base}/repos/${repo.fullName}/milestones/${milestone.number}`;
    const inIt = repo.issues.filter((issue) => issue.milestone === milestone.number && issue.gone === null);
    const open = inIt.filter(({ state }) => state === 'open').length;
    return {
      url,
      html_url: `${this.base}/${repo.fullName}/milestone/${milestone.number}`,
      labels_url: `${url}/labels`,
      id: milestone.id,
      node_id: nodeId('MI', milestone.id),
      number: milestone.number,
      title: milestone.title,
      description: null,
      creator: this.user(repo.fullName.split('/')[0]!),
      open_issues: open,
      closed_issues: inIt.length - open,
      state: milestone.state,
      created_at: isoTime(milestone.createdAt),
      updated_at: isoTime(milestone.createdAt),
      due_on: null,
      closed_at: null,
    };
  }

  issueUrl(repo: StoredRepo, number: number): string {
    return `${this.base}/repos/${repo.fullName}/issues/${number}`;
  }

  private htmlUrl(repo: StoredRepo, issue: Pick<StoredIssue, 'number' | 'pull'>): string {
    return `${this.base}/${repo.fullName}/${issue.pull ? 'pull' : 'issues'}/${issue.number}`;
  }

  private association(repo: StoredRepo, login: string | null): string {
    return (login === null ? undefined : repo.people.get(login.toLowerCase())) ?? 'NONE';
  }

  private reactions(url: string): Json {
    const kinds = ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'];
    const counts = Object.fromEntries(kinds.map((kind) => [kind, 0]));
    return { url: `${url}/reactions`, total_count: 0, ...counts };
  }

  comment(repo: StoredRepo, issue: Pick<StoredIssue, 'number' | 'pull'>, comment: StoredComment): Json {
    const url = `${this.base}/repos/${repo.fullName}/issues/comments/${comment.id}`;
    return {
      url,
      html_url: `${this.htmlUrl(repo, issue)}#issuecomment-${comment.id}`,
      issue_url: this.issueUrl(repo, issue.number),
      id: comment.id,
      node_id: nodeId('IC', comment.id),
      user: this.user(comment.user),
      created_at: isoTime(comment.createdAt),
      updated_at: isoTime(comment.updatedAt),
      author_association: this.association(repo, comment.user),
      body: comment.body,
      reactions: this.reactions(url),
      performed_via_github_app: null,
    };
  }

  issue(repo: StoredRepo, issue: StoredIssue): Json {
    const url = this.issueUrl(repo, issue.number);
    const milestone = repo.milestones.find(({ number }) => number === issue.milestone);
    const assignees = issue.assignees.map((login) => this.user(login));
    return {
      url,
      repository_url: `${this.base}/repos/${repo.fullName}`,
      labels_url: `${url}/labels{/name}`,
      comments_url: `${url}/comments`,
      events_url: `${url}/events`,
      html_url: this.htmlUrl(repo, issue),
      id: issue.id,
      node_id: nodeId(issue.pull ? 'PR' : 'I', issue.id),
      number: issue.number,
      title: issue.title,
      user: this.user(issue.user),
      labels: issue.labels.map((name) => this.label(repo, name)),
      state: issue.state,
      locked: issue.locked,
      active_lock_reason: null,
      assignee: assignees[0] ?? null,
      assignees,
      milestone: milestone ? this.milestone(repo, milestone) : null,
      type: issue.type == null ? null : this.issueType(issue.type),
      comments: issue.comments.length,
      created_at: isoTime(issue.createdAt),
      updated_at: isoTime(issue.updatedAt),
      closed_at: issue.closedAt === null ? null : isoTime(issue.closedAt),
      author_association: this.association(repo, issue.user),
      body: issue.body,
      state_reason: issue.stateReason,
      reactions: this.reactions(url),
      timeline_url: `${url}/timeline`,
      performed_via_github_app: null,
      ...(issue.pull ? { pull_request: this.pullLinks(repo, issue), draft: false } : {}),
      ...this.relations(issue),
    };
  }

  private issueType(name: string): Json {
    const about = { description: null, color: 'red', is_enabled: true };
    return { id: name.length, node_id: nodeId('IT', name.length), name, ...about };
  }

  private pullLinks(repo: StoredRepo, issue: StoredIssue): Json {
    const html = this.htmlUrl(repo, issue);
    const mergedAt = issue.pull?.mergedAt ?? null;
    return {
      url: `${this.base}/repos/${repo.fullName}/pulls/${issue.number}`,
      html_url: html,
      diff_url: `${html}.diff`,
      patch_url: `${html}.patch`,
      merged_at: mergedAt === null ? null : isoTime(mergedAt),
    };
  }

  private relations(issue: StoredIssue): Json {
    const said: Json = {};
    if (this.state.features.dependencies) {
      const blocking = this.relatedIssues().filter((other) => other.blockedBy.includes(issue.id));
      said.issue_dependencies_summary = {
        blocked_by: openBlockers(this.state, issue).length,
        total_blocked_by: issue.blockedBy.length,
        blocking: issue.state === 'open' ? blocking.length : 0,
        total_blocking: blocking.length,
      };
    }
    if (this.state.features.subIssues) {
      const children = this.relatedIssues().filter((other) => other.parent === issue.id);
      const completed = children.filter(({ state }) => state === 'closed').length;
      const percent = children.length === 0 ? 0 : Math.floor((completed / children.length) * 100);
      said.sub_issues_summary = { total: children.length, completed, percent_completed: percent };
      const parent = issue.parent === null ? null : issueWithId(this.state, issue.parent);
      if (parent) said.parent_issue_url = this.issueUrl(parent.repo, parent.issue.number);
    }
    return said;
  }

  // Looked up once a request: a hundred issues of ten thousand are shaped for one.
  private relatedIssues(): StoredIssue[] {
    this.related ??= [...this.state.repos.values()]
      .flatMap(({ issues }) => issues)
      .filter((issue) => issue.blockedBy.length > 0 || issue.parent !== null);
    return this.related;
  }
}
