// What a pull request says, as the room shows it. Pure.
import type { PullRequest } from '../../core/review-shapes.ts';
import type { Author, PullNews, RemotePull } from '../../providers/provider.ts';

const MOST_REVIEWS = 100;
const MOST_CHARS = 4_000;

const NO_NEWS: PullNews = { reviews: [], remarks: [], checks: [] };

/** @param trusts whose reviews count */
export function viewOf(
  pull: RemotePull & Partial<PullNews>,
  trusts: (author: Author) => boolean,
  nowMs: number,
): PullRequest {
  const { ref, url, branch, state, draft, mergeable, commit, reviews, remarks, checks } = {
    ...NO_NEWS,
    ...pull,
  };
  const said = (one: Author & { body: string; at: number; url: string | null }) => ({
    ...{ author: one.author, trusted: trusts(one), text: one.body.slice(0, MOST_CHARS).toWellFormed() },
    ...{ at: new Date(one.at).toISOString(), url: one.url },
  });
  const all = [
    ...reviews
      .filter(({ verdict, body }) => verdict !== 'commented' || body.trim() !== '')
      .map((review) => ({ ...said(review), verdict: review.verdict, place: null })),
    // Answers of ours carry a key.
    ...remarks
      .filter(({ mine, key }) => !mine || key === null)
      .map((remark) => ({ ...said(remark), verdict: 'commented' as const, place: placeOf(remark) })),
  ];
  return {
    ...{ ref, url, branch, state, draft, mergeable, commit },
    verdict: verdictOf(reviews.filter(trusts)),
    reviews: all.toSorted((a, b) => a.at.localeCompare(b.at)).slice(-MOST_REVIEWS),
    checks: (checks ?? []).map((check) => ({ name: check.name, state: check.state, url: check.url })),
    ...{ seen_at: new Date(nowMs).toISOString(), trouble: null },
  };
}

export function placeOf({ path, line }: { path: string; line: number | null }): string {
  return line === null ? path : `${path}:${line}`;
}

/** The last word of each person counts; a comment takes no earlier word back. */
function verdictOf(reviews: PullNews['reviews']): PullRequest['verdict'] {
  const last = new Map(
    reviews
      .filter(({ verdict }) => verdict !== 'commented')
      .toSorted((a, b) => a.at - b.at)
      .map(({ author, verdict }) => [author.toLowerCase(), verdict]),
  );
  const words = [...last.values()];
  if (words.includes('changes_requested')) return 'changes_requested';
  return words.includes('approved') ? 'approved' : 'none';
}
