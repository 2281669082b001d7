// The built files of the board, read once and kept with their compressed forms: what a page was loaded from stays whole
// when the program is built anew below a daemon that runs.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export interface BoardFile {
  media: string;
  etag: string;
  /** Its name changes with its bytes. */
  isHashed: boolean;
  plain: Uint8Array<ArrayBuffer>;
  /** Null where it gains nothing. */
  br: Uint8Array<ArrayBuffer> | null;
  gzip: Uint8Array<ArrayBuffer> | null;
}

/** By the path in the address: `/index.html`, `/assets/board-1f3a9c2e.js`. */
export type BoardFiles = ReadonlyMap<string, BoardFile>;

const MEDIA: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};
const HASHED = /[-.][\w-]{8,}\.\w+$/;
const SMALLEST = 512;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** Files of other kinds (source maps) are left out; null where there is no index. */
export async function readBoard(dir: string): Promise<BoardFiles | null> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
      throw error;
    },
  );
  const files = new Map<string, BoardFile>();
  for (const entry of entries) {
    const media = MEDIA[extname(entry.name)];
    if (!entry.isFile() || media === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(dir.length).replaceAll('\\', '/').replace(/^\/*/, '/');
    files.set(name, await readOne(path, media));
  }
  return files.has('/index.html') ? files : null;
}

async function readOne(path: string, media: string): Promise<BoardFile> {
  const plain = new Uint8Array(await readFile(path));
  const isText = !/^image\/(png|x-icon)|^font\//.test(media) && plain.length >= SMALLEST;
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return {
    ...{ media, etag, plain },
    isHashed: HASHED.test(path) && !path.endsWith('.html'),
    br: isText ? new Uint8Array(await toBrotli(plain, quality)) : null,
    gzip: isText ? new Uint8Array(await toGzip(plain, { level: 9 })) : null,
  };
}
