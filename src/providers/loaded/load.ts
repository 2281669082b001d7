// Loads a provider from a file that a room names. What is not a provider is an error of that file, with what was
// expected there.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RoomError } from '../../core/errors.ts';
import type { ProviderFactory } from '../provider.ts';
import { adoptFactory } from './checked-provider.ts';
import { FACTORY, faultsOf } from './shapes.ts';

/**
 * The factory that a file exports as `factory`.
 * @param name As room.yaml gives it; the factory says the same.
 * @param path As room.yaml gives it: absolute, or relative to the room.
 * @param roomDir Absolute path of the room.
 * @throws RoomError `not_found` without such a file, `invalid_file` when it can't be loaded or is no provider
 */
export async function loadFactory(name: string, path: string, roomDir: string): Promise<ProviderFactory> {
  const file = resolve(roomDir, path);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile()) {
    throw new RoomError('not_found', `provider ${name}: there is no file ${path}`, {
      hint: `Write it, or mend \`providers: ${name}:\` in room.yaml.`,
    });
  }
  const loaded = await importFile(name, path, `${pathToFileURL(file).href}?${stats.mtimeMs}`);
  if (!Object.hasOwn(loaded, 'factory')) {
    const found = Object.keys(loaded).join(', ') || 'nothing';
    throw wrong(name, path, `it exports ${found}`, 'export const factory = { name, secrets, check, … }');
  }
  const parsed = FACTORY.safeParse(loaded.factory);
  if (!parsed.success) {
    throw wrong(name, path, `\`factory\` is not one: ${faultsOf(parsed.error)}`, 'a provider factory');
  }
  if (parsed.data.name !== name) {
    const said = `its factory is named ${JSON.stringify(parsed.data.name)}`;
    throw wrong(name, path, said, `name: '${name}', as in room.yaml`);
  }
  return adoptFactory(loaded.factory as ProviderFactory, path);
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
    ...(cause === undefined ? {} : { cause }),
    problems: [{ path, line: 1, col: 1, message, expected, hint }],
    hint,
  });
}
