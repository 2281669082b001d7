// What of a pull request asks for more work on its task: reviews and comments of people who are trusted, and checks that failed.
// Pure.
import type { PullRequest } from '../../core/review-shapes.ts';
import { fenced, fenceOutput } from '../../core/task/body/foreign-text.ts';
import type { Author, PullNews, RemoteCheck, RemotePull, RemoteWords } from '../../providers/provider.ts';

export type Pull = RemotePull & PullNews;

/** `key`: each is told once; `thread`: the one that the next push answers. */
export interface Feedback extends Pick<RemoteWords, 'key' | 'author' | 'role' | 'mine' | 'at' | 'text'> {
  thread: string | null;
}

const keyOf = ({ id }: RemoteCheck) => `check:${id}`;

/** What its task was not told yet; nothing of one that is over. @param told keys of what it was told */
export function newsOf(pull: Pull, told: readonly string[], trusts: (author: Author) => boolean) {
  if (pull.state !== 'open') return { said: [], failed: [] };
  const { words, checks } = pull;
  const said = words.filter((one) => !told.includes(one.key) && asksForWork(one) && trusts(one));
  // Told together, once all of them are over.
  const isOver = !checks.some(({ state }) => state === 'pending');
  return {
    said: said.toSorted((a, b) => a.at - b.at).map((one) => ofWords(pull.ref, one)),
    failed: checks.filter((one) => isOver && one.state === 'failed' && !told.includes(keyOf(one))),
  };
}

/** An approval does not; a comment without words only holds those on lines. */
const asksForWork = ({ verdict, text }: RemoteWords): boolean =>
  verdict === 'changes_requested' || (verdict === 'commented' && text.trim() !== '');

function ofWords(ref: string, { verdict, line, text, ...by }: RemoteWords): Feedback {
  const isAsking = verdict === 'changes_requested';
  const what = by.key.startsWith('comment:') ? 'Comment on' : 'Review of';
  const head =
    line === null
      ? [isAsking ? `Asks for changes of ${ref}.` : `${what} ${ref}:`]
      : [`\`${line.place.replaceAll('`', "'")}\` of ${ref}`, fenced(line.hunk, 'diff')];
  const said = [...head, text].filter((part) => part.trim() !== '').join('\n\n');
  return { ...by, text: said, thread: line?.thread ?? null };
}

const LOG_LINES = 40;
const LOG_CHARS = 4_000;

/** @param log what its program printed; '' where nobody can tell */
export function ofCheck(pull: RemotePull, check: RemoteCheck, log: string, nowMs: number): Feedback {
  const lines = (log.trim() === '' ? check.summary : log).trimEnd().split(/\r?\n/).slice(-LOG_LINES);
  const last = fenceOutput(lines.join('\n').slice(-LOG_CHARS).toWellFormed());
  const where = check.url === null ? '' : ` (${check.url})`;
  const head = `The check ${check.name} failed on ${pull.commit.slice(0, 7)} of ${pull.ref}${where}.`;
  const text = last === null ? head : `${head} ${last}`;
  // No name of a person or an agent, whatever a branch calls its checks.
  const author = `check ${check.name}`;
  return { key: keyOf(check), author, role: null, mine: false, at: nowMs, text, thread: null };
}

// What a pull request says, as the room shows it. Pure.

const MOST_REVIEWS = 100;
const MOST_CHARS = 4_000;

/** @param trusts whose reviews count */
export function viewOf(
  { number: _number, uid: _uid, words = [], checks = [], ...pull }: RemotePull & Partial<PullNews>,
  trusts: (author: Author) => boolean,
  nowMs: number,
): PullRequest {
  const shown = words
    .filter(({ verdict, text }) => verdict !== 'commented' || text.trim() !== '')
    .toSorted((a, b) => a.at - b.at)
    .slice(-MOST_REVIEWS);
  return {
    ...pull,
    verdict: verdictOf(words.filter(trusts)),
    reviews: shown.map(({ author, mine, role, verdict, text, line, at, url }) => ({
      ...{ author, trusted: trusts({ author, mine, role }), verdict, url },
      ...{ text: text.slice(0, MOST_CHARS).toWellFormed(), place: line?.place ?? null },
      at: new Date(at).toISOString(),
    })),
    checks: checks.map(({ name, state, url }) => ({ name, state, url })),
    ...{ seen_at: new Date(nowMs).toISOString(), trouble: null },
  };
}

/** The last word of each person counts; a comment takes no earlier word back. */
function verdictOf(words: readonly RemoteWords[]): PullRequest['verdict'] {
  const decided = words.filter(({ verdict }) => verdict !== 'commented').toSorted((a, b) => a.at - b.at);
  const last = new Map(decided.map(({ author, verdict }) => [author.toLowerCase(), verdict]));
  const verdicts = [...last.values()];
  return (['changes_requested', 'approved'] as const).find((each) => verdicts.includes(each)) ?? 'none';
}
