// Every provider as the rest of the product gets it: what it throws holds none of its secrets, whoever wrote it. The
// cause goes with them: a library's error can hold the request with its headers.
import { isRoomError, RoomError } from '../core/errors.ts';
import { createRedactor, type Redact, redactData } from '../core/redact.ts';
import type { Effects } from '../effects.ts';
import type { Page, Provider, ProviderFactory } from './provider.ts';

export function redactedFactory(factory: ProviderFactory): ProviderFactory {
  const redactorFor = ({ env }: Effects): Redact => createRedactor(factory.secrets.map((name) => env[name]));
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
            create: (...call) => guarded(redact, () => write.create(...call)),
            update: (...call) => guarded(redact, () => write.update(...call)),
          },
        }
      : {}),
    ...(comment
      ? {
          comment: {
            add: (...call) => guarded(redact, () => comment.add(...call)),
            edit: (...call) => guarded(redact, () => comment.edit(...call)),
          },
        }
      : {}),
    ...(pullRequest
      ? { pullRequest: { open: (...call) => guarded(redact, () => pullRequest.open(...call)) } }
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
