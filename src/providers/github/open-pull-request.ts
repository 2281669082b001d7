// Draft pull requests: looked for by their branch before one is made, so that each branch has one, whoever opened it.
import type { PullRequestDraft, RemoteRef } from '../provider.ts';
import { readDefaultBranch, readPull, readPulls } from './api/response-shapes.ts';
import { issueParams, type Source } from './api/source.ts';

/** The contract's `open`. */
export async function openPullRequest(
  source: Source,
  ref: RemoteRef,
  { head, title }: PullRequestDraft,
  signal: AbortSignal,
): Promise<{ url: string }> {
  const { owner, repo, issue_number: issue } = issueParams(ref);
  const repository = { owner, repo };
  const path = '/repos/{owner}/{repo}/pulls';
  const what = `a pull request of ${head}`;
  const ask = { ...repository, head: `${owner}:${head}`, state: 'all' };
  const found = readPulls((await source.client({ method: 'GET', path, params: ask, signal, what })).data);
  if (found[0]) return { url: found[0].html_url };
  const about = await source.client({
    method: 'GET',
    path: '/repos/{owner}/{repo}',
    params: repository,
    signal,
    what,
  });
  const base = readDefaultBranch(about.data).default_branch;
  const draft = { ...repository, title, head, base, body: `For #${issue}.`, draft: true };
  const made = await source.client({ method: 'POST', path, params: draft, signal, what });
  return { url: readPull(made.data).html_url };
}
