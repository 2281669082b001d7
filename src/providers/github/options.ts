// What a chore may say about a GitHub source, checked without a request, and the names of issues: `acme/web#12`, their URLs,
// the source they belong to. Names compare without case, as on GitHub; within a source they are spelt as the chore spells it.
import * as z from 'zod';
import { isToken, readToken } from '../../core/config/agent-env.ts';
import { type Fault, optionFaults, optionsOf } from '../../core/config/config-problems.ts';
import { BUILT_IN_SECRETS } from '../../core/config/names.ts';
import { group, setting } from '../../core/config/setting.ts';
import { kind, line, trueOrFalse } from '../../core/config/values.ts';
import type { OwnStatuses } from '../../core/task/status.ts';
import type { Effects } from '../../effects.ts';
import type { MissingConfig, RemoteRef, SourceConfig } from '../provider.ts';
import { isSameName, isSecureAddress, ownNamed, statusNames } from '../tracker-rules.ts';

export const GITHUB_API = 'https://api.github.com';

const PROJECT = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/[1-9]\d{0,8}$/;
const ownOptions = (own: OwnStatuses = {}) => {
  const project = 'an owner and the number of a project, such as acme/4';
  const columns = statusNames(own, 'column', 'the project');
  return group({
    pull_requests: setting(trueOrFalse(), 'Whether pull requests are mirrored too.', false),
    type: setting(line(), 'The type that issues made here get.'),
    project: setting(kind(z.string().regex(PROJECT), 'owner/number', project), 'The project that is shown.'),
    project_statuses: setting(columns, 'Options of its field Status that stand for a status.', {}),
  });
};

export interface GithubOptions extends z.output<ReturnType<typeof ownOptions>> {
  own: OwnStatuses; // The room's own statuses that have a column.
}

const LOGIN = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98})(?:\[bot\])?$/;
/** `me`: the credentials' account; `none`, `*`: nobody, anybody. */
const ASSIGNEE_WORDS = ['me', 'none', '*'];

export function readOptions(config: SourceConfig): GithubOptions {
  const options = optionsOf(ownOptions(config.statuses), config);
  return { ...options, own: ownNamed(options.projectStatuses, config.statuses) };
}

/** The API's base without a slash at its end. */
export const apiBase = ({ url }: Pick<SourceConfig, 'url'>) => (url ?? GITHUB_API).replace(/\/+$/, '');

export function checkSource(config: SourceConfig): Fault[] {
  const { source, url, filter } = config;
  const faults: Fault[] = [];
  const { labels, assignee } = filter;
  if (!isSource(source))
    faults.push({ message: `${JSON.stringify(source)} is not a repository`, expected: 'owner/name' });
  faults.push(...checkUrl(url));
  if (labels.some((label) => label.trim() === ''))
    faults.push({ message: 'an empty label fits no issue', expected: 'names of labels' });
  if (assignee !== null && !ASSIGNEE_WORDS.includes(assignee) && !LOGIN.test(assignee))
    faults.push({
      message: `${JSON.stringify(assignee)} is not an assignee`,
      expected: 'a login, me, none or *',
    });
  const { project, projectStatuses } = readOptions(config);
  if (project === null && Object.keys(projectStatuses).length > 0)
    faults.push({ message: 'project_statuses needs a project', expected: 'project: owner/number' });
  return [...faults, ...optionFaults(ownOptions(config.statuses), config)];
}

function checkUrl(url: string | null): Fault[] {
  if (url === null) return [];
  const message = `${JSON.stringify(url)} is not the address of an API`;
  const expected = 'https://HOST/api/v3, the base of its REST API';
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return [{ message, expected }];
  const { username, password, search, hash, hostname } = parsed;
  if (username !== '' || password !== '' || search !== '' || hash !== '') return [{ message, expected }];
  if (!isSecureAddress(parsed))
    return [{ message, expected, hint: 'A token is sent unencrypted to this machine alone.' }];
  if (hostname !== 'github.com' && hostname !== 'www.github.com') return [];
  return [{ message, expected: GITHUB_API, hint: 'Leave url out: github.com is the default.' }];
}

type IssueName = { owner: string; repo: string; number: number };

const REF = /^([A-Za-z0-9][A-Za-z0-9_-]{0,99})\/([A-Za-z0-9_.-]{1,100})#([1-9]\d{0,8})$/;
const SOURCE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/[A-Za-z0-9_.-]{1,100}$/;
const ISSUE_PATH = /^\/([^/]+)\/([^/]+)\/(?:issues|pull)\/(\d+)\/?$/;
const REPOSITORY_PATH = /\/repos\/([^/]+\/[^/]+)$/;
const ISSUE_API_PATH = /\/repos\/([^/]+\/[^/]+)\/issues\/(\d+)$/;
export const isSource = (source: string): boolean => SOURCE.test(source) && !/\/\.{1,2}$/.test(source);

export function parseRef(ref: RemoteRef): IssueName | null {
  const found = REF.exec(ref);
  if (!found || !isSource(`${found[1]}/${found[2]}`)) return null;
  return { owner: found[1]!, repo: found[2]!, number: Number(found[3]) };
}

export const isOf = (ref: RemoteRef, source: string): boolean =>
  parseRef(ref) !== null && isSameName(ref.slice(0, ref.indexOf('#')), source);

/** Where people look at issues of the API at `url`. */
const webHost = (url: string): string => (url === GITHUB_API ? 'github.com' : new URL(url).host);

/** `git@github.com:acme/web.git` */
const SCP_ADDRESS = /^(?:[\w.-]+@)?([\w.-]+):(?!\/)(.+)$/;

/** The repository that a git address names where it lies on the server of the API at `url`; null for any other. */
export function sourceOfRemote(address: string, url: string | null): string | null {
  const found = URL.parse(address.replace(SCP_ADDRESS, 'ssh://$1/$2'));
  if (found === null || !['https:', 'http:', 'ssh:', 'git:'].includes(found.protocol)) return null;
  const server = new URL(`${found.protocol}//${webHost(apiBase({ url }))}`);
  // Over ssh the port is another one, and GitHub's own may be reached at a name beside.
  const isThere = found.protocol.startsWith('http')
    ? found.host === server.host
    : found.hostname.replace(/^ssh\.github\.com$/, 'github.com') === server.hostname;
  const path = found.pathname
    .slice(1)
    .replace(/\/$/, '')
    .replace(/\.git$/, '');
  return isThere && isSource(path) ? path : null;
}

export function refOfUrl(text: string, api: string): RemoteRef | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const found = ISSUE_PATH.exec(url.pathname);
  if (!found || !/^https?:$/.test(url.protocol) || url.host !== webHost(api)) return null;
  const ref = `${found[1]}/${found[2]}#${found[3]}`;
  return parseRef(ref) === null ? null : ref;
}

/** `acme/web` of an API address of that repository; null for anything else. */
export const repositoryOf = (apiUrl: string): string | null => REPOSITORY_PATH.exec(apiUrl)?.[1] ?? null;

export function issueOfApiUrl(apiUrl: string): { repository: string; number: number } | null {
  const found = ISSUE_API_PATH.exec(apiUrl);
  return found ? { repository: found[1]!, number: Number(found[2]) } : null;
}

// Where the credentials come from: a GitHub App's variables, a token's, or the `gh` program that is signed in.

export const SECRETS = BUILT_IN_SECRETS.github;
const GH_TIMEOUT_MS = 10_000;

export type Credentials =
  | { kind: 'token'; token: string; from: string }
  | { kind: 'app'; appId: string; privateKey: string; installationId: number | null; from: string };

export type Search = { found: Credentials } | { found: null; missing: MissingConfig[] };

const lacking = (what: string, set: string): Search => ({ found: null, missing: [{ what, set }] });

/** Looks in the environment, then asks `gh`. No network. */
export async function findCredentials(effects: Effects, api: string): Promise<Search> {
  const { env } = effects;
  const app = appOf(env);
  if (app) return app;
  for (const name of ['GITHUB_TOKEN', 'GH_TOKEN']) {
    const read = readToken(effects.env, name);
    if (read && 'missing' in read) return { found: null, missing: [read.missing] };
    if (read) return { found: { kind: 'token', token: read.token, from: name } };
  }
  const token = await tokenOfGh(effects, api);
  if (token && isToken(token)) return { found: { kind: 'token', token, from: '`gh auth token`' } };
  const set =
    'Set GITHUB_TOKEN (or GH_TOKEN) to a token with the scope `repo`, or a fine-grained one with Issues: read and ' +
    'write; or sign in with `gh auth login`.';
  return lacking('a GitHub token', set);
}

function appOf(env: Effects['env']): Search | null {
  const appId = env.GITHUB_APP_ID?.trim();
  const privateKey = env.GITHUB_APP_PRIVATE_KEY?.trim();
  if (!appId) return null;
  if (!privateKey)
    return lacking(
      'the private key of the GitHub App',
      'Set GITHUB_APP_PRIVATE_KEY to the private key (PEM) of the app, or unset GITHUB_APP_ID.',
    );
  const installation = env.GITHUB_APP_INSTALLATION_ID?.trim();
  if (installation && !/^\d+$/.test(installation))
    return lacking(
      'the installation of the GitHub App',
      'Set GITHUB_APP_INSTALLATION_ID to the number of the installation, or unset it.',
    );
  const from = 'GITHUB_APP_ID, GITHUB_APP_PRIVATE_KEY';
  const installationId = installation ? Number(installation) : null;
  // Many ways to set a variable can't hold line ends.
  return {
    found: { kind: 'app', appId, privateKey: privateKey.replaceAll('\\n', '\n'), installationId, from },
  };
}

async function tokenOfGh(effects: Effects, api: string): Promise<string | null> {
  if (!effects.env.PATH) return null;
  const { execa } = await import('execa');
  const host = api === GITHUB_API ? 'github.com' : new URL(api).hostname;
  const { failed, stdout } = await execa('gh', ['auth', 'token', '--hostname', host], {
    env: effects.env as Record<string, string>,
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    timeout: GH_TIMEOUT_MS,
  });
  return failed || stdout.trim() === '' ? null : stdout.trim();
}
