// What a chore may say about a GitHub source, checked without a request.
import type * as z from 'zod';
import { type Fault, optionFaults, optionsOf } from '../../core/config/own-options.ts';
import { group, setting } from '../../core/config/setting.ts';
import { trueOrFalse } from '../../core/config/values.ts';
import { once } from '../../core/once.ts';
import type { SourceConfig } from '../provider.ts';
import { GITHUB_API, isSource } from './api/refs.ts';

/** The provider's own keys of `mirror:`. */
const ownOptions = once(() =>
  group({ pull_requests: setting(trueOrFalse(), 'Whether pull requests are mirrored too.', false) }),
);
type GithubOptions = z.output<ReturnType<typeof ownOptions>>;

const LOGIN = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98})(?:\[bot\])?$/;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/** `me`: the credentials' account; `none`, `*`: nobody, anybody. */
const ASSIGNEE_WORDS = ['me', 'none', '*'];

export function readOptions(config: SourceConfig): GithubOptions {
  return optionsOf(ownOptions(), config);
}

/** The API's base without a slash at its end. */
export function apiBase({ url }: SourceConfig): string {
  return (url ?? GITHUB_API).replace(/\/+$/, '');
}

export function checkSource(config: SourceConfig): Fault[] {
  const findings: Fault[] = [];
  if (!isSource(config.source)) {
    findings.push({
      message: `${JSON.stringify(config.source)} is not a repository`,
      expected: 'owner/name',
    });
  }
  findings.push(...checkUrl(config.url), ...checkFilter(config), ...optionFaults(ownOptions(), config));
  return findings;
}

function checkUrl(url: string | null): Fault[] {
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

function checkFilter({ filter }: SourceConfig): Fault[] {
  const { assignee, labels } = filter;
  const findings: Fault[] = labels
    .filter((label) => label.trim() === '')
    .map(() => ({ message: 'an empty label fits no issue', expected: 'names of labels' }));
  if (assignee !== null && !ASSIGNEE_WORDS.includes(assignee) && !LOGIN.test(assignee)) {
    const expected = 'a login, me, none or *';
    findings.push({ message: `${JSON.stringify(assignee)} is not an assignee`, expected });
  }
  return findings;
}
