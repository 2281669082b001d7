// A repository as `GET /repos/{owner}/{repo}` words it: mostly addresses.
import type { Json, Shapes } from './shapes.ts';
import type { StoredRepo } from './state.ts';

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

export function repositoryJson(shapes: Shapes, repo: StoredRepo): Json {
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
