// Who asks: accounts, and a GitHub App's way to a token of its installation.
import { verify } from 'node:crypto';
import { Refused, type Routes, repoOf } from './answer.ts';
import { askGraphql } from './graphql.ts';
import type { Json, Shapes } from './shapes.ts';
import { addUser, type ServerState, type StoredRepo } from './state.ts';

/** True for a JSON Web Token that the app's private key signed and that has not run out. */
export function isAppToken(state: ServerState, token: string): boolean {
  const [head, claims, signature] = token.split('.');
  if (!state.app || !head || !claims || !signature) return false;
  const signed = Buffer.from(`${head}.${claims}`);
  if (!verify('RSA-SHA256', signed, state.app.publicKey, Buffer.from(signature, 'base64url'))) return false;
  const { iss, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
    iss: string;
    exp: number;
  };
  return String(iss) === state.app.id && exp * 1_000 > Date.now();
}

export const ACCOUNT_ROUTES: Routes = {
  'GET /user': (call) => {
    if (call.viewer.type === 'Bot') throw new Refused(403, 'Resource not accessible by integration');
    return { status: 200, body: call.shapes.ownUser(call.viewer.login) };
  },
  'GET /repos/{owner}/{repo}': (call) => ({ status: 200, body: repositoryJson(call.shapes, repoOf(call)) }),
  'POST /graphql': askGraphql,
};

/** Asked with a token of the app itself. */
export const APP_ROUTES: Routes = {
  'GET /app': (call) => {
    const { id, slug } = call.state.app!;
    return { status: 200, body: { id: Number(id), slug, name: slug } };
  },
  'GET /repos/{owner}/{repo}/installation': (call) => {
    repoOf(call);
    return { status: 200, body: { id: call.state.app!.installationId } };
  },
  'POST /app/installations/{installation_id}/access_tokens': (call) => {
    const app = call.state.app!;
    if (Number(call.parts[0]) !== app.installationId) throw new Refused(404, 'Not Found');
    const login = `${app.slug}[bot]`;
    addUser(call.state, login, 'Bot');
    call.state.tokens.set('installation-token', { login, access: 'write' });
    const body = {
      token: 'installation-token',
      // Read by the app's own clock, not by this server's.
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      permissions: { issues: 'write', metadata: 'read' },
      repository_selection: 'all',
    };
    return { status: 201, body };
  },
};

// A repository as `GET /repos/{owner}/{repo}` words it: mostly addresses.
const ADDRESSES = [
  'archive assignees blobs branches collaborators comments commits compare contents contributors deployments',
  'downloads events forks git_commits git_refs git_tags hooks issue_comment issue_events issues keys labels',
  'languages merges milestones notifications pulls releases stargazers statuses subscribers subscription tags',
  'teams trees clone git ssh svn mirror',
]
  .join(' ')
  .split(' ');
const NUMBERS =
  'forks forks_count network_count open_issues open_issues_count size stargazers_count subscribers_count watchers watchers_count';
const SWITCHES = 'archived disabled fork has_discussions has_downloads has_pages has_projects has_wiki';

function all<T>(names: string, value: T): Record<string, T> {
  return Object.fromEntries(names.split(' ').map((name) => [name, value]));
}

function repositoryJson(shapes: Shapes, repo: StoredRepo): Json {
  const url = `${shapes.base}/repos/${repo.fullName}`;
  const [owner, name] = repo.fullName.split('/') as [string, string];
  const open = repo.issues.filter((issue) => issue.state === 'open' && issue.gone === null).length;
  return {
    ...Object.fromEntries(ADDRESSES.map((what) => [`${what}_url`, `${url}/${what}`])),
    ...all(NUMBERS, 0),
    ...all(SWITCHES, false),
    id: repo.id,
    node_id: `R_${repo.id}`,
    name,
    full_name: repo.fullName,
    owner: shapes.user(owner),
    private: repo.private,
    html_url: `${shapes.base}/${repo.fullName}`,
    url,
    description: null,
    homepage: null,
    language: null,
    license: null,
    default_branch: 'main',
    has_issues: repo.hasIssues,
    ...{
      allow_merge_commit: repo.noMergeCommits !== true,
      allow_squash_merge: true,
      allow_rebase_merge: true,
    },
    open_issues: open,
    open_issues_count: open,
    created_at: '2020-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    pushed_at: '2026-01-01T00:00:00Z',
  };
}
