// What a pull request says, as the room shows it. Pure.
import type { PullRequest } from '../../core/review-shapes.ts';
import type { Author, PullNews, RemotePull, RemoteWords } from '../../providers/provider.ts';

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
