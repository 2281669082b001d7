// Pull requests: opened from a branch and found by it, read with their reviews, comments on lines and checks, answered in their
// threads. What an answer holds beside the state is as in GitHub's own examples.
import { GITHUB_PAYLOADS } from '../github-payloads.ts';
import {
  type Answer,
  type Call,
  needSpeech,
  needWrite,
  notFound,
  Refused,
  type Routes,
  repoOf,
} from './answer.ts';
import { slicePages } from './paging.ts';
import { isoTime, type Json } from './shapes.ts';
import {
  nextId,
  type ServerState,
  type StoredCheck,
  type StoredPull,
  type StoredRepo,
  serverTime,
} from './state.ts';

/** A part of the first example of an event. */
function example(event: string, part: string): Json {
  const [first] = GITHUB_PAYLOADS.find(({ name }) => name === event)!.examples;
  return (first as unknown as Record<string, Json>)[part]!;
}

const PULL = example('pull_request', 'pull_request');
const REVIEW = example('pull_request_review', 'review');
const REMARK = example('pull_request_review_comment', 'comment');
const CHECK = example('check_run', 'check_run');

const timeOrNull = (ms: number | null) => (ms === null ? null : isoTime(ms));

export function commitOf(repo: StoredRepo, pull: Pick<StoredPull, 'head'>): string {
  return repo.tipOf?.(pull.head) ?? '0'.repeat(40);
}

export function pullJson(
  { shapes }: Pick<Call, 'shapes'>,
  repo: StoredRepo,
  pull: StoredPull,
  isWhole: boolean,
): Json {
  const { number, title, body, draft, state, mergedAt, mergeable, createdAt } = pull;
  const whole = { merged: mergedAt !== null, mergeable, mergeable_state: mergeable ? 'clean' : 'dirty' };
  const head = { ...(PULL.head as Json), ref: pull.head, sha: commitOf(repo, pull) };
  return {
    ...PULL,
    ...(isWhole ? whole : { merged: undefined, mergeable: undefined, mergeable_state: undefined }),
    ...{ number, title, body, draft, state, head, node_id: `PR_${repo.id}_${number}` },
    ...{ base: { ...(PULL.base as Json), ref: pull.base }, user: shapes.user(pull.user) },
    url: `${shapes.base}/repos/${repo.fullName}/pulls/${number}`,
    html_url: `${shapes.base}/${repo.fullName}/pull/${number}`,
    merged_at: timeOrNull(mergedAt),
    closed_at: timeOrNull(state === 'open' ? null : (mergedAt ?? createdAt)),
    created_at: isoTime(createdAt),
    updated_at: isoTime(createdAt),
  };
}

const roleOf = (repo: StoredRepo, login: string) => repo.people.get(login.toLowerCase()) ?? 'NONE';

export function reviewJson(call: Pick<Call, 'shapes'>, repo: StoredRepo, pull: StoredPull, at: number): Json {
  const { id, user, body, state, submittedAt } = pull.reviews[at]!;
  return {
    ...REVIEW,
    ...{ id, body, state, node_id: `PRR_${id}`, user: call.shapes.user(user) },
    commit_id: commitOf(repo, pull),
    submitted_at: isoTime(submittedAt),
    author_association: roleOf(repo, user),
    html_url: `${call.shapes.base}/${repo.fullName}/pull/${pull.number}#pullrequestreview-${id}`,
  };
}

export function remarkJson(call: Pick<Call, 'shapes'>, repo: StoredRepo, pull: StoredPull, at: number): Json {
  const { id, user, body, path, line, hunk, replyTo, createdAt } = pull.remarks[at]!;
  return {
    ...REMARK,
    ...{ id, body, path, line, node_id: `PRRC_${id}`, user: call.shapes.user(user), diff_hunk: hunk },
    ...(replyTo === null ? {} : { in_reply_to_id: replyTo }),
    created_at: isoTime(createdAt),
    updated_at: isoTime(createdAt),
    author_association: roleOf(repo, user),
    html_url: `${call.shapes.base}/${repo.fullName}/pull/${pull.number}#discussion_r${id}`,
  };
}

export function checkJson({ shapes }: Pick<Call, 'shapes'>, repo: StoredRepo, check: StoredCheck): Json {
  const { id, name, sha, conclusion, summary, log } = check;
  return {
    ...CHECK,
    ...{ id, name, head_sha: sha, conclusion, status: conclusion === null ? 'in_progress' : 'completed' },
    html_url: `${shapes.base}/${repo.fullName}/runs/${id}`,
    output: { ...(CHECK.output as Json), title: name, summary },
    app: { ...(CHECK.app as Json), slug: log === undefined ? 'some-ci' : 'github-actions' },
  };
}

function refuse(field: string, message: string): Refused {
  const code = field === 'head' ? { code: 'invalid' } : { code: 'custom', message };
  return new Refused(422, 'Validation Failed', { errors: [{ resource: 'PullRequest', field, ...code }] });
}

function pullOf(call: Call): { repo: StoredRepo; pull: StoredPull } {
  const repo = repoOf(call);
  const pull = repo.pulls?.find(({ number }) => number === Number(call.parts[2]));
  if (pull === undefined) throw notFound();
  return { repo, pull };
}

function paged<T>(call: Call, all: readonly T[], toJson: (at: number) => Json): Answer {
  const { items, link } = slicePages(
    all.map((_, at) => ({ item: at, key: at, id: at })),
    call.url,
  );
  return { status: 200, body: items.map(toJson), headers: link === null ? {} : { link } };
}

/** As the storage has it, which takes no credentials of GitHub's. */
export function readStored(state: ServerState, path: string, authorization: string | undefined): Answer {
  const checks = [...state.repos.values()].flatMap((repo) => repo.checks ?? []);
  const check = checks.find(({ id }) => path === `/_storage/${id}`);
  if (authorization !== undefined) return { status: 400 };
  return check === undefined ? { status: 404 } : { status: 200, body: check.log };
}

export const PULL_ROUTES: Routes = {
  'GET /repos/{owner}/{repo}/pulls': (call) => {
    const repo = repoOf(call);
    const query = call.url.searchParams;
    const state = query.get('state') ?? 'open';
    const head = query.get('head');
    const [owner] = repo.fullName.split('/');
    const fits = (pull: StoredPull) =>
      (state === 'all' || pull.state === state) && (head === null || head === `${owner}:${pull.head}`);
    const found = (repo.pulls ?? []).filter(fits).toReversed();
    return { status: 200, body: found.map((pull) => pullJson(call, repo, pull, false)) };
  },
  'POST /repos/{owner}/{repo}/pulls': (call) => {
    const repo = repoOf(call);
    needWrite(call);
    const { title, head, base, body, draft } = call.body;
    if (typeof head !== 'string' || head === '' || !repo.tipOf?.(head)) throw refuse('head', '');
    if (typeof base !== 'string' || !repo.tipOf(base)) throw refuse('base', 'invalid');
    repo.pulls ??= [];
    const { pulls } = repo;
    if (pulls.some((pull) => pull.head === head && pull.state === 'open'))
      throw refuse('base', `A pull request already exists for ${repo.fullName.split('/')[0]}:${head}.`);
    pulls.push({
      ...{ number: repo.issues.length + pulls.length + 1, title: String(title), head, base },
      ...{ body: body == null ? null : String(body), draft: draft === true, state: 'open', mergedAt: null },
      ...{ mergeable: true, user: call.viewer.login, createdAt: serverTime(call.state) },
      ...{ reviews: [], comments: [], remarks: [] },
    });
    return { status: 201, body: pullJson(call, repo, pulls.at(-1)!, true) };
  },
  'GET /repos/{owner}/{repo}/pulls/{pull_number}': (call) => {
    const { repo, pull } = pullOf(call);
    return { status: 200, body: pullJson(call, repo, pull, true) };
  },
  'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge': (call) => {
    const { repo, pull } = pullOf(call);
    needWrite(call);
    const { sha, merge_method: method = 'merge' } = call.body;
    if (method === 'merge' && repo.noMergeCommits)
      throw new Refused(405, 'Merge commits are not allowed on this repository.');
    if (pull.state !== 'open' || pull.draft || pull.mergeable === false)
      throw new Refused(405, 'Pull Request is not mergeable');
    if (sha !== undefined && sha !== repo.tipOf?.(pull.head))
      throw new Refused(409, 'Head branch was modified. Review and try the merge again.');
    Object.assign(pull, { state: 'closed', mergedAt: serverTime(call.state) });
    return { status: 200, body: { sha, merged: true, message: 'Pull Request successfully merged' } };
  },
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews': (call) => {
    const { repo, pull } = pullOf(call);
    return paged(call, pull.reviews, (at) => reviewJson(call, repo, pull, at));
  },
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments': (call) => {
    const { repo, pull } = pullOf(call);
    return paged(call, pull.remarks, (at) => remarkJson(call, repo, pull, at));
  },
  'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies': (call) => {
    const { repo, pull } = pullOf(call);
    needSpeech(call);
    const first = pull.remarks.find(({ id, replyTo }) => id === Number(call.parts[3]) && replyTo === null);
    if (first === undefined) throw notFound();
    const { path, line, hunk, id: replyTo } = first;
    const said = { id: nextId(call.state), user: call.viewer.login, body: String(call.body.body) };
    pull.remarks.push({ ...said, path, line, hunk, replyTo, createdAt: serverTime(call.state) });
    return { status: 201, body: remarkJson(call, repo, pull, pull.remarks.length - 1) };
  },
  'GET /repos/{owner}/{repo}/commits/{ref}/check-runs': (call) => {
    const repo = repoOf(call);
    const runs = (repo.checks ?? []).filter(({ sha }) => sha === call.parts[2]);
    const body = { total_count: runs.length, check_runs: runs.map((run) => checkJson(call, repo, run)) };
    return { status: 200, body };
  },
  /** The log lies elsewhere. */
  'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs': (call) => {
    const check = repoOf(call).checks?.find(
      ({ id, log }) => id === Number(call.parts[2]) && log !== undefined,
    );
    if (check === undefined) throw notFound();
    return { status: 302, headers: { location: `${call.shapes.base}/_storage/${check.id}` } };
  },
};
