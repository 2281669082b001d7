// Octokit for these credentials. Its pacing of writes (one a second, one in three where people are notified) and its
// retries of what failed without having acted stay as they are; what waits longer is the engine's to wait for.
import { createHash } from 'node:crypto';
import type { Octokit } from 'octokit';
import { RoomError } from '../../../core/errors.ts';
import type { Effects } from '../../../effects.ts';
import { toRoomError } from './api-errors.ts';
import type { Credentials } from './credentials.ts';
import { readInstallation } from './response-shapes.ts';
import { createTransport, type Transport } from './transport.ts';

/** Set by tests alone: GitHub's own pace is no setting. */
export interface Pace {
  /** False: writes are not paced. */
  paced: boolean;
  /** The first wait of a retry; the next ones are 4 and 9 times as long. */
  retryBaseMs: number;
  /** The longest a whole answer may take. */
  timeoutMs: number;
}

export const DEFAULT_PACE: Pace = { paced: true, retryBaseMs: 1_000, timeoutMs: 60_000 };

export interface Connection {
  /**
   * For a first try of a reading, which needs no pace: the plugins' queues would cost each one ten milliseconds or more.
   */
  plain: Octokit;
  /** Keeps GitHub's pace, and tries again. */
  patient: Octokit;
  transport: Transport;
  /** Tells credentials apart without telling them: a cursor made with others does not fit. */
  fingerprint: string;
  from: string;
  app: boolean;
}

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
/** Refusals that the same request will meet again, and limits, which are the engine's to wait for. */
const DO_NOT_RETRY = [400, 401, 403, 404, 410, 422, 429, 451];

export async function connect(
  credentials: Credentials,
  place: { api: string; source: string },
  effects: Effects,
  pace: Pace,
): Promise<Connection> {
  const { App, Octokit } = await import('octokit');
  const transport = createTransport(effects, pace.timeoutMs);
  const fingerprint = fingerprintOf(credentials);
  const plain = {
    baseUrl: place.api,
    userAgent: 'taskroom',
    log: QUIET,
    request: { fetch: transport.fetchFor(null), log: QUIET },
    retry: { enabled: false },
    throttle: { enabled: false },
  };
  // Pace is kept for each account of each server.
  const id = `${place.api} ${fingerprint}`;
  const limits = { onRateLimit: () => false, onSecondaryRateLimit: () => false };
  const patient = {
    ...plain,
    retry: { doNotRetry: DO_NOT_RETRY, retryAfterBaseValue: pace.retryBaseMs },
    throttle: { enabled: pace.paced, id, ...limits },
  };
  const facts = { transport, fingerprint, from: credentials.from, app: credentials.kind === 'app' };
  if (credentials.kind === 'token') {
    const auth = credentials.token;
    return { ...facts, plain: new Octokit({ ...plain, auth }), patient: new Octokit({ ...patient, auth }) };
  }
  const { appId, privateKey } = credentials;
  const app = new App({ appId, privateKey, Octokit: Octokit.defaults(patient), log: QUIET });
  const installationId =
    credentials.installationId ?? (await findInstallation(app.octokit, place.source, facts));
  const installation = (await app.getInstallationOctokit(installationId)) as Octokit;
  // Both use the token the one got.
  const authStrategy = () => installation.auth;
  return { ...facts, plain: new Octokit({ ...plain, authStrategy }), patient: installation };
}

async function findInstallation(
  octokit: Octokit,
  source: string,
  { from }: { from: string },
): Promise<number> {
  const [owner, repo] = source.split('/') as [string, string];
  try {
    const { data } = await octokit.request('GET /repos/{owner}/{repo}/installation', { owner, repo });
    return readInstallation(data).id;
  } catch (error) {
    const context = {
      what: `the installation of the app in ${source}`,
      from,
      absent: 'not_found',
      writing: false,
    } as const;
    throw isKeyFault(error) ? keyRefused(from, error) : toRoomError(error, context);
  }
}

// A key that is no key fails where the token is signed, without a request.
function isKeyFault(error: unknown): boolean {
  return error instanceof Error && !('status' in error) && !(error instanceof RoomError);
}

function keyRefused(from: string, cause: unknown): RoomError {
  const hint = 'Set GITHUB_APP_PRIVATE_KEY to the private key of the app, in PEM.';
  return new RoomError('unauthorized', `no token can be signed with the key from ${from}`, { cause, hint });
}

function fingerprintOf(credentials: Credentials): string {
  const text = credentials.kind === 'token' ? credentials.token : `app ${credentials.appId}`;
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
