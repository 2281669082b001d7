// Pull requests of a repository: found by their branch, opened from one that is there, and read with what people and programs
// say of them.
import { stripVTControlCharacters } from 'node:util';
import { isRoomError, RoomError } from '../../core/errors.ts';
import type {
  Attempt,
  PullNews,
  PullRequestDraft,
  RemoteCheck,
  RemotePull,
  RemoteRemark,
  RemoteReview,
} from '../provider.ts';
import { assertTexts } from '../tracker-rules.ts';
import { parseRef } from './options.ts';
import {
  readCheckRuns,
  readDefaultBranch,
  readPull,
  readPulls,
  readRemarks,
  readReviews,
  type WireCheckRun,
  type WirePull,
  type WireRemark,
  type WireReview,
} from './response-shapes.ts';
import { NOT_FOUND, PAGE_SIZE, REPOSITORY, type Source } from './source.ts';
import { GHOST, isMine, LIMITS, roleOf, splitMarker, withMarker } from './to-remote-task.ts';

const PULLS = `${REPOSITORY}/pulls` as const;
const PULL = `${REPOSITORY}/pulls/{pull_number}` as const;
const SCOPES = 'the scope `repo` (or `public_repo`), or fine-grained Pull requests: read and write';

export async function findPull(source: Source, branch: string, commit: string): Promise<RemotePull | null> {
  const { owner } = source.repository;
  const ask = { ...source.repository, head: `${owner}:${branch}`, state: 'all' };
  const { data } = await source.ask(`GET ${PULLS}`, `the pull requests of ${branch}`, ask, NOT_FOUND);
  const pulls = readPulls(data);
  const found = pulls.find(({ state }) => state === 'open') ?? pulls.find(({ head }) => head.sha === commit);
  return found === undefined ? null : toRemotePull(source, found);
}

/** Credentials that may write are refused for what is asked for here, those that may only read for themselves. */
export async function assertMayOpen(source: Source): Promise<void> {
  const what = `pull requests in ${source.config.source}`;
  const nothing = { ...source.repository, title: 'taskroom', head: '', base: '' };
  try {
    await source.ask(`POST ${PULLS}`, what, nothing, NOT_FOUND);
  } catch (error) {
    if (isRoomError(error, 'bad_input')) return;
    if (!isRoomError(error, 'refused')) throw error;
    throw new RoomError('refused', `these credentials may open no ${what}; nothing was pushed`, {
      cause: error,
      hint: `Give them ${SCOPES}.`,
    });
  }
}

export async function openPull(source: Source, wanted: PullRequestDraft): Promise<RemotePull> {
  const { head, title, draft, closes } = wanted;
  const what = `a pull request of ${head}`;
  const issue = closes === null ? null : parseRef(closes);
  const body = [wanted.body, issue && `Closes #${issue.number}.`].filter(Boolean).join('\n\n');
  assertTexts('GitHub', LIMITS, { title, body });
  const base = wanted.base ?? (await fetchDefaultBranch(source, what));
  const params = { ...source.repository, title, head, base, body, draft };
  return toRemotePull(source, readPull((await source.ask(`POST ${PULLS}`, what, params, NOT_FOUND)).data));
}

async function fetchDefaultBranch({ ask, repository }: Source, what: string): Promise<string> {
  const { data } = await ask(`GET ${REPOSITORY}`, what, repository, NOT_FOUND);
  return readDefaultBranch(data).default_branch;
}

export async function readPullWithNews(source: Source, number: number): Promise<RemotePull & PullNews> {
  const params = { ...source.repository, pull_number: number };
  const ref = source.refOf(number);
  const pull = readPull((await source.ask(`GET ${PULL}`, ref, params)).data);
  const login = await source.login();
  const reviews = await allPages(source, `GET ${PULL}/reviews`, `the reviews of ${ref}`, params, readReviews);
  const remarks = await allPages(source, `GET ${PULL}/comments`, `the review of ${ref}`, params, readRemarks);
  const checks = await fetchChecks(source, pull.head.sha).catch((error: unknown) => {
    // A token of its own kind may see no checks.
    if (isRoomError(error) && ['unauthorized', 'not_found'].includes(error.code)) return null;
    throw error;
  });
  return {
    ...toRemotePull(source, pull),
    reviews: reviews.flatMap((review) => toReview(review, login)),
    remarks: remarks.map((remark) => toRemark(remark, login)),
    checks,
  };
}

/** Of reviews and their comments: more are nobody's to read at once. */
const MOST_PAGES = 10;

async function allPages<T>(
  source: Source,
  route: `GET ${string}`,
  what: string,
  params: object,
  read: (data: unknown) => T[],
): Promise<T[]> {
  const found: T[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { data, links } = await source.ask(route, what, { ...params, per_page: PAGE_SIZE, page });
    found.push(...read(data));
    if (links.next === null) break;
  }
  return found;
}

async function fetchChecks(source: Source, ref: string): Promise<RemoteCheck[]> {
  const route = `GET ${REPOSITORY}/commits/{ref}/check-runs` as const;
  const params = { ...source.repository, ref, per_page: PAGE_SIZE };
  const { data } = await source.ask(route, `the checks of ${ref.slice(0, 10)}`, params, NOT_FOUND);
  return readCheckRuns(data).check_runs.map(toCheck);
}

export async function readLog(source: Source, { id, name, hasLog }: RemoteCheck): Promise<string> {
  if (!hasLog) return '';
  const params = { ...source.repository, job_id: Number(id) };
  const log = await source.download(
    `GET ${REPOSITORY}/actions/jobs/{job_id}/logs`,
    `the log of ${name}`,
    params,
  );
  return lastLines(log);
}

const TIME_OF_LINE = /^\ufeff?\d{4}-\d\d-\d\dT[\d:.]+Z ?/;

/** Up to the failure: what comes after it cleans up. */
function lastLines(log: string): string {
  const lines = stripVTControlCharacters(log)
    .split(/\r?\n/)
    .map((line) => line.replace(TIME_OF_LINE, ''));
  const end = lines.findLastIndex((line) => line.startsWith('##[error]'));
  return lines.slice(0, end < 0 ? lines.length : end + 1).join('\n');
}

export async function replyToRemark(
  source: Source,
  number: number,
  thread: string,
  body: string,
  { key, tries }: Attempt,
): Promise<void> {
  assertTexts('GitHub', LIMITS, { comment: body });
  const params = { ...source.repository, pull_number: number };
  const what = `an answer in the review of ${source.refOf(number)}`;
  const login = await source.login();
  const known = tries > 0 ? await allPages(source, `GET ${PULL}/comments`, what, params, readRemarks) : [];
  if (known.some((one) => isMine(one.user, login) && splitMarker(one.body).key === key)) return;
  const said = { ...params, comment_id: Number(thread), body: withMarker(body, key) };
  await source.ask(`POST ${PULL}/comments/{comment_id}/replies`, what, said);
}

function toRemotePull(source: Source, pull: WirePull): RemotePull {
  return {
    ref: source.refOf(pull.number),
    number: pull.number,
    uid: pull.node_id,
    url: pull.html_url,
    state: pull.merged_at ? 'merged' : pull.state,
    draft: pull.draft === true,
    mergeable: pull.mergeable ?? null,
    branch: pull.head.ref,
    commit: pull.head.sha,
  };
}

const authorOf = ({ user, author_association }: WireReview | WireRemark, login: string) => ({
  author: user?.login ?? GHOST,
  role: roleOf(author_association),
  mine: isMine(user, login),
});

const VERDICTS: Readonly<Record<string, RemoteReview['verdict']>> = {
  approved: 'approved',
  changes_requested: 'changes_requested',
  commented: 'commented',
  dismissed: 'dismissed',
};

/** Nothing for one that its author did not send yet. */
function toReview(review: WireReview, login: string): RemoteReview[] {
  const verdict = VERDICTS[review.state.toLowerCase()];
  if (verdict === undefined || review.submitted_at == null) return [];
  const { id, body, submitted_at: at, html_url } = review;
  return [
    { ...authorOf(review, login), id: String(id), verdict, body: body ?? '', at, url: html_url ?? null },
  ];
}

function toRemark(remark: WireRemark, login: string): RemoteRemark {
  const { id, in_reply_to_id, path, line, diff_hunk, html_url } = remark;
  const by = authorOf(remark, login);
  const { body, key } = by.mine ? splitMarker(remark.body) : { body: remark.body, key: null };
  return {
    ...{ ...by, id: String(id), thread: String(in_reply_to_id ?? id), key, path, line: line ?? null },
    ...{ hunk: diff_hunk, body, at: remark.created_at, url: html_url ?? null },
  };
}

const PASSED = ['success', 'neutral', 'skipped'];

function toCheck({ id, name, status, conclusion, html_url, output, app }: WireCheckRun): RemoteCheck {
  const state = status !== 'completed' ? 'pending' : PASSED.includes(conclusion ?? '') ? 'passed' : 'failed';
  const said = [output?.summary, output?.text].filter(Boolean).join('\n\n');
  const hasLog = app?.slug === 'github-actions';
  return { id: String(id), name, state, url: html_url ?? null, summary: said, hasLog };
}
