// A provider from a file behind the same contract as the built-in ones: what it answers is checked, what it throws
// becomes a RoomError that names it. A plain Error with one of our codes in `code` counts as that RoomError.
import type * as z from 'zod';
import { ERROR_CODES, type ErrorCode, isRoomError, RoomError } from '../../core/errors.ts';
import {
  MISSING,
  PAGE,
  type Profile,
  type Provider,
  type ProviderFactory,
  REMOTE_COMMENT,
  REMOTE_TASK,
  USAGE,
} from '../provider.ts';
import { FAULTS, faultsOf, PROVIDER, TASKS_BY_REF } from './shapes.ts';

/** Calls into the file's code under its name. */
interface Edge {
  /** @throws RoomError whatever `run` throws */
  sync<T>(run: () => T): T;
  async<T>(run: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** The value when it has the shape. @throws RoomError `unavailable` */
  checked<T>(shape: z.ZodType<T>, value: unknown, what: string): T;
}

function createEdge(name: string, path: string): Edge {
  const fail = (error: unknown, signal?: AbortSignal) => toRoomError(error, name, path, signal);
  return {
    sync(run) {
      try {
        return run();
      } catch (error) {
        throw fail(error);
      }
    },
    async async(run, signal) {
      try {
        return await run();
      } catch (error) {
        throw fail(error, signal);
      }
    },
    checked(shape, value, what) {
      const parsed = shape.safeParse(value);
      if (parsed.success) return parsed.data;
      throw new RoomError('unavailable', `${path}: ${what} is not as expected: ${faultsOf(parsed.error)}`, {
        hint: 'mend the provider; docs/adding-a-provider.md has the contract',
      });
    },
  };
}

function toRoomError(error: unknown, name: string, path: string, signal?: AbortSignal): RoomError {
  if (isRoomError(error)) return error;
  if (signal?.aborted) return new RoomError('interrupted', `${name} was stopped`, { cause: error });
  const { message, code, retryAfterMs, hint } = partsOf(error);
  const words = message === '' ? 'it failed without a word' : message;
  const options = {
    cause: error,
    ...(typeof retryAfterMs === 'number' && retryAfterMs >= 0 ? { retryAfterMs } : {}),
    ...(typeof hint === 'string' ? { hint } : {}),
  };
  const known = ERROR_CODES.find((each: ErrorCode) => each === code);
  return known === undefined
    ? new RoomError('unavailable', `${name} (${path}): ${words}`, options)
    : new RoomError(known, words, options);
}

function partsOf(error: unknown) {
  if (error === null || typeof error !== 'object') return { message: String(error) };
  const { message, code, retryAfterMs, hint } = error as Record<string, unknown>;
  return { message: typeof message === 'string' ? message : '', code, retryAfterMs, hint };
}

/** @param path Of the file, as the person wrote it. */
export function adoptFactory(factory: ProviderFactory, path: string): ProviderFactory {
  const edge = createEdge(factory.name, path);
  return {
    name: factory.name,
    secrets: [...factory.secrets],
    check(config) {
      const faults = edge.sync(() => factory.check(config));
      return edge.checked(FAULTS, faults, 'what check() returns') as ReturnType<ProviderFactory['check']>;
    },
    missing: async (config, effects) => {
      const missing = await edge.async(async () => factory.missing(config, effects));
      return edge.checked(MISSING, missing, 'what missing() returns');
    },
    open: async (config, effects) => {
      const provider = await edge.async(async () => factory.open(config, effects));
      edge.checked(PROVIDER, provider, 'what open() returns');
      return adoptProvider(provider, edge);
    },
    shortRef: (ref) => String(edge.sync(() => factory.shortRef(ref))),
    refOfUrl(url, config) {
      const ref: unknown = edge.sync(() => factory.refOfUrl(url, config));
      return typeof ref === 'string' && ref !== '' ? ref : null;
    },
    owns: (ref, config) => edge.sync(() => factory.owns(ref, config)) === true,
  };
}

function adoptProvider(provider: Provider, edge: Edge): Provider {
  const { write, comment } = provider;
  return {
    name: provider.name,
    profile: adoptProfile(provider.profile, edge),
    list: (cursor, signal) => checkedPages(provider, edge, cursor, signal),
    get: async (refs, signal) => {
      const found = await edge.async(async () => provider.get(refs, signal), signal);
      return edge.checked(TASKS_BY_REF, found, 'what get() returns');
    },
    ...(write ? { write: adoptWrite(write, edge) } : {}),
    ...(comment ? { comment: adoptComment(comment, edge) } : {}),
    usage() {
      return edge.checked(
        USAGE,
        edge.sync(() => provider.usage()),
        'what usage() returns',
      );
    },
    close: () => edge.async(async () => provider.close()),
  };
}

function adoptProfile(profile: Profile, edge: Edge): Profile {
  return {
    ...profile,
    normalise: (text) => String(edge.sync(() => profile.normalise(text))),
    classOf: (status) => String(edge.sync(() => profile.classOf(status))),
  };
}

async function* checkedPages(provider: Provider, edge: Edge, cursor: string | null, signal: AbortSignal) {
  const pages = edge.sync(() => provider.list(cursor, signal)[Symbol.asyncIterator]());
  try {
    for (;;) {
      const step = await edge.async(async () => pages.next(), signal);
      if (step.done) return;
      yield edge.checked(PAGE, step.value, 'a page of list()');
    }
  } finally {
    // Whoever stops reading early lets the file's own generator clean up.
    await edge.async(async () => pages.return?.());
  }
}

function adoptWrite(write: NonNullable<Provider['write']>, edge: Edge): NonNullable<Provider['write']> {
  return {
    create: async (draft, attempt, signal) => {
      const task = await edge.async(async () => write.create(draft, attempt, signal), signal);
      return edge.checked(REMOTE_TASK, task, 'what create() returns');
    },
    update: async (ref, change, expected, signal) => {
      const task = await edge.async(async () => write.update(ref, change, expected, signal), signal);
      return edge.checked(REMOTE_TASK, task, 'what update() returns');
    },
  };
}

function adoptComment(comment: NonNullable<Provider['comment']>, edge: Edge): typeof comment {
  return {
    add: async (ref, body, attempt, signal) => {
      const made = await edge.async(async () => comment.add(ref, body, attempt, signal), signal);
      return edge.checked(REMOTE_COMMENT, made, 'what comment.add() returns');
    },
    edit: async (ref, id, body, signal) => {
      const edited = await edge.async(async () => comment.edit(ref, id, body, signal), signal);
      return edge.checked(REMOTE_COMMENT, edited, 'what comment.edit() returns');
    },
  };
}
