// Serves the board to callers with a session or a token. The page may load only what comes from here. The built files are read once
// and kept, so that a page stays whole when the program is built again below a running daemon.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { getMimeType } from 'hono/utils/mime';
import { valueOr } from '../../core/errors.ts';
import { hasSession } from '../middleware/caller.ts';
import type { Hosts } from '../middleware/hosts.ts';
import type { HttpRoom } from '../room/http-room.ts';
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
/** Files whose name changes with their bytes. */
const HASHED = /[-.][\w-]{8,}\.(?!html)\w+$/;
const SMALLEST = 512; // Shorter files gain nothing from compression.

type Bytes = Uint8Array<ArrayBuffer>;

interface BoardFile {
  headers: Readonly<Record<string, string>> & { etag: string };
  plain: Bytes;
  compressed: readonly (readonly [encoding: string, bytes: Bytes])[]; // The smallest first.
}

/** By the path in the address: `/index.html`, `/assets/board-1f3a9c2e.js`. */
type BoardFiles = ReadonlyMap<string, BoardFile>;
export type Board = ReturnType<typeof createBoard>;

/** @param dir where the board was built; null for none */
export function createBoard(dir: string | null) {
  let kept: BoardFiles | null = null;
  return {
    /** Null for an address that is none of its files. @throws HttpFault 401, 421, RoomError `not_allowed` */
    async answer(room: HttpRoom, hosts: Hosts, { headers, url }: Request): Promise<Response | null> {
      const { pathname } = new URL(url);
      const path = valueOr(pathname, () => decodeURIComponent(pathname));
      const isPage = path === '/';
      kept ??= dir === null ? null : await readBoard(dir);
      // The page has one address.
      const file = path === PAGE ? undefined : kept?.get(isPage ? PAGE : path);
      if (file === undefined && !isPage) return null;
      hosts.assertOwnOrigin(headers, hosts.originOf(headers.get('host')), isPage);
      if (!hasSession(room, headers, isPage)) return howToGetIn();
      return file === undefined ? notBuilt() : answerOf(file, headers);
    },
  };
}

function answerOf({ headers, plain, compressed }: BoardFile, asked: Headers): Response {
  if (asked.get('if-none-match')?.includes(headers.etag)) return new Response(null, { status: 304, headers });
  const accepted = (asked.get('accept-encoding') ?? '')
    .split(',')
    .filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each))
    .map((each) => each.split(';')[0]!.trim().toLowerCase());
  const [encoding, bytes] = compressed.find(([name]) => accepted.includes(name)) ?? [null, plain];
  return new Response(bytes, {
    headers: encoding === null ? headers : { ...headers, 'content-encoding': encoding },
  });
}

/** Leaves out source maps and files of unknown kinds; null where there is no page. */
async function readBoard(dir: string): Promise<BoardFiles | null> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
      throw error;
    },
  );
  const files = new Map<string, BoardFile>();
  for (const entry of entries) {
    const media = entry.name.endsWith('.map') ? undefined : getMimeType(entry.name);
    if (!entry.isFile() || media === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(dir.length).replaceAll('\\', '/').replace(/^\/*/, '/'), await readOne(path, media));
  }
  return files.has(PAGE) ? files : null;
}

async function readOne(path: string, media: string): Promise<BoardFile> {
  const plain = new Uint8Array(await readFile(path));
  const isSmaller = !/^image\/(png|x-icon)|^font\//.test(media) && plain.length >= SMALLEST;
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  return {
    plain,
    compressed: isSmaller
      ? [
          ['br', new Uint8Array(await promisify(brotliCompress)(plain, quality))],
          ['gzip', new Uint8Array(await promisify(gzip)(plain, { level: 9 }))],
        ]
      : [],
    headers: {
      'content-type': media,
      etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
      vary: 'accept-encoding',
      'cache-control': HASHED.test(path) ? 'private, max-age=31536000, immutable' : 'private, no-cache',
      ...(media.startsWith('text/html') && PAGE_HEADERS),
    },
  };
}
