// docs/adding-a-provider.md held to the code: its example loads and runs, its table names cases that exist.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../src/core/errors.ts';
import { createProviderRegistry } from '../../src/providers/registry.ts';
import { readRoomConfig } from '../../src/store/files/config-files.ts';
import { CASES } from '../conformance/provider.ts';
import { listAll } from '../conformance/provider-harness.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { tempFolder } from '../support/temp-folder.ts';

const doc = readFileSync(join(import.meta.dirname, '../../docs/adding-a-provider.md'), 'utf8');

function fence(language: string): string {
  const found = new RegExp(`^( *)\`\`\`${language}\n([^]*?)^ *\`\`\`$`, 'm').exec(doc);
  return found![2]!.replaceAll(new RegExp(`^${found![1]}`, 'gm'), '');
}

function rowsOf(header: string): string[][] {
  const lines = doc.slice(doc.indexOf(header)).split('\n');
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(2, end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

test('the example is a provider: it loads from a room, checks, opens, lists', async () => {
  const dir = tempFolder('taskroom-jira');

  mkdirSync(join(dir, 'providers'));
  writeFileSync(join(dir, 'room.yaml'), fence('yaml'));
  writeFileSync(join(dir, 'providers/jira.mjs'), fence('js'));
  const reading = readRoomConfig(dir);
  const files = reading.ok ? reading.config.providers : {};
  const factory = await createProviderRegistry({ roomDir: dir, files }).factory('jira');
  const filter = { labels: [], assignee: null, state: 'all' } as const;
  const config = { source: 'JIRA', filter, url: null, fields: null, options: {} };
  const effects = (env: Record<string, string>) => ({ ...createManualClock(), env });
  expect(factory.check({ ...config, source: 'X' })).toHaveLength(1);
  expect(await factory.missing(config, effects({}))).toMatchObject([{ set: 'Set JIRA_TOKEN.' }]);
  await expect(factory.open(config, effects({}))).rejects.toMatchObject({ code: 'unauthorized' });
  const provider = await factory.open(config, effects({ JIRA_TOKEN: 'x' }));
  expect(await listAll(provider, null)).toEqual({ items: [], next: '{"since":0}', pages: 1 });
  await expect(provider.get(['x'], new AbortController().signal)).rejects.toMatchObject({
    code: 'bad_input',
  });
  await expect(provider.get([], AbortSignal.abort())).rejects.toMatchObject({ code: 'interrupted' });
});

test('the contract table names cases that exist', () => {
  const rows = rowsOf('| member | must |');
  const titles = rows.map((row) => row[3]!.replaceAll('`', ''));
  expect(titles.length).toBeGreaterThan(20);
  expect(titles.filter((title) => !(title in CASES))).toEqual([]);
});

test('the codes are codes', () => {
  const codes = rowsOf('| code | when |').map(([code]) => code!.replaceAll('`', ''));
  expect(codes.length).toBeGreaterThan(5);
  expect(codes.filter((code) => !(ERROR_CODES as readonly string[]).includes(code))).toEqual([]);
});

test('the way to use the suite names a case that exists', () => {
  const [, title] = /lacks: \{ '([^']+)'/.exec(fence('ts'))!;
  expect(CASES).toHaveProperty([title!]);
});
