// The line to one GitHub server: octokit for these credentials, over a `fetch` that is bounded in time and counted. Octokit's
// pacing of writes (one a second, one in three where people are notified) and its retries of what failed without having
// acted stay as they are; what waits longer is the engine's to wait for.
import { createHash } from 'node:crypto';
import type { Octokit } from 'octokit';
import { isRoomError, RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import type { Usage } from '../provider.ts';
import { resetInMs, toRoomError } from './api-errors.ts';
import type { Credentials } from './credentials.ts';
import { readInstallation } from './response-shapes.ts';

/** Set by tests alone: GitHub's own pace is no setting. */
export interface Pace {
  /** False: writes are not paced. */
  paced: boolean;
  /** The first wait of a retry; the next ones are 4 and 9 times as long. */
  retryBaseMs: number;
  /** The longest a whole answer may take. */
  timeoutMs: number;
}

const DEFAULT_PACE: Pace = { paced: true, retryBaseMs: 1_000, timeoutMs: 60_000 };
/** Of the hour's budget this part is left to others that use the same credentials, and to a person. */
const FLOOR_SHARE = 0.01;
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
/** Refusals that the same request will meet again, and limits, which are the engine's to wait for. */
const DO_NOT_RETRY = [400, 401, 403, 404, 410, 422, 429, 451];

export type Connection = Awaited<ReturnType<typeof connect>>;

export async function connect(
  credentials: Credentials,
  place: { api: string; source: string },
  effects: Effects,
  pace: Partial<Pace>,
) {
  const { paced, retryBaseMs, timeoutMs } = { ...DEFAULT_PACE, ...pace };
  const { App, Octokit } = await import('octokit');
  const { fetch, ...transport } = createTransport(effects, timeoutMs);
  /** Tells credentials apart without telling them: a cursor made with others does not fit. */
  const fingerprint = fingerprintOf(credentials);
  const plain = {
    baseUrl: place.api,
    userAgent: 'taskroom',
    log: QUIET,
    request: { fetch, log: QUIET },
    retry: { enabled: false },
    throttle: { enabled: false },
  };
  // Pace is kept for each account of each server.
  const id = `${place.api} ${fingerprint}`;
  const limits = { onRateLimit: () => false, onSecondaryRateLimit: () => false };
  const patient = {
    ...plain,
    retry: { doNotRetry: DO_NOT_RETRY, retryAfterBaseValue: retryBaseMs },
    throttle: { enabled: paced, id, ...limits },
  };
  const { from, kind } = credentials;
  const facts = { ...transport, api: place.api, fingerprint, from, app: kind === 'app' };
  // `plain` is for a first try of a reading, which needs no pace: the plugins' queues would cost each ten milliseconds or more.
  if (kind === 'token') {
    const auth = credentials.token;
    return { ...facts, plain: new Octokit({ ...plain, auth }), patient: new Octokit({ ...patient, auth }) };
  }
  const { appId, privateKey } = credentials;
  const app = new App({ appId, privateKey, Octokit: Octokit.defaults(patient), log: QUIET });
  const installationId =
    credentials.installationId ?? (await findInstallation(app.octokit, place.source, from));
  const installation = (await app.getInstallationOctokit(installationId)) as Octokit;
  // Both use the token the one got.
  const authStrategy = () => installation.auth;
  return { ...facts, plain: new Octokit({ ...plain, authStrategy }), patient: installation };
}

async function findInstallation(octokit: Octokit, source: string, from: string): Promise<number> {
  const [owner, repo] = source.split('/') as [string, string];
  try {
    const { data } = await octokit.request('GET /repos/{owner}/{repo}/installation', { owner, repo });
    return readInstallation(data).id;
  } catch (error) {
    const what = `the installation of the app in ${source}`;
    if (!(error instanceof Error) || 'status' in error || isRoomError(error))
      throw toRoomError(error, { what, from, absent: 'not_found', writing: false });
    // A key that is no key fails where the token is signed, without a request.
    const hint = 'Set GITHUB_APP_PRIVATE_KEY to the private key of the app, in PEM.';
    const message = `no token can be signed with the key from ${from}`;
    throw new RoomError('unauthorized', message, { cause: error, hint });
  }
}

function fingerprintOf(credentials: Credentials): string {
  const text = credentials.kind === 'token' ? credentials.token : `app ${credentials.appId}`;
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function createTransport(effects: Effects, timeoutMs: number) {
  const usage: Usage = { requests: 0, notModified: 0, remaining: null, resetAt: null };
  let blockedUntil = 0;

  function note({ status, headers }: Response): void {
    if (status === 304) usage.notModified += 1;
    // GraphQL has a budget of its own.
    if ((headers.get('x-ratelimit-resource') ?? 'core') !== 'core') return;
    const [remaining, limit, resetAt] = ['remaining', 'limit', 'reset'].map((name) =>
      Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN),
    ) as [number, number, number];
    if (!Number.isFinite(remaining) || !Number.isFinite(limit)) return;
    usage.remaining = remaining;
    usage.resetAt = Number.isFinite(resetAt) ? resetAt * 1_000 : null;
    const waitMs = remaining < limit * FLOOR_SHARE ? resetInMs(Object.fromEntries(headers)) : null;
    blockedUntil = waitMs === null ? 0 : effects.monotonicMs() + waitMs;
  }

  const fetch: typeof globalThis.fetch = async (input, init) => {
    usage.requests += 1;
    const late = new AbortController();
    const stop = () => late.abort(new Error(`no whole answer within ${timeoutMs / 1_000} s`));
    const timer = effects.setTimer(timeoutMs, stop, true);
    const given = init?.signal;
    const signal = given ? AbortSignal.any([given, late.signal]) : late.signal;
    try {
      // Where a redirect leads is the client's to judge.
      const response = await effects.fetch(input, { ...init, signal, redirect: 'manual' });
      // Read here, under the same timer: a server may stop in the middle of its answer.
      const text = await response.text();
      note(response);
      const { status, headers } = response;
      return new Response([204, 205, 304].includes(status) ? null : text, { status, headers });
    } catch (error) {
      if (given?.aborted) throw error;
      // What really broke: `fetch failed` says nothing.
      const deepest = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new TypeError('fetch failed', { cause: late.signal.aborted ? late.signal.reason : deepest });
    } finally {
      timer.cancel();
    }
  };

  return {
    fetch,
    usage,
    /** @throws RoomError `rate_limited` when what is left of the budget is not ours to spend */
    assertBudget(): void {
      const retryAfterMs = blockedUntil - effects.monotonicMs();
      if (blockedUntil === 0 || retryAfterMs <= 0) return;
      const message = `GitHub's budget is nearly spent (${usage.remaining} requests left)`;
      throw new RoomError('rate_limited', message, { retryAfterMs });
    },
  };
}
