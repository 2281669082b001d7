// Pull requests: found by their branch, opened, and read with what people and programs say of them.
import { stripVTControlCharacters } from 'node:util';
import { isRoomError, nullIf, RoomError } from '../../core/errors.ts';
import type {
  Attempt,
  PullNews,
  PullRequestDraft,
  RemoteCheck,
  RemotePull,
  RemoteWords,
} from '../provider.ts';
import { assertTexts } from '../tracker-rules.ts';
import { parseRef } from './options.ts';
import type { WireCheckRun, WireComment, WirePull, WireRemark, WireReview } from './response-shapes.ts';
import {
  readCheckRuns,
  readPull,
  readPulls,
  readRemarks,
  readRepository,
  readReviews,
} from './response-shapes.ts';
import { fetchIssueComments, NOT_FOUND, PAGE_SIZE, pagesOf, REPOSITORY, type Source } from './source.ts';
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
  const { ask, repository } = source;
  const { head, title, draft, closes } = wanted;
  const what = `a pull request of ${head}`;
  const issue = closes === null ? null : parseRef(closes);
  const body = [wanted.body, issue && `Closes #${issue.number}.`].filter(Boolean).join('\n\n');
  assertTexts('GitHub', LIMITS, { title, body });
  const about = wanted.base === null ? await ask(`GET ${REPOSITORY}`, what, repository, NOT_FOUND) : null;
  const base = wanted.base ?? readRepository(about!.data).default_branch;
  const params = { ...repository, title, head, base, body, draft };
  return toRemotePull(source, readPull((await ask(`POST ${PULLS}`, what, params, NOT_FOUND)).data));
}

export async function mergePull(source: Source, number: number, commit: string): Promise<void> {
  const what = `the merge of ${source.refOf(number)}`;
  const { data } = await source.ask(`GET ${REPOSITORY}`, what, source.repository, NOT_FOUND);
  const { allow_merge_commit: byCommit = true, allow_squash_merge: bySquash } = readRepository(data);
  const merge_method = byCommit ? 'merge' : bySquash ? 'squash' : 'rebase';
  const params = { ...source.repository, pull_number: number, sha: commit, merge_method };
  await source.ask(`PUT ${PULL}/merge`, what, params);
}

export async function readPullWithNews(source: Source, number: number): Promise<RemotePull & PullNews> {
  const params = { ...source.repository, pull_number: number };
  const ref = source.refOf(number);
  const pull = readPull((await source.ask(`GET ${PULL}`, ref, params)).data);
  const login = await source.login();
  const reviews = await readAll(source, 'reviews', params, readReviews);
  const remarks = await readAll(source, 'comments', params, readRemarks);
  const comments = await fetchIssueComments(source, ref);
  // A token of its own kind may see no checks.
  const checks = await fetchChecks(source, pull.head.sha).catch(nullIf('unauthorized', 'not_found'));
  const words = [
    ...reviews.flatMap((review) => toReview(review, login)),
    ...remarks.flatMap((remark) => toRemark(remark, login)),
    ...comments.flatMap((comment) => toComment(comment, login)),
  ];
  return { ...toRemotePull(source, pull), words, checks: checks ?? [] };
}

async function readAll<T>(
  source: Source,
  list: string,
  about: { pull_number: number },
  read: (data: unknown) => T[],
): Promise<T[]> {
  const what = `the ${list} of ${source.refOf(about.pull_number)}`;
  const found: T[] = [];
  for await (const data of pagesOf(source, `GET ${PULL}/${list}`, what, about)) found.push(...read(data));
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
  const known = tries > 0 ? await readAll(source, 'comments', params, readRemarks) : [];
  const isGiven = ({ user, body: said }: WireRemark) =>
    isMine(user, login) && splitMarker(said ?? '').key === key;
  if (known.some(isGiven)) return;
  const said = { ...params, comment_id: Number(thread), body: withMarker(body, key) };
  await source.ask(`POST ${PULL}/comments/{comment_id}/replies`, what, said);
}

const toRemotePull = (source: Source, pull: WirePull): RemotePull => ({
  ref: source.refOf(pull.number),
  number: pull.number,
  uid: pull.node_id,
  url: pull.html_url,
  state: pull.merged_at ? 'merged' : pull.state,
  draft: pull.draft === true,
  mergeable: pull.mergeable ?? null,
  branch: pull.head.ref,
  commit: pull.head.sha,
});

const VERDICTS = ['approved', 'changes_requested', 'commented', 'dismissed'] as const;

const wordsOf = (what: string, said: WireReview | WireRemark | WireComment, login: string) => ({
  ...{ key: `${what}:${said.id}`, author: said.user?.login ?? GHOST, mine: isMine(said.user, login) },
  ...{ role: roleOf(said.author_association), text: said.body ?? '', url: said.html_url ?? null },
});

/** Whether taskroom posted it: our account may say other things, too. */
const isOurs = ({ mine, text }: Pick<RemoteWords, 'mine' | 'text'>) => mine && splitMarker(text).key !== null;

/** Nothing for one that its author did not send yet. */
function toReview(review: WireReview, login: string): RemoteWords[] {
  const verdict = VERDICTS.find((each) => each === review.state);
  if (verdict === undefined || review.submitted_at == null) return [];
  return [{ ...wordsOf('review', review, login), verdict, at: review.submitted_at, line: null }];
}

function toRemark(remark: WireRemark, login: string): RemoteWords[] {
  const { path, line, diff_hunk: hunk, created_at: at } = remark;
  const words = wordsOf('remark', remark, login);
  if (isOurs(words)) return [];
  const thread = String(remark.in_reply_to_id ?? remark.id);
  const place = line == null ? path : `${path}:${line}`;
  return [{ ...words, verdict: 'commented', at, line: { place, hunk, thread } }];
}

function toComment(comment: WireComment, login: string): RemoteWords[] {
  const words = wordsOf('comment', comment, login);
  if (isOurs(words)) return [];
  return [{ ...words, verdict: 'commented', at: comment.created_at, line: null }];
}

const PASSED = ['success', 'neutral', 'skipped'];

function toCheck({ id, name, status, conclusion, html_url, output, app }: WireCheckRun): RemoteCheck {
  const state = status !== 'completed' ? 'pending' : PASSED.includes(conclusion ?? '') ? 'passed' : 'failed';
  const said = [output?.summary, output?.text].filter(Boolean).join('\n\n');
  const hasLog = app?.slug === 'github-actions';
  return { id: String(id), name, state, url: html_url ?? null, summary: said, hasLog };
}
