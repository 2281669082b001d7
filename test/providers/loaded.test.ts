// A provider from a file is held to the contract at run time: its answers are checked, its errors become ours.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../../src/core/errors.ts';
import { guardedFactory } from '../../src/providers/guarded-provider.ts';
import type { Provider, ProviderFactory } from '../../src/providers/provider.ts';
import { createProviderRegistry } from '../../src/providers/registry.ts';
import { readRoomConfig } from '../../src/store/files/config-files.ts';
import { CASES } from '../conformance/provider.ts';
import { listAll } from '../conformance/provider-harness.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { createMemoryFactory } from '../support/memory-provider/memory.ts';
import { createMemoryTracker } from '../support/memory-provider/tracker.ts';
import { sourceConfig } from '../support/mirror-config.ts';
import { tempFolder } from '../support/temp-folder.ts';

const CONFIG = sourceConfig('acme/web');
const { signal } = new AbortController();

/** The memory provider with one issue, changed by `spoil`, as a file's code would hand it over. */
function adopted(spoil: (provider: Provider) => object, change: Partial<ProviderFactory> = {}) {
  const tracker = createMemoryTracker();
  tracker.createIssue({ title: 'One' });
  const factory = createMemoryFactory(tracker);
  const open: ProviderFactory['open'] = async (config, effects) => {
    const provider = await factory.open(config, effects);
    return { ...provider, ...spoil(provider) } as Provider;
  };
  return guardedFactory({ ...factory, open, ...change }, './mine.mjs');
}

const openIt = (factory: ProviderFactory) => factory.open(CONFIG, createManualClock());

describe('what it answers', () => {
  test('passes when it is right', async () => {
    const provider = await openIt(adopted(() => ({})));
    expect((await listAll(provider, null)).items.map(({ title }) => title)).toEqual(['One']);
    expect([...(await provider.get(['acme/web#1'], signal)).keys()]).toEqual(['acme/web#1']);
  });

  test.each([
    ['a page', { items: [{ title: 'no more than that' }], next: '' }, 'a page of list() is not as expected'],
    ['a cursor', { items: [], next: { since: 1 } }, 'next: expected string, received object'],
    ['a huge cursor', { items: [], next: 'x'.repeat(65_537) }, 'next: '],
    ['nothing', undefined, 'expected object, received undefined'],
  ])('%s that is wrong stops the listing', async (_what, page, words) => {
    const list = async function* () {
      yield page;
    };
    const provider = await openIt(adopted(() => ({ list })));
    const error = { code: 'unavailable', message: expect.stringContaining(words) };
    await expect(listAll(provider, null)).rejects.toMatchObject(error);
  });

  test.each([
    ['labels', 'bug', 'labels: expected array'],
    ['status', 'open', 'status: '],
    ['due', 'tomorrow', 'due: YYYY-MM-DD'],
    ['updatedAt', '2026-11-20', 'updatedAt: expected number'],
    ['silent', ['colour'], 'silent.0: '],
  ])('an issue with another kind of %s is told', async (field, value, words) => {
    const factory = adopted((provider) => ({
      get: async (refs: string[]) =>
        new Map(
          [...(await provider.get(refs, signal))].map(([ref, task]) => [ref, { ...task, [field]: value }]),
        ),
    }));
    const provider = await openIt(factory);
    const error = { code: 'unavailable', message: expect.stringContaining(words) };
    await expect(provider.get(['acme/web#1'], signal)).rejects.toMatchObject(error);
  });

  test('an opened provider without its members is told, all at once', async () => {
    const spoiled = adopted(() => ({ list: undefined, profile: null, write: { create: 1 } }));
    await expect(openIt(spoiled)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/mine\.mjs: what open\(\) returns .*profile: .*list: .*write\.create: /),
    });
  });

  test('what check() and missing() say is checked too', async () => {
    const factory = adopted(() => ({}), { check: () => 'fine' as never, missing: async () => null as never });
    expect(() => factory.check(CONFIG)).toThrow('what check() returns');
    await expect(factory.missing(CONFIG, createManualClock())).rejects.toThrow('what missing() returns');
  });
});

describe('what it throws', () => {
  const thrown = (error: unknown) =>
    adopted(() => ({
      get() {
        throw error;
      },
    }));

  test.each([
    [
      'a code of ours',
      { code: 'rate_limited', retryAfterMs: 5_000 },
      { code: 'rate_limited', retryAfterMs: 5_000 },
    ],
    ['a hint', { code: 'unauthorized', hint: 'Set X.' }, { code: 'unauthorized', hint: 'Set X.' }],
    [
      'a code of the platform',
      { code: 'ECONNREFUSED' },
      { code: 'unavailable', message: 'memory (./mine.mjs): no' },
    ],
    ['a bad wait', { code: 'rate_limited', retryAfterMs: 'soon' }, { retryAfterMs: undefined }],
  ])('%s', async (_what, more, expected) => {
    const provider = await openIt(thrown(Object.assign(new Error('no'), more)));
    await expect(provider.get([], signal)).rejects.toMatchObject(expected);
  });

  test.each([[undefined], ['words'], [{}], [new Error('')]])(
    '%j is unavailable, with words',
    async (error) => {
      const provider = await openIt(thrown(error));
      const expected = {
        code: 'unavailable',
        message: expect.stringMatching(/^memory \(\.\/mine\.mjs\): \w/),
      };
      await expect(provider.get([], signal)).rejects.toMatchObject(expected);
    },
  );

  test('whatever it is after an abort, it is interrupted', async () => {
    const stop = new AbortController();
    const provider = await openIt(thrown(new TypeError('terminated')));
    stop.abort();
    await expect(provider.get([], stop.signal)).rejects.toMatchObject({ code: 'interrupted' });
  });

  test('a listing that is left early lets its generator clean up', async () => {
    let isClean = false;
    const factory = adopted((provider) => ({
      async *list() {
        try {
          for (;;) yield* provider.list(null, signal);
        } finally {
          isClean = true;
        }
      },
    }));
    for await (const page of (await openIt(factory)).list(null, signal)) {
      expect(page.items).toHaveLength(1);
      break;
    }
    expect(isClean).toBe(true);
  });
});

// docs/adding-a-provider.md held to the code: its example loads and runs, its table names cases that exist.
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
  const config = sourceConfig('JIRA');
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
