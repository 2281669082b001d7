// Pull requests, as far as they are opened from a branch and found again by it.
import { type Answer, type Call, type Handler, needWrite, Refused, repoOf } from './answer.ts';
import type { Json } from './shapes.ts';
import type { StoredPull, StoredRepo } from './state.ts';

function pullJson(call: Call, repo: StoredRepo, { head, base, ...pull }: StoredPull): Json {
  const at = `${repo.fullName}/pull/${pull.number}`;
  return { ...pull, html_url: `${call.shapes.base}/${at}`, head: { ref: head }, base: { ref: base } };
}

const listPulls: Handler = (call): Answer => {
  const repo = repoOf(call);
  const query = call.url.searchParams;
  const state = query.get('state') ?? 'open';
  const head = query.get('head');
  const [owner] = repo.fullName.split('/');
  const fits = (pull: StoredPull) =>
    (state === 'all' || pull.state === state) && (head === null || head === `${owner}:${pull.head}`);
  return { status: 200, body: (repo.pulls ?? []).filter(fits).map((pull) => pullJson(call, repo, pull)) };
};

function refuse(field: string, message: string): Refused {
  const code = field === 'head' ? { code: 'invalid' } : { code: 'custom', message };
  return new Refused(422, 'Validation Failed', { errors: [{ resource: 'PullRequest', field, ...code }] });
}

const createPull: Handler = (call): Answer => {
  const repo = repoOf(call);
  needWrite(call);
  const { title, head, base, body, draft } = call.body;
  if (typeof head !== 'string' || !repo.hasBranch?.(head)) throw refuse('head', '');
  if (base !== 'main') throw refuse('base', 'invalid');
  repo.pulls ??= [];
  const { pulls } = repo;
  if (pulls.some((pull) => pull.head === head && pull.state === 'open'))
    throw refuse('base', `A pull request already exists for ${repo.fullName.split('/')[0]}:${head}.`);
  const number = repo.issues.length + pulls.length + 1;
  const made = { title: String(title), head, base, body: body == null ? null : String(body) };
  pulls.push({ ...made, number, draft: draft === true, state: 'open' });
  return { status: 201, body: pullJson(call, repo, pulls.at(-1)!) };
};

export const PULL_ROUTES: [string, Handler][] = [
  ['GET /repos/{owner}/{repo}/pulls', listPulls],
  ['POST /repos/{owner}/{repo}/pulls', createPull],
];
