// Serves the board: the page at `/` and what it is made of, to whoever has a session or a token. The page may load what
// comes from here, and nothing else: no inline script or style, no other origin.
import { callerOf } from '../gate/caller.ts';
import type { Hosts } from '../gate/hosts.ts';
import { HttpFault } from '../gate/problem.ts';
import type { HttpRoom } from '../room/http-room.ts';
import { type BoardFile, type BoardFiles, readBoard } from './board-files.ts';
import { howToGetIn, notBuilt } from './pages.ts';

const POLICY = [
  "default-src 'none'",
  ...['script-src', 'style-src', 'img-src', 'font-src', 'connect-src', 'manifest-src'].map(
    (each) => `${each} 'self'`,
  ),
  ...['base-uri', 'form-action', 'frame-ancestors'].map((each) => `${each} 'none'`),
].join('; ');
const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

const PAGE = '/index.html';

export interface Board {
  /** Null for an address that is none of its files. @throws HttpFault 401, 421, RoomError `not_allowed` */
  answer(room: HttpRoom, hosts: Hosts, request: Request): Promise<Response | null>;
}

/** @param dir where it was built; null for none */
export function createBoard(dir: string | null): Board {
  let kept: BoardFiles | null = null;
  const files = async () => {
    kept ??= dir === null ? null : await readBoard(dir);
    return kept;
  };
  return {
    async answer(room, hosts, request) {
      const { headers } = request;
      const path = pathOf(request.url);
      const isPage = path === '/';
      // The page has one address.
      const file = path === PAGE ? null : ((await files())?.get(isPage ? PAGE : path) ?? null);
      if (file === null && !isPage) return null;
      const origin = hosts.originOf(headers.get('host'));
      hosts.assertOwnOrigin(headers, origin, isPage);
      if (!isKnown(room, headers, isPage)) return howToGetIn();
      return file === null ? notBuilt() : said(file, headers);
    },
  };
}

function pathOf(url: string): string {
  const { pathname } = new URL(url);
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** @throws HttpFault 401 for what is no page */
function isKnown(room: HttpRoom, headers: Headers, isPage: boolean): boolean {
  try {
    callerOf(room, headers, false);
    return true;
  } catch (error) {
    if (isPage && error instanceof HttpFault && error.status === 401) return false;
    throw error;
  }
}

function said(file: BoardFile, headers: Headers): Response {
  const { media, etag, isHashed, plain } = file;
  const shared = {
    etag,
    vary: 'accept-encoding',
    'cache-control': isHashed ? 'private, max-age=31536000, immutable' : 'private, no-cache',
    ...(media.startsWith('text/html') ? PAGE_HEADERS : {}),
  };
  if (headers.get('if-none-match')?.includes(etag))
    return new Response(null, { status: 304, headers: shared });
  const [encoding, bytes] = encoded(file, headers.get('accept-encoding') ?? '');
  return new Response(bytes ?? plain, {
    headers: {
      ...shared,
      'content-type': media,
      ...(encoding === null ? {} : { 'content-encoding': encoding }),
    },
  });
}

function encoded(file: BoardFile, accepted: string): ['br' | 'gzip' | null, BoardFile['br']] {
  const takes = accepted
    .toLowerCase()
    .split(',')
    .filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each))
    .map((each) => each.split(';')[0]!.trim());
  if (file.br !== null && takes.includes('br')) return ['br', file.br];
  if (file.gzip !== null && takes.includes('gzip')) return ['gzip', file.gzip];
  return [null, null];
}
