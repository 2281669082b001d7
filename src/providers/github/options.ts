// What a chore may say about a GitHub source, checked without a request.
import type { Problem } from '../../core/errors.ts';
import type { SourceConfig } from '../provider.ts';
import { GITHUB_API, isSource } from './api/refs.ts';

type Finding = Pick<Problem, 'message' | 'expected' | 'hint'>;

/** The provider's own keys of `mirror:`. */
export const OPTION_KEYS = ['pull_requests'] as const;
const LOGIN = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98})(?:\[bot\])?$/;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/** `me`: the credentials' account; `none`, `*`: nobody, anybody. */
const ASSIGNEE_WORDS = ['me', 'none', '*'];

export interface GithubOptions {
  pullRequests: boolean;
}

export function readOptions({ options }: SourceConfig): GithubOptions {
  return { pullRequests: options.pull_requests === true };
}

/** The API's base without a slash at its end. */
export function apiBase({ url }: SourceConfig): string {
  return (url ?? GITHUB_API).replace(/\/+$/, '');
}

export function checkSource(config: SourceConfig): Finding[] {
  const findings: Finding[] = [];
  if (!isSource(config.source)) {
    findings.push({
      message: `${JSON.stringify(config.source)} is not a repository`,
      expected: 'owner/name',
    });
  }
  findings.push(...checkUrl(config.url), ...checkFilter(config), ...checkOptions(config));
  return findings;
}

function checkUrl(url: string | null): Finding[] {
  if (url === null) return [];
  const message = `${JSON.stringify(url)} is not the address of an API`;
  const expected = 'https://HOST/api/v3, the base of its REST API';
  if (!URL.canParse(url)) return [{ message, expected }];
  const { protocol, username, password, search, hash, hostname } = new URL(url);
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '' || search !== '' || hash !== '') {
    return [{ message, expected }];
  }
  if (protocol === 'http:' && !LOOPBACK.includes(hostname)) {
    return [{ message, expected, hint: 'A token is sent unencrypted to this machine alone.' }];
  }
  if (hostname !== 'github.com' && hostname !== 'www.github.com') return [];
  return [{ message, expected: GITHUB_API, hint: 'Leave url out: github.com is the default.' }];
}

function checkFilter({ filter }: SourceConfig): Finding[] {
  const { assignee, labels } = filter;
  const findings: Finding[] = labels
    .filter((label) => label.trim() === '')
    .map(() => ({ message: 'an empty label fits no issue', expected: 'names of labels' }));
  if (assignee !== null && !ASSIGNEE_WORDS.includes(assignee) && !LOGIN.test(assignee)) {
    const expected = 'a login, me, none or *';
    findings.push({ message: `${JSON.stringify(assignee)} is not an assignee`, expected });
  }
  return findings;
}

function checkOptions({ options }: SourceConfig): Finding[] {
  const findings: Finding[] = Object.keys(options)
    .filter((key) => !(OPTION_KEYS as readonly string[]).includes(key))
    .map((key) => ({ message: `unknown key ${JSON.stringify(key)}`, expected: OPTION_KEYS.join(', ') }));
  const { pull_requests: pulls } = options;
  if (pulls !== undefined && typeof pulls !== 'boolean') {
    findings.push({ message: 'pull_requests is neither on nor off', expected: 'true or false' });
  }
  return findings;
}
