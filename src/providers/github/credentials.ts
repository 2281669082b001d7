// Where the credentials come from: a GitHub App's variables, a token's, or the `gh` program that is signed in.

import { isToken, readToken } from '../../core/config/agent-env.ts';
import { BUILT_IN_SECRETS } from '../../core/config/names.ts';
import type { Effects } from '../../effects.ts';
import type { MissingConfig } from '../provider.ts';
import { GITHUB_API } from './options.ts';

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
