// Every provider as the rest of the product gets it: no secret is in what it throws, nor in what is written through it,
// whoever wrote that. The cause of an error is left out: a library's can hold the request with its headers.

import { BUILT_IN_SECRETS } from '../core/config/built-in-providers.ts';
import { isRoomError, RoomError } from '../core/errors.ts';
import { createRedactor, REDACTED, type Redact, redactData } from '../core/redact.ts';
import type { Effects } from '../effects.ts';
import type { Page, Provider, ProviderFactory } from './provider.ts';

export function redactedFactory(factory: ProviderFactory): ProviderFactory {
  const redactorFor = ({ env }: Effects): Redact => {
    const names = [...factory.secrets, ...Object.values(BUILT_IN_SECRETS).flat(), ...secretNames(env)];
    const redact = createRedactor(names.map((name) => env[name]));
    return (text) => redact(text).replace(TOKENS, REDACTED);
  };
  return {
    ...factory,
    async missing(config, effects) {
      const redact = redactorFor(effects);
      return redactData(await guarded(redact, () => factory.missing(config, effects)), redact);
    },
    async open(config, effects) {
      const redact = redactorFor(effects);
      return redactedProvider(await guarded(redact, () => factory.open(config, effects)), redact);
    },
  };
}

/** Tokens of the trackers, which may come from a program (`gh`) and stand in no variable. */
const TOKENS = /\b(?:gh[opsur]_[0-9A-Za-z]{36,}|github_pat_\w{30,}|lin_(?:api|oauth)_[0-9A-Za-z]{30,})\b/g;
const SECRET_NAME = /(?:^|_)(?:TOKEN|SECRET|PASSWORD|API_?KEY|PRIVATE_KEY|ACCESS_KEY)$/i;
/** A shorter value may be a word. */
const SHORTEST_VALUE = 16;

/** Variables that hold a secret by their name: a model's key, a database's password. */
function secretNames(env: Effects['env']): string[] {
  return Object.keys(env).filter(
    (name) => SECRET_NAME.test(name) && (env[name] ?? '').length >= SHORTEST_VALUE,
  );
}

function redactedProvider(provider: Provider, redact: Redact): Provider {
  const { acts, write, comment, pullRequest } = provider;
  return {
    ...provider,
    list: (cursor, signal) => listed(redact, provider.list(cursor, signal)),
    get: (refs, signal) => guarded(redact, () => provider.get(refs, signal)),
    ...(acts ? { acts: (...call) => guarded(redact, () => acts(...call)) } : {}),
    ...(write
      ? {
          write: {
            create: (draft, ...call) =>
              guarded(redact, () => write.create(redactData(draft, redact), ...call)),
            update: (ref, change, ...call) =>
              guarded(redact, () => write.update(ref, redactData(change, redact), ...call)),
          },
        }
      : {}),
    ...(comment
      ? {
          comment: {
            add: (ref, body, ...call) => guarded(redact, () => comment.add(ref, redact(body), ...call)),
            edit: (ref, id, body, ...call) =>
              guarded(redact, () => comment.edit(ref, id, redact(body), ...call)),
          },
        }
      : {}),
    ...(pullRequest
      ? {
          pullRequest: {
            open: (ref, draft, ...call) =>
              guarded(redact, () => pullRequest.open(ref, { ...draft, title: redact(draft.title) }, ...call)),
          },
        }
      : {}),
    usage: () => provider.usage(),
    close: () => guarded(redact, () => provider.close()),
  };
}

async function* listed(redact: Redact, pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  try {
    yield* pages;
  } catch (error) {
    throw redacted(error, redact);
  }
}

async function guarded<T>(redact: Redact, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw redacted(error, redact);
  }
}

function redacted(error: unknown, redact: Redact): unknown {
  if (!isRoomError(error)) {
    if (error instanceof Error) {
      error.message = redact(error.message);
      if (error.stack !== undefined) error.stack = redact(error.stack);
    }
    return error;
  }
  const { code, message, hint, retryAfterMs, problems } = error;
  const clean = new RoomError(code, redact(message), {
    ...(hint === undefined ? {} : { hint: redact(hint) }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    problems: redactData(problems, redact),
  });
  if (error.stack !== undefined) clean.stack = redact(error.stack);
  return clean;
}
