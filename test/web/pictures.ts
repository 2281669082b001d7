// Makes the pictures of docs/board.md from a real room in a real Chromium: `node test/web/pictures.ts [FOLDER]`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { createBoardRoom, makeConflict } from './board-room.ts';
import { openBoard, openBrowser } from './browser.ts';
import { smallPng } from './small-png.ts';

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
