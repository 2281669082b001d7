// All providers by name: the built-in ones and those of the room's files. Names and the secrets of built-in ones are
// known without loading anything; a factory is loaded when it is first asked for, once, and again after a failure. A file that
// is not a provider is an error of that file, with what was expected there.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';

import { BUILT_IN_PROVIDERS, BUILT_IN_SECRETS, type BuiltInProvider } from '../core/config/names.ts';
import { suggest } from '../core/document/suggest.ts';
import { isRoomError, RoomError } from '../core/errors.ts';
import { faultsOf, guardedFactory } from './guarded-provider.ts';
import { call, type ProviderFactory, word } from './provider.ts';

const BUILT_IN: Readonly<Record<BuiltInProvider, () => Promise<ProviderFactory>>> = {
  github: async () => guardedFactory((await import('./github/github.ts')).githubFactory),
  linear: async () => guardedFactory((await import('./linear/linear.ts')).linearFactory),
  taskwarrior: async () => guardedFactory((await import('./taskwarrior/taskwarrior.ts')).taskwarriorFactory),
};

export type ProviderRegistry = ReturnType<typeof createProviderRegistry>;

export interface RegistryOptions {
  roomDir: string; // Absolute path of the room.
  files: Readonly<Record<string, string>>; // `providers:` of room.yaml: name → file.
  /** Refuses a file that must not be loaded. @throws RoomError */
  assertMayLoad?(path: string): void;
  more?: readonly ProviderFactory[]; // Further factories, such as a test's.
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
  for (const factory of more) loaders.set(factory.name, async () => guardedFactory(factory));
  const loading = new Map<string, Promise<ProviderFactory>>();

  /** @throws RoomError `bad_input` for a name nobody has; `not_found`, `invalid_file` for a file that is missing or no provider */
  async function factory(name: string): Promise<ProviderFactory> {
    const load = loaders.get(name);
    if (load === undefined) {
      const near = suggest(name, [...loaders.keys()]);
      const hint =
        near === null ? `Name one of ${[...loaders.keys()].join(', ')}.` : `Did you mean "${near}"?`;
      throw new RoomError('bad_input', `there is no provider ${JSON.stringify(name)}`, { hint });
    }
    const started = loading.get(name) ?? load();
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
    /** Variables with secrets of these providers, kept from every agent's program. A file that can't be loaded could use none. */
    secretsOf: async (names: readonly string[]) => new Set((await Promise.all(names.map(secrets))).flat()),
  };
}

/** What a file hands over, checked before anything of ours relies on it: its code was not compiled against the contract. */
const FACTORY = z.object({
  name: word,
  secrets: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'names of environment variables')),
  check: call,
  missing: call,
  open: call,
  shortRef: call,
  refOfUrl: call,
  owns: call,
});

/** Name and path as room.yaml gives them. @throws RoomError `not_found`; `invalid_file` when it can't be loaded or is none */
async function loadFactory(name: string, path: string, roomDir: string): Promise<ProviderFactory> {
  const file = resolve(roomDir, path);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile()) {
    const hint = `Write it, or mend \`providers: ${name}:\` in room.yaml.`;
    throw new RoomError('not_found', `provider ${name}: there is no file ${path}`, { hint });
  }
  const loaded = await importFile(name, path, `${pathToFileURL(file).href}?${stats.mtimeMs}`);
  if (!Object.hasOwn(loaded, 'factory')) {
    const found = Object.keys(loaded).join(', ') || 'nothing';
    throw wrong(name, path, `it exports ${found}`, 'export const factory = { name, secrets, check, … }');
  }
  const parsed = FACTORY.safeParse(loaded.factory);
  if (!parsed.success)
    throw wrong(name, path, `\`factory\` is not one: ${faultsOf(parsed.error)}`, 'a provider factory');
  if (parsed.data.name !== name) {
    const said = `its factory is named ${JSON.stringify(parsed.data.name)}`;
    throw wrong(name, path, said, `name: '${name}', as in room.yaml`);
  }
  return guardedFactory(loaded.factory as ProviderFactory, path);
}

/** @param url With the file's time: the platform keeps what it loaded, failures too, by address. */
async function importFile(name: string, path: string, url: string): Promise<Record<string, unknown>> {
  try {
    return (await import(url)) as Record<string, unknown>;
  } catch (error) {
    const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw wrong(name, path, `it can't be loaded: ${words.split('\n')[0]}`, 'an ES module', error);
  }
}

function wrong(name: string, path: string, message: string, expected: string, cause?: unknown): RoomError {
  const hint = 'docs/adding-a-provider.md has the contract';
  return new RoomError('invalid_file', `provider ${name}: ${path} is no provider: ${message}`, {
    cause,
    problems: [{ path, line: 1, col: 1, message, expected, hint }],
    hint,
  });
}
