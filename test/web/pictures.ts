// Makes the pictures of docs/board.md from a real room in a real Chromium: `node test/web/pictures.ts [FOLDER]`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { createBoardRoom, makeConflict } from './board-room.ts';
import { openBoard, openBrowser } from './browser.ts';

// A PNG with the same pixels and fewer bytes: flat pictures are smallest without the filters that a browser chooses.
const SIGNATURE_BYTES = 8;

function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  named.copy(framed, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}

function smallPng(png: Buffer): Buffer {
  const pixels: Buffer[] = [];
  let header = Buffer.alloc(0);
  for (let at = SIGNATURE_BYTES; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') header = Buffer.from(data);
    if (type === 'IDAT') pixels.push(data);
    at += length + 12;
  }
  const rows = withoutFilters(inflateSync(Buffer.concat(pixels)), header);
  const packed = deflateSync(rows, { level: 9, memLevel: 9 });
  return Buffer.concat([
    png.subarray(0, SIGNATURE_BYTES),
    chunk('IHDR', header),
    chunk('IDAT', packed),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Undoes the filter of each row (PNG §9.2); each says by its first byte that it has none. */
function withoutFilters(data: Buffer, header: Buffer): Buffer {
  const pixelBytes = header[9] === 6 ? 4 : 3;
  const stride = header.readUInt32BE(0) * pixelBytes + 1;
  for (let row = 0; row < data.length; row += stride) {
    const filter = data[row]!;
    data[row] = 0;
    for (let at = row + 1; at < row + stride; at += 1) {
      const left = at - row > pixelBytes ? data[at - pixelBytes]! : 0;
      const above = row === 0 ? 0 : data[at - stride]!;
      const corner = row === 0 || at - row <= pixelBytes ? 0 : data[at - stride - pixelBytes]!;
      data[at] = (data[at]! + predicted(filter, left, above, corner)) & 0xff;
    }
  }
  return data;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  const guess = left + above - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

const FOLDER = process.argv[2] ?? join(import.meta.dirname, '../../docs/board');
const MOST_BYTES = 150_000;

interface Picture {
  name: string;
  width: number;
  height: number;
  theme: 'light' | 'dark';
  show(page: Page, go: (place: string) => Promise<unknown>): Promise<unknown>;
}

const PICTURES: readonly Picture[] = [
  { name: 'now-1440', width: 1440, height: 620, theme: 'light', show: (_page, go) => go('') },
  { name: 'board-1440', width: 1440, height: 620, theme: 'dark', show: (_page, go) => go('board') },
  { name: 'conflict-800', width: 800, height: 600, theme: 'light', show: (_page, go) => go('sync') },
  { name: 'turn-800', width: 800, height: 600, theme: 'dark', show: showTurn },
  { name: 'now-360', width: 360, height: 720, theme: 'light', show: (_page, go) => go('') },
  { name: 'task-360', width: 360, height: 720, theme: 'dark', show: showTask },
];

async function showTurn(page: Page, go: (place: string) => Promise<unknown>): Promise<void> {
  await go('');
  await page.locator('.running-card a').first().click();
  await page.getByText('npm test -- orders').waitFor();
}

async function showTask(page: Page, go: (place: string) => Promise<unknown>): Promise<void> {
  await go('list');
  await page.getByRole('link', { name: 'Refuse repeated orders' }).click();
  await page.locator('.markdown').first().waitFor();
}

const room = await createBoardRoom();
const browser = await openBrowser();
try {
  await makeConflict(room);
  // The agents that end soon have ended, and one works.
  await room.daemon.see('task.paused', { name: 'Move the staging database' });
  await room.daemon.see('task.paused', { name: 'Look over the start page' });
  mkdirSync(FOLDER, { recursive: true });
  for (const { name, width, height, theme, show } of PICTURES) {
    const { page, context } = await openBoard(browser, await room.link(), { width, height });
    await page.emulateMedia({ colorScheme: theme });
    await show(page, (place) => page.goto(`${room.url()}/#/${place}`));
    await page.locator('main h1').waitFor();
    await page.locator('.loading').first().waitFor({ state: 'detached' });
    await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => undefined);
    const path = join(FOLDER, `${name}.png`);
    const picture = smallPng(await page.screenshot());
    writeFileSync(path, picture);
    await context.close();
    const size = picture.length;
    process.stdout.write(`${name}: ${Math.round(size / 1000)} kB\n`);
    if (size > MOST_BYTES) throw new Error(`${path} has more than ${MOST_BYTES} bytes`);
  }
} finally {
  await browser.close();
  await room.close();
}
