// Statuses of the room's own on the board, in a real Chromium over a real daemon: columns, drag, keys, choices, and a setting that changes.
import { beforeAll, describe, expect, test } from 'vitest';
import { createRoom, SETTINGS } from '../e2e/room.ts';
import { forAllTests } from '../support/for-each-test.ts';
import { findChromium, openBoard, openBrowser, type WatchedPage } from './browser.ts';

const OWN = 'statuses: {review: {class: doing}, shipped: {class: done}, prüfen: {class: draft}}';
const PATIENT = { timeout: 30_000 };

describe.skipIf(findChromium() === null)('statuses of the room’s own on the board', () => {
  const room = forAllTests(() => createRoom(), 240_000);
  const browser = forAllTests(() => openBrowser(), 240_000);
  let watched: WatchedPage;
  let url: string;

  beforeAll(async () => {
    room.settings(...SETTINGS, OWN);
    const put = (name: string, ...keys: string[]) =>
      room.save(`tasks/${name}.md`, `---\n${keys.join('\n')}\n---\n\n## Task\nDo it.\n`);
    put('Write the guide', 'status: review', 'paused: true', 'labels: [docs]');
    put('Sort the shelf', 'status: draft');
    put('Sign the form', 'status: prüfen');
    put('Call the bank', 'status: shipped');
    const daemon = await room.up('--port', '0');
    await daemon.see('api.ready');
    url = JSON.parse(room.read('.taskroom/api.json')).url;
    const headers = { authorization: `Bearer ${room.read('.taskroom/token').trim()}` };
    const link = (await (await fetch(`${url}/api/links`, { method: 'POST', headers })).json()) as {
      url: string;
    };
    watched = await openBoard(browser, link.url, { width: 2000, height: 800 });
  }, 240_000);

  const card = (status: string, name: string) =>
    watched.page.locator(`[data-status="${status}"]`).getByRole('link', { name });
  const fileOf = (name: string) => expect.poll(() => room.read(`tasks/${name}.md`), PATIENT);

  test('each has a column behind the one that it counts as, and cards are moved there by pointer and keys', async () => {
    const { page } = watched;
    await page.goto(`${url}/#/board`);
    await card('review', 'Write the guide').waitFor();
    await card('shipped', 'Call the bank').waitFor();
    const columns = await page
      .locator('[data-status]')
      .evaluateAll((all) => all.map((each) => each.dataset.status));
    expect(columns).toEqual(['draft', 'prüfen', 'todo', 'doing', 'review', 'done', 'shipped', 'canceled']);

    await card('draft', 'Sort the shelf').dragTo(page.locator('[data-status="prüfen"]'));
    await card('prüfen', 'Sort the shelf').waitFor();
    await fileOf('Sort the shelf').toContain('status: prüfen');
    await card('prüfen', 'Sort the shelf').focus();
    await page.keyboard.press('Shift+ArrowLeft');
    await card('draft', 'Sort the shelf').waitFor();
    await fileOf('Sort the shelf').toContain('status: draft');

    const held = Promise.withResolvers<void>();
    await page.route('**/api/tasks/*', (route) => held.promise.then(() => route.continue()));
    await card('review', 'Write the guide').dragTo(page.locator('[data-status="shipped"]'));
    await card('shipped', 'Write the guide').waitFor();
    // The newest stands first before the room answers, so that no card moves under the hand.
    const ended = await page.locator('[data-status="shipped"]').getByRole('link').allInnerTexts();
    expect(ended).toEqual([
      expect.stringMatching(/^Write the guide/),
      expect.stringMatching(/^Call the bank/),
    ]);
    held.resolve();
    await page.unrouteAll({ behavior: 'wait' });
    await fileOf('Write the guide').toMatch(/status: shipped[\s\S]*completed_by: owner/);
    await card('shipped', 'Write the guide').dragTo(page.locator('[data-status="review"]'));
    await fileOf('Write the guide').toContain('status: review');
    expect(watched.faults).toEqual([]);
  });

  test('lists filter by them and new tasks begin in them', async () => {
    const { page } = watched;
    await page.goto(`${url}/#/list?status=review`);
    await expect.poll(() => page.locator('.list-row').count(), PATIENT).toBe(1);
    await page.locator('.list-row').getByText('review', { exact: true }).waitFor();
    await page.goto(`${url}/#/list?text=status:doing`);
    await page.locator('.list-row', { hasText: 'Write the guide' }).waitFor();
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Title' }).fill('Check the seal');
    await dialog.getByLabel('Status').selectOption('prüfen');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await fileOf('Check the seal').toContain('status: prüfen');
    await page.locator('.view-head').getByText('prüfen', { exact: true }).waitFor();
    expect(watched.faults).toEqual([]);
  });

  test('a setting that goes takes its column along', async () => {
    const { page } = watched;
    await page.goto(`${url}/#/board`);
    await card('prüfen', 'Sign the form').waitFor();
    room.settings(...SETTINGS, 'statuses: {review: {class: todo}, shipped: {class: done}}');
    await page.locator('[data-status="prüfen"]').waitFor({ state: 'detached' });
    const columns = await page
      .locator('[data-status]')
      .evaluateAll((all) => all.map((each) => each.dataset.status));
    expect(columns).toEqual(['draft', 'todo', 'review', 'doing', 'done', 'shipped', 'canceled']);
    await card('review', 'Write the guide').waitFor();
    expect(watched.faults).toEqual([]);
  });
});
