// Names of issues: `acme/web#12`, their URLs, and the source they belong to. Names compare without case, as on GitHub;
// within a source they are spelt as the chore spells it.
import type { RemoteRef } from '../../provider.ts';

export const GITHUB_API = 'https://api.github.com';

export interface IssueName {
  owner: string;
  repo: string;
  number: number;
}

const REF = /^([A-Za-z0-9][A-Za-z0-9_-]{0,99})\/([A-Za-z0-9_.-]{1,100})#([1-9]\d{0,8})$/;
const SOURCE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/[A-Za-z0-9_.-]{1,100}$/;
const ISSUE_PATH = /^\/([^/]+)\/([^/]+)\/(?:issues|pull)\/(\d+)\/?$/;
const REPOSITORY_PATH = /\/repos\/([^/]+\/[^/]+)$/;
const ISSUE_API_PATH = /\/repos\/([^/]+\/[^/]+)\/issues\/(\d+)$/;

export function isSource(source: string): boolean {
  return SOURCE.test(source) && !/\/\.{1,2}$/.test(source);
}

export function parseRef(ref: RemoteRef): IssueName | null {
  const found = REF.exec(ref);
  if (!found || !isSource(`${found[1]}/${found[2]}`)) return null;
  return { owner: found[1]!, repo: found[2]!, number: Number(found[3]) };
}

export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** True when the issue is one of the repository `source`. */
export function isOf(ref: RemoteRef, source: string): boolean {
  return parseRef(ref) !== null && isSameName(ref.slice(0, ref.indexOf('#')), source);
}

/** Where people look at issues of the API at `url`. */
function webHost(url: string): string {
  return url === GITHUB_API ? 'github.com' : new URL(url).host;
}

/** @param api The API's base. */
export function refOfUrl(text: string, api: string): RemoteRef | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const found = ISSUE_PATH.exec(url.pathname);
  if (!found || !/^https?:$/.test(url.protocol) || url.host !== webHost(api)) return null;
  const ref = `${found[1]}/${found[2]}#${found[3]}`;
  return parseRef(ref) === null ? null : ref;
}

/** `acme/web` of an API address of that repository; null for anything else. */
export function repositoryOf(apiUrl: string): string | null {
  return REPOSITORY_PATH.exec(apiUrl)?.[1] ?? null;
}

/** The issue an API address names. */
export function issueOfApiUrl(apiUrl: string): { repository: string; number: number } | null {
  const found = ISSUE_API_PATH.exec(apiUrl);
  return found ? { repository: found[1]!, number: Number(found[2]) } : null;
}
