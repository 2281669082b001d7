// What GitHub's refusals mean here: each names what to wait for or what to set, and none holds a secret.
import { isRoomError, RoomError } from '../../core/errors.ts';
import { DEFAULT_WAIT_MS, type ReadHeader, readBudget, retryAfterOf } from '../tracker-rules.ts';

export interface FaultContext {
  what: string; // What was asked for, as people say it: `the issues of acme/web`.
  from: string; // Where the credentials come from.
  /** What a 404 means: the issue or comment is gone, or the repository can't be seen. */
  absent: 'gone' | 'not_found';
  writing: boolean;
}

type Headers = Readonly<Record<string, string | undefined>>;

/** What credentials must be allowed to do. */
export const SCOPES = 'the scope `repo` (or `public_repo`), or fine-grained Issues: read and write';

/** The HTTP status an error of octokit tells; null for any other error. */
export const statusOf = (error: unknown): number | null =>
  error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : null;

export const readGithubBudget = (header: ReadHeader, now: number) =>
  readBudget(header, 'x-ratelimit-', 1_000, now);

/** How long a limit asks to wait; null for a refusal that is no limit. */
function waitOf(status: number, message: string, headers: Headers): number | null {
  if (status !== 429 && status !== 403) return null;
  const header = (name: string) => headers[name];
  const isSpent = headers['x-ratelimit-remaining'] === '0';
  const isSecondary = /\bsecondary rate\b|\babuse\b/i.test(message);
  const askedMs = retryAfterOf(header);
  if (status !== 429 && askedMs === null && !isSpent && !isSecondary) return null;
  // Without a date nobody knows how far off the reset is.
  const budget = isSpent ? readGithubBudget(header, Number.NaN) : null;
  return askedMs ?? (budget?.waitMs || DEFAULT_WAIT_MS);
}

/** The error as one of ours; bugs stay what they are. */
export function toRoomError(error: unknown, context: FaultContext): unknown {
  const status = statusOf(error);
  if (isRoomError(error) || status === null) return error;
  // A connection that broke is told as 500 by octokit, with no answer to it.
  const { message, response } = error as Error & { response?: { headers?: Headers } };
  const retryAfterMs = waitOf(status, message, response?.headers ?? {});
  if (retryAfterMs !== null) {
    const limit = `GitHub's rate limit is reached (${context.what})`;
    return new RoomError('rate_limited', limit, { cause: error, retryAfterMs });
  }
  const said = message.split('\n')[0]!.slice(0, 300);
  const isNetwork = response === undefined;
  const problem = isNetwork ? 'GitHub can not be reached' : `GitHub answered ${status}`;
  const [code, words, hint] = REFUSALS[status]?.(said, context) ?? [
    'unavailable',
    `${problem} (${context.what}): ${said}`,
  ];
  return new RoomError(code, words, { cause: error, hint });
}

type Refusal = [code: RoomError['code'], words: string, hint?: string];

const notTaken = (said: string, { what }: FaultContext): Refusal => [
  'bad_input',
  `GitHub does not take ${what}: ${said}`,
];

const REFUSALS: Readonly<Record<number, (said: string, context: FaultContext) => Refusal>> = {
  400: notTaken,
  401(_said, { from }) {
    const hint = `Set a token that is valid and has ${SCOPES}.`;
    return ['unauthorized', `GitHub does not accept the credentials from ${from}`, hint];
  },
  403(said, { what, from, writing }) {
    const hint = `Give the credentials from ${from} ${SCOPES}.`;
    return [writing ? 'refused' : 'unauthorized', `GitHub does not allow ${what}: ${said}`, hint];
  },
  404(said, { what, from, absent }) {
    const hint = `Check the name; for a private repository the credentials from ${from} need ${SCOPES}.`;
    return absent === 'gone'
      ? ['gone', `${what}: ${said}`]
      : ['not_found', `GitHub does not find ${what}`, hint];
  },
  // Of a merge: checks or reviews that its rules ask for are missing, or both sides changed the same.
  405: (said, { what }) => ['refused', `GitHub does not take ${what}: ${said}`],
  410: (said, { what, absent }) => [absent, `${what}: ${said}`],
  422: notTaken,
};
