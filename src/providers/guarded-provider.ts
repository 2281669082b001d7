// Every provider as the rest of the product gets it: no secret is in what it throws, nor in what is written through it,
// whoever wrote that. The cause of an error is left out: a library's can hold the request with its headers. A provider from a
// file is also held to the contract: what it answers is checked, and what it throws becomes a RoomError that names it, where
// a plain Error with one of our codes in `code` counts as that RoomError.
import * as z from 'zod';
import { BUILT_IN_SECRETS } from '../core/config/names.ts';
import { ERROR_CODES, isRoomError, RoomError } from '../core/errors.ts';
import { createRedactor, REDACTED, type Redact, redactData } from '../core/redact.ts';
import type { Effects } from '../effects.ts';
import type { Page, Provider, ProviderFactory } from './provider.ts';
import { call, MISSING, PAGE, PROFILE, REMOTE_COMMENT, REMOTE_TASK, USAGE, word } from './provider.ts';

const TASKS_BY_REF = z.map(z.string(), REMOTE_TASK);
const FAULTS = z.array(
  z.object({ message: word, expected: z.string().optional(), hint: z.string().optional() }),
);
const PROVIDER = z.object({
  name: word,
  profile: PROFILE,
  list: call,
  get: call,
  write: z.object({ create: call, update: call }).optional(),
  comment: z.object({ add: call, edit: call }).optional(),
  usage: call,
  close: call,
});

/** @param path Of the provider's file, as the person wrote it; null for a built-in provider, whose answers are typed */
export function guardedFactory(factory: ProviderFactory, path: string | null = null): ProviderFactory {
  const guard = createGuard(factory, path, null);
  const { shortRef, refOfUrl, owns, check } = factory;
  return {
    ...(path === null ? factory : { name: factory.name, secrets: [...factory.secrets] }),
    check: (config) =>
      guard.checked(
        FAULTS,
        'check()',
        guard.now(() => check(config)),
      ) as ReturnType<typeof check>,
    missing(config, effects) {
      const { redact, later } = createGuard(factory, path, effects);
      const missing = later(MISSING, 'missing()', () => factory.missing(config, effects));
      return missing.then((lacks) => redactData(lacks, redact));
    },
    async open(config, effects) {
      const opened = createGuard(factory, path, effects);
      const provider = await opened.later(null, '', () => factory.open(config, effects));
      opened.checked(PROVIDER as z.ZodType<unknown>, 'open()', provider);
      return guardedProvider(provider, opened);
    },
    shortRef: (ref) => String(guard.now(() => shortRef(ref))),
    refOfUrl(url, config) {
      const ref: unknown = guard.now(() => refOfUrl(url, config));
      return typeof ref === 'string' && ref !== '' ? ref : null;
    },
    owns: (ref, config) => guard.now(() => owns(ref, config)) === true,
  };
}

type Guard = ReturnType<typeof createGuard>;

/** What is done around every call into a provider's code. */
function createGuard(factory: ProviderFactory, path: string | null, effects: Effects | null) {
  const redact = effects ? redactorFor(factory, effects) : String;
  const fail = (error: unknown, signal?: AbortSignal) =>
    redacted(path === null ? error : toRoomError(error, factory.name, path, signal), redact);
  /** The value when it has the shape. @throws RoomError `unavailable` */
  const checked = <T>(shape: z.ZodType<T> | null, what: string, value: T): T => {
    if (path === null || shape === null) return value;
    const parsed = shape.safeParse(value);
    if (parsed.success) return parsed.data;
    const hint = 'mend the provider; docs/adding-a-provider.md has the contract';
    const returned = what.startsWith('a ') ? what : `what ${what} returns`;
    const message = `${path}: ${returned} is not as expected: ${faultsOf(parsed.error)}`;
    throw new RoomError('unavailable', message, { hint });
  };
  return {
    isFromFile: path !== null,
    redact,
    checked,
    now<T>(run: () => T): T {
      try {
        return run();
      } catch (error) {
        throw fail(error);
      }
    },
    async later<T>(
      shape: z.ZodType<T> | null,
      what: string,
      run: () => T | Promise<T>,
      signal?: AbortSignal,
    ) {
      let value: T;
      try {
        value = await run();
      } catch (error) {
        throw fail(error, signal);
      }
      return checked(shape, what, value);
    },
  };
}

function guardedProvider(provider: Provider, guard: Guard): Provider {
  const { name, profile, write, comment } = provider;
  const { isFromFile, redact, later, now } = guard;
  /** @param words which argument is written at the tracker; the last one is the signal */
  const guarded =
    <Args extends unknown[], T>(
      shape: z.ZodType<T> | null,
      what: string,
      run: (...ask: Args) => Promise<T>,
      words: number | null = null,
    ) =>
    (...ask: Args): Promise<T> => {
      const clean = ask.map((arg, at) => (at === words ? redactData(arg, redact) : arg)) as Args;
      return later(shape, what, () => run(...clean), ask.at(-1) as AbortSignal);
    };
  /** @param words of those that write, as above */
  const guardedAll = <Calls extends object>(
    calls: Calls,
    words: { [Name in keyof Calls]?: number },
  ): Calls => {
    const all = Object.entries(calls).map(([name, run]) => {
      return [name, guarded(null, '', run, words[name as keyof Calls] ?? null)];
    });
    return Object.fromEntries(all);
  };
  // What no shape is declared for is not taken from a file.
  const { acts, pullRequest, sessions } = isFromFile ? {} : provider;
  return {
    name,
    profile: {
      ...profile,
      normalise: (text) => String(now(() => profile.normalise(text))),
      classOf: (status) => String(now(() => profile.classOf(status))),
    },
    list: (cursor, signal) => guardedPages(() => provider.list(cursor, signal), guard, signal),
    get: guarded(TASKS_BY_REF, 'get()', provider.get.bind(provider)),
    ...(acts && { acts: guarded(null, '', acts) }),
    ...(write && {
      write: {
        create: guarded(REMOTE_TASK, 'create()', write.create.bind(write), 0),
        update: guarded(REMOTE_TASK, 'update()', write.update.bind(write), 1),
      },
    }),
    ...(comment && {
      comment: {
        add: guarded(REMOTE_COMMENT, 'comment.add()', comment.add.bind(comment), 1),
        edit: guarded(REMOTE_COMMENT, 'comment.edit()', comment.edit.bind(comment), 2),
      },
    }),
    ...(pullRequest && { pullRequest: guardedAll(pullRequest, { open: 0, reply: 2 }) }),
    ...(sessions && { sessions: guardedAll(sessions, { say: 1, show: 1 }) }),
    usage: () =>
      guard.checked(
        USAGE,
        'usage()',
        now(() => provider.usage()),
      ),
    close: () => later(null, '', () => provider.close()),
  };
}

async function* guardedPages(list: () => AsyncIterable<Page>, { now, later }: Guard, signal: AbortSignal) {
  const pages = now(() => list()[Symbol.asyncIterator]());
  try {
    for (;;) {
      const step = await later(null, '', () => pages.next(), signal);
      if (step.done) return;
      yield await later(PAGE, 'a page of list()', () => step.value);
    }
  } finally {
    // Whoever stops reading early lets the provider's own generator clean up.
    await later(null, '', () => pages.return?.());
  }
}

/** Tokens of the trackers, which may come from a program (`gh`) and stand in no variable. */
const TOKENS = /\b(?:gh[opsur]_[0-9A-Za-z]{36,}|github_pat_\w{30,}|lin_(?:api|oauth)_[0-9A-Za-z]{30,})\b/g;
/** A variable that holds a secret by its name: a model's key, a database's password. */
const SECRET_NAME = /(?:^|_)(?:TOKEN|SECRET|PASSWORD|API_?KEY|PRIVATE_KEY|ACCESS_KEY)$/i;
const SHORTEST_VALUE = 16; // A shorter value may be a word.

function redactorFor({ secrets }: ProviderFactory, { env }: Effects): Redact {
  const secret = Object.keys(env).filter(
    (name) => SECRET_NAME.test(name) && (env[name] ?? '').length >= SHORTEST_VALUE,
  );
  const names = [...secrets, ...Object.values(BUILT_IN_SECRETS).flat(), ...secret];
  const redact = createRedactor(names.map((name) => env[name]));
  return (text) => redact(text).replace(TOKENS, REDACTED);
}

function redacted(error: unknown, redact: Redact): unknown {
  if (!(error instanceof Error)) return error;
  const { message, stack } = error;
  const { code, hint, retryAfterMs, problems } = error as RoomError;
  const clean = isRoomError(error)
    ? new RoomError(code, redact(message), {
        hint: hint && redact(hint),
        retryAfterMs,
        problems: redactData(problems, redact),
      })
    : Object.assign(error, { message: redact(message) });
  if (stack !== undefined) clean.stack = redact(stack);
  return clean;
}

function toRoomError(error: unknown, name: string, path: string, signal?: AbortSignal): RoomError {
  if (isRoomError(error)) return error;
  if (signal?.aborted) return new RoomError('interrupted', `${name} was stopped`, { cause: error });
  const parts = error !== null && typeof error === 'object' ? error : { message: String(error) };
  const { message, code, retryAfterMs, hint } = parts as Record<string, unknown>;
  const words = typeof message === 'string' && message !== '' ? message : 'it failed without a word';
  const options = {
    cause: error,
    ...(typeof retryAfterMs === 'number' && retryAfterMs >= 0 ? { retryAfterMs } : {}),
    ...(typeof hint === 'string' ? { hint } : {}),
  };
  const known = ERROR_CODES.find((each) => each === code);
  return known === undefined
    ? new RoomError('unavailable', `${name} (${path}): ${words}`, options)
    : new RoomError(known, words, options);
}

/** What is wrong with a value, in words: `items.0.labels: expected array`; at most three of it. */
export function faultsOf(error: z.ZodError): string {
  const said = error.issues.map(({ path, message }) => {
    const words = message.replace(/^Invalid (input|option): /, '');
    return path.length > 0 ? `${path.join('.')}: ${words}` : words;
  });
  return said.length > 3 ? `${said.slice(0, 3).join('; ')}; and ${said.length - 3} more` : said.join('; ');
}
