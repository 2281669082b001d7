// Providers by name: known without being loaded, loaded from files that a room names, and told apart from what is none.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { BUILT_IN_PROVIDERS } from '../../src/core/config/names.ts';
import { isRoomError, type RoomError } from '../../src/core/errors.ts';
import { createProviderRegistry, type ProviderRegistry } from '../../src/providers/registry.ts';
import { readRoomConfig } from '../../src/store/files/config-files.ts';
import { tempFolder } from '../support/temp-folder.ts';

const FIXTURE = join(import.meta.dirname, '../fixtures/providers/json-file.mjs');
const ROOM_YAML = 'providers:\n  json-file: ./providers/json-file.mjs\n';

/** A room with the provider in it, opened as the product does. */
function createRoom(): { dir: string; registry: ProviderRegistry } {
  const dir = tempFolder('taskroom-provider');
  mkdirSync(join(dir, 'providers'));
  cpSync(FIXTURE, join(dir, 'providers/json-file.mjs'));
  writeFileSync(join(dir, 'room.yaml'), ROOM_YAML);
  const reading = readRoomConfig(dir);
  if (!reading.ok) throw new Error('room.yaml is not good');
  return { dir, registry: createProviderRegistry({ roomDir: dir, files: reading.config.providers }) };
}

describe('the registry', () => {
  let dir: string;
  let registry: ProviderRegistry;
  beforeEach(() => {
    ({ dir, registry } = createRoom());
  });

  /** A registry whose provider `x` is this text. */
  function registryOf(text: string | null): ProviderRegistry {
    if (text !== null) writeFileSync(join(dir, 'x.mjs'), text);
    return createProviderRegistry({ roomDir: dir, files: { x: './x.mjs' } });
  }
  const failure = (from: ProviderRegistry, name: string): Promise<unknown> =>
    from.factory(name).then(
      () => null,
      (error: unknown) => error,
    );

  test('knows its names without loading a file or a library', () => {
    const entry = pathToFileURL(join(import.meta.dirname, '../../src/providers/registry.ts')).href;
    const script = `
      const { createProviderRegistry } = await import(${JSON.stringify(entry)});
      const registry = createProviderRegistry({ roomDir: '/', files: { broken: './nowhere.mjs' } });
      const { registerHooks } = await import('node:module');
      registerHooks({ load(url) { throw new Error('loads ' + url); } });
      const secrets = await registry.secretsOf(registry.names);
      console.log(JSON.stringify([registry.names, [...secrets]]));`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    const [names, secrets] = JSON.parse(printed) as [string[], string[]];
    expect(names).toEqual([...BUILT_IN_PROVIDERS, 'broken']);
    expect(secrets).toEqual(expect.arrayContaining(['GITHUB_TOKEN', 'GH_TOKEN', 'LINEAR_API_KEY']));
  });

  test.each(BUILT_IN_PROVIDERS)('knows the secrets of %s as its factory does', async (name) => {
    const factory = await registry.factory(name);
    expect(factory.name).toBe(name);
    expect([...(await registry.secretsOf([name]))].sort()).toEqual([...factory.secrets].sort());
  });

  test("counts a file's secrets, and none of a broken one", async () => {
    expect([...(await registry.secretsOf(['json-file']))]).toEqual(['JSON_TRACKER_TOKEN']);
    expect([...(await registryOf('export const a = 1;').secretsOf(['x']))]).toEqual([]);
  });

  test('loads a file once', async () => {
    expect(await registry.factory('json-file')).toBe(await registry.factory('json-file'));
  });

  test('an unknown name is bad input, with what comes near', async () => {
    const error = await failure(registry, 'jsonfile');
    expect(isRoomError(error, 'bad_input')).toBe(true);
    expect((error as RoomError).hint).toBe('Did you mean "json-file"?');
    expect(isRoomError(await failure(registry, 'constructor'), 'bad_input')).toBe(true);
  });

  test('a missing file is not found', async () => {
    const error = await failure(registryOf(null), 'x');
    expect(error).toMatchObject({ code: 'not_found', message: 'provider x: there is no file ./x.mjs' });
  });

  const REST = 'check() {}, missing() {}, open() {}, shortRef() {}, refOfUrl() {}, owns() {}';
  test.each([
    ['a syntax error', 'export const = 1', "it can't be loaded: "],
    ['a throw', 'throw new Error("boom")', "it can't be loaded: Error: boom"],
    ['a thrown nothing', 'throw undefined', "it can't be loaded: undefined"],
    ['another export', 'export const provider = {}', 'it exports provider'],
    ['no export', '', 'it exports nothing'],
    ['null', 'export const factory = null', '`factory` is not one: expected object, received null'],
    ['missing members', "export const factory = { name: 'x', secrets: [] }", 'check: not a function'],
    ['another name', `export const factory = { name: 'y', secrets: [], ${REST} }`, 'is named "y"'],
    ['a secret', `export const factory = { name: 'x', secrets: ['a=b'], ${REST} }`, 'secrets.0: names of'],
  ])('a file with %s is invalid, and says what was expected', async (_what, text, words) => {
    const error = (await failure(registryOf(text), 'x')) as RoomError;
    expect(error).toMatchObject({ code: 'invalid_file' });
    expect(error.message).toContain('provider x: ./x.mjs is no provider: ');
    expect(error.message).toContain(words);
    expect(error.problems).toMatchObject([{ path: './x.mjs', line: 1, col: 1 }]);
    expect(error.problems[0]!.expected).not.toBe('');
  });

  test('a file that was mended is loaded at the next try', async () => {
    const mending = registryOf('export const = 1');
    expect(isRoomError(await failure(mending, 'x'), 'invalid_file')).toBe(true);
    writeFileSync(join(dir, 'x.mjs'), `export const factory = { name: 'x', secrets: [], ${REST} };`);
    utimesSync(join(dir, 'x.mjs'), 2_000_000_000, 2_000_000_000);
    expect((await mending.factory('x')).name).toBe('x');
  });
});
