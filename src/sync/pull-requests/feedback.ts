// What of a pull request asks for more work on its task: reviews and comments of people who are trusted, and checks that failed.
// Pure.
import type {
  Author,
  PullNews,
  RemoteCheck,
  RemotePull,
  RemoteRemark,
  RemoteReview,
} from '../../providers/provider.ts';
import { placeOf } from './pull-view.ts';

export interface Feedback {
  /** `review:12`, `remark:34`, `check:56`: each is told once. */
  key: string;
  author: string;
  role: string | null;
  at: number;
  text: string;
  /** The thread that the next push answers; null for none. */
  thread: string | null;
  /** Said under the account of these credentials: its person, or an agent that used it. */
  isOwn: boolean;
}

/** Its log has to be fetched. */
export interface FailedCheck {
  key: string;
  check: RemoteCheck;
}

/**
 * What its task was not told yet; nothing of one that is over.
 * @param told keys of what it was told
 */
export function newsOf(
  pull: RemotePull & PullNews,
  told: ReadonlySet<string>,
  trusts: (author: Author) => boolean,
): { said: Feedback[]; failed: FailedCheck[] } {
  if (pull.state !== 'open') return { said: [], failed: [] };
  const { ref } = pull;
  const said = [
    ...pull.reviews
      .filter(asksForWork)
      .filter(trusts)
      .map((review) => ofReview(ref, review)),
    // Answers of ours carry a key.
    ...pull.remarks
      .filter((remark) => trusts(remark) && !(remark.mine && remark.key !== null))
      .map((remark) => ofRemark(ref, remark)),
  ];
  const checks = pull.checks ?? [];
  // Told together, once all of them are over.
  const isOver = !checks.some(({ state }) => state === 'pending');
  const failed = checks.filter(({ state }) => isOver && state === 'failed');
  return {
    said: said.filter(({ key }) => !told.has(key)).toSorted((a, b) => a.at - b.at),
    failed: failed.map((check) => ({ key: `check:${check.id}`, check })).filter(({ key }) => !told.has(key)),
  };
}

/** An approval does not; a comment without words only holds those on lines. */
function asksForWork({ verdict, body }: RemoteReview): boolean {
  return verdict === 'changes_requested' || (verdict === 'commented' && body.trim() !== '');
}

const byOf = ({ author, role, mine, at }: RemoteReview | RemoteRemark) => ({ author, role, at, isOwn: mine });

function ofReview(ref: string, review: RemoteReview): Feedback {
  const head = review.verdict === 'changes_requested' ? `Asks for changes of ${ref}.` : `Review of ${ref}:`;
  const text = review.body.trim() === '' ? head : `${head}\n\n${review.body}`;
  return { ...byOf(review), key: `review:${review.id}`, text, thread: null };
}

function ofRemark(ref: string, remark: RemoteRemark): Feedback {
  const place = `\`${placeOf(remark).replaceAll('`', "'")}\` of ${ref}`;
  const text = `${place}\n\n${fenced('diff', remark.hunk)}\n\n${remark.body}`;
  return { ...byOf(remark), key: `remark:${remark.id}`, text, thread: remark.thread };
}

const LOG_LINES = 40;
const LOG_CHARS = 4_000;

/** @param log what its program printed; '' where nobody can tell */
export function ofCheck(pull: RemotePull, { key, check }: FailedCheck, log: string, nowMs: number): Feedback {
  const lines = (log.trim() === '' ? check.summary : log).trimEnd().split(/\r?\n/).slice(-LOG_LINES);
  const last = lines.join('\n').slice(-LOG_CHARS).toWellFormed();
  const where = check.url === null ? '' : ` (${check.url})`;
  const head = `The check ${check.name} failed on ${pull.commit.slice(0, 7)} of ${pull.ref}${where}.`;
  const text = last.trim() === '' ? head : `${head} Its last lines:\n\n${fenced('', last)}`;
  // No name of a person or an agent, whatever a branch calls its checks.
  return { key, author: `check ${check.name}`, role: null, at: nowMs, text, thread: null, isOwn: false };
}

function fenced(language: string, text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}
