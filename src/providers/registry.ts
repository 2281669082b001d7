// All providers by name: the built-in ones and those of the room's files. Names and the secrets of built-in ones are
// known without loading anything; a factory is loaded when it is first asked for, once, and again after a failure.

import {
  BUILT_IN_PROVIDERS,
  BUILT_IN_SECRETS,
  type BuiltInProvider,
} from '../core/config/built-in-providers.ts';
import { suggest } from '../core/document/suggest.ts';
import { isRoomError, RoomError } from '../core/errors.ts';
import { loadFactory } from './loaded/load.ts';
import type { ProviderFactory } from './provider.ts';
import { redactedFactory } from './redacted-provider.ts';

const BUILT_IN: Readonly<Record<BuiltInProvider, () => Promise<ProviderFactory>>> = {
  github: async () => (await import('./github/github.ts')).githubFactory,
  linear: async () => (await import('./linear/linear.ts')).linearFactory,
  taskwarrior: async () => (await import('./taskwarrior/taskwarrior.ts')).taskwarriorFactory,
};

export type ProviderRegistry = ReturnType<typeof createProviderRegistry>;

export interface RegistryOptions {
  /** Absolute path of the room. */
  roomDir: string;
  /** `providers:` of room.yaml: name → file. */
  files: Readonly<Record<string, string>>;
  /** Refuses a file that must not be loaded. @throws RoomError */
  assertMayLoad?(path: string): void;
  /** Further factories, such as a test's. */
  more?: readonly ProviderFactory[];
}

export function createProviderRegistry({ roomDir, files, assertMayLoad, more = [] }: RegistryOptions) {
  const loaders = new Map<string, () => Promise<ProviderFactory>>();
  for (const name of BUILT_IN_PROVIDERS) loaders.set(name, BUILT_IN[name]);
  for (const [name, path] of Object.entries(files)) {
    loaders.set(name, async () => {
      assertMayLoad?.(path);
      return loadFactory(name, path, roomDir);
    });
  }
  for (const factory of more) loaders.set(factory.name, async () => factory);
  const loading = new Map<string, Promise<ProviderFactory>>();

  /**
   * @throws RoomError `bad_input` for a name nobody has; `not_found`, `invalid_file` for a file that is missing or no
   *   provider
   */
  async function factory(name: string): Promise<ProviderFactory> {
    const load = loaders.get(name);
    if (load === undefined) throw unknownProvider(name, [...loaders.keys()]);
    const started = loading.get(name) ?? load().then(redactedFactory);
    loading.set(name, started);
    try {
      return await started;
    } catch (error) {
      loading.delete(name);
      throw error;
    }
  }

  async function secrets(name: string): Promise<readonly string[]> {
    if (Object.hasOwn(BUILT_IN, name)) return BUILT_IN_SECRETS[name as BuiltInProvider];
    try {
      return (await factory(name)).secrets;
    } catch (error) {
      if (isRoomError(error)) return [];
      throw error;
    }
  }

  return {
    /** What a mirror can name as its provider, built-in ones first. */
    names: [...loaders.keys()] as readonly string[],
    factory,
    /**
     * Environment variables that hold secrets of these providers, to be kept from every agent's program. A file that
     * can't be loaded has none that it could use.
     */
    secretsOf: async (names: readonly string[]) => new Set((await Promise.all(names.map(secrets))).flat()),
  };
}

function unknownProvider(name: string, known: readonly string[]): RoomError {
  const near = suggest(name, known);
  const hint = near === null ? `Name one of ${known.join(', ')}.` : `Did you mean "${near}"?`;
  return new RoomError('bad_input', `there is no provider ${JSON.stringify(name)}`, { hint });
}
