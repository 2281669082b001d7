// Requests to Linear through its SDK, one at a time: time limit, budget, and every failure as one RoomError that says
// what to do. The key appears in no message. Linear's rate limit is HTTP 400 with a code, its refusals may come with HTTP
// 200, and the SDK calls every other 4xx an authentication error: so code and status decide here, not the SDK's type.
import { readToken } from '../../core/config/agent-env.ts';
import { BUILT_IN_SECRETS } from '../../core/config/names.ts';
import { isRoomError, nullIf, RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import type { MissingConfig, SourceConfig, Usage } from '../provider.ts';
import {
  causeOf,
  createBudget,
  DEFAULT_WAIT_MS,
  readBudget,
  retryAfterOf,
  underTimeLimit,
} from '../tracker-rules.ts';

const KEY_VARIABLE = 'LINEAR_API_KEY';
const TOKEN_VARIABLE = 'LINEAR_ACCESS_TOKEN';
export const SECRETS: readonly string[] = BUILT_IN_SECRETS.linear;
const TIMEOUT_MS = 60_000; // A page of fifty full issues takes Linear a few seconds.

type Credentials = { accessToken: string } | { apiKey: string };

/** The credentials that are set, an OAuth token before a key; or what is missing, or can't be used. */
function findCredentials({ env }: Effects): Credentials | { missing: MissingConfig } {
  const accessToken = readToken(env, TOKEN_VARIABLE);
  if (accessToken) return 'token' in accessToken ? { accessToken: accessToken.token } : accessToken;
  const apiKey = readToken(env, KEY_VARIABLE);
  if (apiKey) return 'token' in apiKey ? { apiKey: apiKey.token } : apiKey;
  const set = `Set ${KEY_VARIABLE} to a personal API key (Linear, Settings, Security & access), or ${TOKEN_VARIABLE} to an OAuth token with read and write.`;
  return { missing: { what: 'credentials for Linear', set } };
}

export function missingCredentials(effects: Effects): MissingConfig[] {
  const found = findCredentials(effects);
  return 'missing' in found ? [found.missing] : [];
}

/** @throws RoomError `unauthorized` when there are no credentials */
export async function createTransport({ url }: SourceConfig, effects: Effects) {
  const credentials = findCredentials(effects);
  if ('missing' in credentials) {
    const { what, set } = credentials.missing;
    throw new RoomError('unauthorized', `missing here: ${what}`, { hint: set });
  }
  const variable = 'apiKey' in credentials ? KEY_VARIABLE : TOKEN_VARIABLE;
  // Loaded when first used: it is three megabytes.
  const { LinearClient } = await import('@linear/sdk');
  const address = url === null ? {} : { apiUrl: url };
  const budgets = (['requests', 'complexity'] as const).map((kind) => {
    const unit = kind === 'requests' ? kind : 'points';
    return { kind, ...createBudget('Linear', unit, FLOOR_SHARE, () => effects.monotonicMs()) };
  });
  const note = (headers: Headers | undefined) => {
    for (const budget of budgets) {
      const header = (name: string) => headers?.get(name);
      budget.note(readBudget(header, `x-ratelimit-${budget.kind}-`, 1, effects.now()));
    }
  };
  let requests = 0;

  const transport = {
    async ask<T>(document: string, variables: Record<string, unknown>, signal: AbortSignal): Promise<T> {
      if (signal.aborted) throw new RoomError('interrupted', 'stopped before Linear was asked');
      for (const budget of budgets) budget.assertLeft();
      requests += 1;
      try {
        const { data, headers } = await underTimeLimit(effects, TIMEOUT_MS, signal, (either) => {
          const options = { ...credentials, ...address, signal: either, redirect: 'error' as const };
          return new LinearClient(options).client.rawRequest(document, variables);
        });
        note(headers);
        if (Object.keys(data ?? {}).length === 0) throw new SyntaxError('no fields in the answer');
        return data as T;
      } catch (error) {
        const answered = (error as { raw?: { response?: Answered } } | null)?.raw?.response;
        note(answered?.headers);
        if (signal.aborted)
          throw new RoomError('interrupted', 'stopped while Linear was asked', { cause: error });
        const isMutation = document.startsWith('mutation');
        const resetMs = Math.max(...budgets.map(({ waitMs }) => waitMs()));
        const [code, words, more] = meaningOf(error, answered, variable, isMutation, resetMs);
        throw new RoomError(code, words, { cause: error, ...more });
      }
    },
    /** Whether the token is an app's (`actor=app`), which has sessions; a key never is. */
    async isApp(): Promise<boolean> {
      if ('apiKey' in credentials) return false;
      const { signal } = new AbortController();
      type Answer = { viewer: { app: boolean } };
      return (await transport.ask<Answer>('query Viewer { viewer { app } }', {}, signal)).viewer.app;
    },
    usage: (): Usage => ({ requests, notModified: 0, ...budgets[0]!.usage() }),
  };
  return transport;
}

const FLOOR_SHARE = 0.05; // Share of a budget that is left to the person's other tools.

interface Answered {
  status?: number;
  errors?: readonly {
    message?: string;
    extensions?: { code?: string; type?: string; userPresentableMessage?: string };
  }[];
  headers?: Headers;
}

/** Troubles of Linear's own, whatever the HTTP status they come with: types and codes. */
const PASSING = [
  'internal error',
  'lock timeout',
  'bootstrap error',
  'network error',
  'internal server error',
];

type Meaning = [code: RoomError['code'], words: string, more?: { hint?: string; retryAfterMs?: number }];

/** @param variable whose credentials were sent @param resetMs until a spent budget is full again; 0: not known */
function meaningOf(
  error: unknown,
  answered: Answered | undefined,
  variable: string,
  isMutation: boolean,
  resetMs: number,
): Meaning {
  const status = answered?.status;
  if (!status) return ['unavailable', `Linear can't be reached: ${clean(reasonOf(error))}`];
  const { message = '', extensions } = answered.errors?.[0] ?? {};
  const { code = '', type = '', userPresentableMessage } = extensions ?? {};
  const said = clean(userPresentableMessage ?? (message || `HTTP ${status}`));
  if (code === 'RATELIMITED' || status === 429) {
    const retryAfterMs = retryAfterOf((name) => answered.headers?.get(name)) ?? (resetMs || DEFAULT_WAIT_MS);
    return ['rate_limited', `Linear limits us: ${said}`, { retryAfterMs }];
  }
  if (status === 401 || code === 'AUTHENTICATION_ERROR') {
    const hint = `set ${variable} to credentials that are valid and may read and write the team`;
    return ['unauthorized', `Linear does not take the credentials in ${variable}: ${said}`, { hint }];
  }
  if (status === 403 || code === 'FORBIDDEN') {
    const hint = `the account of ${variable} needs access to the team`;
    return [isMutation ? 'refused' : 'unauthorized', `Linear does not allow it: ${said}`, { hint }];
  }
  const isPassing = [type, code.toLowerCase().replaceAll('_', ' ')].some((word) => PASSING.includes(word));
  if (status >= 500 || !answered.errors?.[0] || isPassing) return ['unavailable', `Linear failed: ${said}`];
  if (code === 'GRAPHQL_VALIDATION_FAILED' || /^(?:Cannot query field|Unknown )/.test(message)) {
    const hint = 'leave out of `fields:` what Linear no longer has';
    return ['bad_input', `Linear does not know what was asked: ${said}`, { hint }];
  }
  if (/not found/i.test(message)) return ['not_found', `Linear: ${said}`];
  return ['refused', `Linear refused: ${said}`];
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof SyntaxError) return 'its answer is cut short';
  return (causeOf(error) as Error).message || error.message;
}

/** What a server says, on one line of bounded length, for a terminal. */
const clean = (text: string): string => text.replace(/\p{C}+/gu, ' ').slice(0, 300);

/** Linear said that an id or name leads nowhere. Callers decide what that means for them. */
export const isMissing = (error: unknown): error is RoomError => isRoomError(error, 'not_found');

/** For a `catch`: null when Linear said that the id leads nowhere. */
export const nullIfMissing = nullIf('not_found');

/** Linear said that a query costs more than one may: a smaller page of the same does not. */
export const isTooComplex = (error: unknown): boolean =>
  isRoomError(error) && error.code !== 'rate_limited' && /too complex|complexity/i.test(error.message);
