import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createGithubFactory } from '../../../src/providers/github/github.ts';
import type { Provider, SourceConfig } from '../../../src/providers/provider.ts';
import { listAll } from '../../conformance/provider-harness.ts';
import { forEachTest } from '../../support/for-each-test.ts';
import { openIssue } from '../../support/github-server/people.ts';
import { addUser } from '../../support/github-server/state.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { effectsWith, githubSource, SOURCE, startGithub, TEST_PACE } from './harness.ts';

const factory = createGithubFactory(TEST_PACE);
const { signal } = new AbortController();
const github = forEachTest(() => startGithub());
let folder: string;
beforeEach(() => {
  folder = tempFolder('gh');
  openIssue(github.server.state, github.repo, { user: 'alice' });
});

const config = (change: Partial<SourceConfig> = {}) => githubSource(github.server.url, change);
const openWith = (env: Record<string, string>): Promise<Provider> => factory.open(config(), effectsWith(env));
const count = async (provider: Provider) => (await listAll(provider, null)).items.length;

/** A `gh` that knows a token for this server's host and for no other. */
function installGh(script: string): string {
  const path = join(folder, 'gh');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return folder;
}

describe('credentials', () => {
  it('come from GITHUB_TOKEN before GH_TOKEN', async () => {
    expect(await count(await openWith({ GITHUB_TOKEN: ' good-token\n', GH_TOKEN: 'bad' }))).toBe(1);
    expect(await count(await openWith({ GITHUB_TOKEN: '', GH_TOKEN: 'good-token' }))).toBe(1);
    const provider = await openWith({ GH_TOKEN: 'secret-and-wrong' });
    const error = await listAll(provider, null).catch((each: unknown) => each);
    expect(error).toMatchObject({ code: 'unauthorized', message: expect.stringContaining('GH_TOKEN') });
    expect(JSON.stringify([error, (error as Error).message])).not.toContain('secret-and-wrong');
  });

  it('come from the gh program that is signed in to that host', async () => {
    const PATH = installGh('[ "$*" = "auth token --hostname 127.0.0.1" ] && echo good-token');
    expect(await factory.missing(config(), effectsWith({ PATH }))).toEqual([]);
    expect(await count(await openWith({ PATH }))).toBe(1);
  });

  it('are missing without any of them, and gh’s own words are not taken for a token', async () => {
    const PATH = installGh('echo "no oauth token found" >&2; exit 1');
    const missing = await factory.missing(config(), effectsWith({ PATH }));
    expect(missing).toEqual([
      { what: 'a GitHub token', set: expect.stringMatching(/GITHUB_TOKEN.*`repo`.*gh auth login/) },
    ]);
    await expect(openWith({})).rejects.toMatchObject({ code: 'unauthorized', hint: missing[0]!.set });
  });

  it('of a workflow, whose token may not ask who it is, are told by another way', async () => {
    addUser(github.server.state, 'github-actions[bot]', 'Bot');
    github.server.state.tokens.set('workflow', { login: 'github-actions[bot]', access: 'write' });
    const provider = await openWith({ GITHUB_TOKEN: 'workflow' });
    const comment = await provider.comment!.add(
      `${SOURCE}#1`,
      'hello',
      { key: 'abcdefgh', tries: 0 },
      signal,
    );
    expect(comment).toMatchObject({ mine: true, author: 'github-actions[bot]' });
  });
});

describe('a GitHub App', () => {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const publicKey = keys.publicKey.export({ type: 'spki', format: 'pem' }) as string;
  const privateKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const env = { GITHUB_APP_ID: '77', GITHUB_APP_PRIVATE_KEY: privateKey };
  beforeEach(() => {
    github.server.state.app = { id: '77', slug: 'room', installationId: 5, publicKey };
  });

  it('finds its installation, and speaks as its bot, once for each key', async () => {
    const provider = await openWith({ ...env, GITHUB_TOKEN: 'bad' });
    const attempt = { key: 'abcdefgh', tries: 0 };
    const draft = { title: 'Made', body: '', status: 'todo', labels: [], priority: null, due: null } as const;
    const made = await provider.write!.create(draft, attempt, signal);
    expect(made).toMatchObject({ mine: true, author: 'room[bot]' });
    const again = await (await openWith(env)).write!.create(draft, { ...attempt, tries: 1 }, signal);
    expect(again.ref).toBe(made.ref);
  });

  it('takes a named installation, and a key whose line ends are written out', async () => {
    const oneLine = privateKey.replaceAll('\n', '\\n');
    const provider = await openWith({
      ...env,
      GITHUB_APP_PRIVATE_KEY: oneLine,
      GITHUB_APP_INSTALLATION_ID: '5',
    });
    expect(await count(provider)).toBe(1);
    expect(github.server.served.some(({ path }) => path.endsWith('/installation'))).toBe(false);
  });

  it('is missing its key, or has a wrong one', async () => {
    const without = await factory.missing(config(), effectsWith({ GITHUB_APP_ID: '77' }));
    expect(without[0]!.set).toContain('GITHUB_APP_PRIVATE_KEY');
    const odd = await factory.missing(config(), effectsWith({ ...env, GITHUB_APP_INSTALLATION_ID: 'x' }));
    expect(odd[0]!.set).toContain('GITHUB_APP_INSTALLATION_ID');
    await expect(openWith({ ...env, GITHUB_APP_PRIVATE_KEY: 'no key' })).rejects.toMatchObject({
      code: 'unauthorized',
      hint: expect.stringContaining('GITHUB_APP_PRIVATE_KEY'),
    });
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const wrong = other.export({ type: 'pkcs8', format: 'pem' }) as string;
    await expect(openWith({ ...env, GITHUB_APP_PRIVATE_KEY: wrong })).rejects.toMatchObject({
      code: 'unauthorized',
    });
  });
});

describe('the words of a source', () => {
  it('are checked all at once', () => {
    const bad = config({
      source: 'acme/web/x',
      url: 'https://github.com/',
      filter: { labels: [' '], assignee: '-x', state: 'open' },
      options: { pull_requests: 'yes', more: 1 },
    });
    expect(factory.check(bad).map(({ message }) => message)).toEqual([
      ...['"acme/web/x" is not a repository', '"https://github.com/" is not the address of an API'],
      ...['an empty label fits no issue', '"-x" is not an assignee'],
      ...['pull_requests: "yes" is not true or false', 'unknown key "more"'],
    ]);
    for (const url of ['ftp://x', 'https://me:pass@x/', 'https://x/?a=1', 'x', 'http://ghe.example/api/v3'])
      expect(factory.check(config({ url }))).toHaveLength(1);
    for (const source of ['a/..', '../x', 'a b/c', '-a/b', 'a/b\n'])
      expect(factory.check(config({ source })), source).toHaveLength(1);
    const good = {
      options: { pull_requests: true },
      filter: { labels: ['x'], assignee: 'me', state: 'all' },
    } as const;
    for (const url of [null, 'https://ghe.example/api/v3'])
      expect(factory.check(config({ ...good, url }))).toEqual([]);
  });

  it('name a repository by its git address on the same server alone', () => {
    const of = factory.sourceOfRemote!;
    for (const address of [
      'https://github.com/acme/web.git',
      'https://me:secret@github.com/acme/web/',
      'git@github.com:acme/web.git',
      'ssh://git@github.com/acme/web',
      'ssh://git@ssh.github.com:443/acme/web.git',
    ])
      expect(of(address, null), address).toBe('acme/web');
    const enterprise = 'https://ghe.example:8443/api/v3';
    expect(of('https://ghe.example:8443/acme/web.git', enterprise)).toBe('acme/web');
    expect(of('git@ghe.example:acme/web.git', enterprise)).toBe('acme/web');
    expect(of('https://ghe.example/acme/web.git', enterprise)).toBeNull();
    for (const address of [
      ...['https://example.com/acme/web.git', 'https://github.com.example.com/acme/web'],
      ...['https://github.com/acme/web/tree/main', 'https://github.com/acme'],
      ...['file:///github.com/acme/web', '/srv/git/acme/web.git', 'github.com'],
    ])
      expect(of(address, null), address).toBeNull();
  });

  it('name issues by their URL on the same server alone', () => {
    const here = config({ url: null });
    expect(factory.refOfUrl('https://github.com/acme/web/issues/12', here)).toBe('acme/web#12');
    expect(factory.refOfUrl('https://github.com/acme/web/pull/12#issuecomment-3', here)).toBe('acme/web#12');
    expect(factory.refOfUrl('https://github.com/Acme/WEB/issues/12', here)).toBe('acme/web#12');
    const enterprise = config({ url: 'https://ghe.example/api/v3' });
    expect(factory.refOfUrl('https://ghe.example/acme/web/issues/12', enterprise)).toBe('acme/web#12');
    for (const url of [
      'https://ghe.example/acme/web/issues/12',
      'https://github.com/acme/web/issues/0',
      'https://github.com/acme/../issues/1',
      'https://github.com/acme/web/commit/12',
      'ftp://github.com/acme/web/issues/12',
    ])
      expect(factory.refOfUrl(url, here), url).toBeNull();
    expect(factory.shortRef('acme/web#12')).toBe('web#12');
    expect(factory.owns('ACME/Web#1', here)).toBe(true);
    expect(factory.owns('acme/webs#1', here)).toBe(false);
  });
});
