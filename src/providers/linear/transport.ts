// Requests to Linear through its SDK, one at a time: time limit, budget, and every failure as one RoomError that says
// what to do. The key appears in no message.
import { BUILT_IN_SECRETS } from '../../core/config/built-in-providers.ts';
import { readToken } from '../../core/config/secret-value.ts';
import { RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import type { MissingConfig, SourceConfig, Usage } from '../provider.ts';
import { type RawFailure, toRoomError } from './api-errors.ts';
import { createBudgets } from './budgets.ts';

export const KEY_VARIABLE = 'LINEAR_API_KEY';
export const TOKEN_VARIABLE = 'LINEAR_ACCESS_TOKEN';
export const SECRETS: readonly string[] = BUILT_IN_SECRETS.linear;

/** A page of fifty full issues takes Linear a few seconds. */
const TIMEOUT_MS = 60_000;

export type Ask = <T>(
  document: string,
  variables: Record<string, unknown>,
  signal: AbortSignal,
) => Promise<T>;

type Credentials = { accessToken: string } | { apiKey: string };

/** The credentials that are set, or null. An OAuth token counts before a key. */
export function credentialsIn(effects: Effects): Credentials | null {
  const accessToken = readToken(effects.env, TOKEN_VARIABLE);
  if (accessToken) return 'token' in accessToken ? { accessToken: accessToken.token } : null;
  const apiKey = readToken(effects.env, KEY_VARIABLE);
  return apiKey && 'token' in apiKey ? { apiKey: apiKey.token } : null;
}

/** What is missing, or can't be used. */
export function missingCredentials(effects: Effects): MissingConfig[] {
  if (credentialsIn(effects)) return [];
  const read = readToken(effects.env, TOKEN_VARIABLE) ?? readToken(effects.env, KEY_VARIABLE);
  if (read && 'missing' in read) return [read.missing];
  const set = `Set ${KEY_VARIABLE} to a personal API key (Linear, Settings, Security & access), or ${TOKEN_VARIABLE} to an OAuth token with read and write.`;
  return [{ what: 'credentials for Linear', set }];
}

/** @throws RoomError `unauthorized` when there are no credentials */
export async function createTransport({ url }: SourceConfig, effects: Effects) {
  const credentials = requireCredentials(effects);
  const variable = 'apiKey' in credentials ? KEY_VARIABLE : TOKEN_VARIABLE;
  // Loaded when first used: it is three megabytes.
  const { LinearClient } = await import('@linear/sdk');
  const address = url === null ? {} : { apiUrl: url };
  const budgets = createBudgets(() => effects.now());
  let requests = 0;

  const ask: Ask = async <T>(document: string, variables: Record<string, unknown>, signal: AbortSignal) => {
    if (signal.aborted) throw new RoomError('interrupted', 'stopped before Linear was asked');
    budgets.assertLeft();
    requests += 1;
    const limit = new AbortController();
    const timer = effects.setTimer(TIMEOUT_MS, () => limit.abort(), true);
    try {
      const either = AbortSignal.any([signal, limit.signal]);
      const { client } = new LinearClient({ ...credentials, ...address, signal: either, redirect: 'error' });
      const { data, headers } = await client.rawRequest(document, variables);
      budgets.note(headers);
      if (Object.keys(data ?? {}).length === 0) throw new SyntaxError('no fields in the answer');
      return data as T;
    } catch (error) {
      const answered = (error as RawFailure)?.raw?.response;
      budgets.note(answered?.headers);
      throw toRoomError(error, {
        answered,
        isMutation: document.startsWith('mutation'),
        isStopped: signal.aborted,
        isLate: limit.signal.aborted,
        variable,
        resetAfterMs: budgets.resetAfterMs(),
      });
    } finally {
      timer.cancel();
    }
  };

  return { ask, usage: (): Usage => ({ requests, notModified: 0, ...budgets.usage() }) };
}

function requireCredentials(effects: Effects): Credentials {
  const credentials = credentialsIn(effects);
  if (credentials) return credentials;
  const [unusable] = [TOKEN_VARIABLE, KEY_VARIABLE].flatMap((name) => readToken(effects.env, name) ?? []);
  if (unusable && 'missing' in unusable)
    throw new RoomError('unauthorized', `${unusable.missing.what} is missing`, {
      hint: unusable.missing.set,
    });
  const hint = `set ${KEY_VARIABLE} to a personal API key of Linear (Settings, Security & access), or ${TOKEN_VARIABLE} to an OAuth token`;
  throw new RoomError('unauthorized', `neither ${KEY_VARIABLE} nor ${TOKEN_VARIABLE} is set`, { hint });
}
