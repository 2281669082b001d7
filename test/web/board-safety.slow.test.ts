// What hostile words do to the board: nothing. Every field that comes from a tracker, a file, an agent or an error tries to run, load,
// style and pretend; and every view is read by axe, light and dark.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { forAllTests, partOf } from '../support/for-each-test.ts';
import { createBoardRoom } from './board-room.ts';
import { findChromium, openBoard, openBrowser } from './browser.ts';
import { attack } from './hostile-room.ts';

const HAS_CHROMIUM = findChromium() !== null;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** What no text of anybody may put into the page, wherever it stands. */
const FORBIDDEN = [
  'img, iframe, object, embed, video, audio, base, style, link:not([href^="/"]), meta[http-equiv]',
  'script:not([src^="/assets/"]), form[action], a[href^="javascript" i], a[href^="data" i]',
  '[onerror], [onload], [onmouseover], [ontoggle], [onclick]',
  '.markdown :is(svg, form, input, [style], [class], [id])',
  '.markdown a[href]:not([rel*="noopener"])',
].join(', ');

describe.skipIf(!HAS_CHROMIUM)('the board, shown hostile words', () => {
  const board = forAllTests(() => createBoardRoom(), 240_000);
  const browser = forAllTests(() => openBrowser(), 240_000);
  const watched = forAllTests(async () => openBoard(browser, await board.link()), 240_000);
  const page = partOf(watched, 'page');

  const go = (place: string) => page.goto(`${board.url()}/#/${place}`);
  const probe = () => page.evaluate('window.probe');

  test('no field of a tracker, a file, an agent or an error runs, loads, styles or pretends anything', async () => {
    const { places } = await attack(board);
    for (const place of places) {
      await go(place);
      await page.locator('main :is(h1, .empty .name)').first().waitFor();
      await expect.poll(() => page.locator('main .loading').count(), { timeout: 30_000 }).toBe(0);
      if (place === 'history') await page.locator('.history-line summary').first().click();
      // What is looked at is there.
      const shown = async () => [place, (await page.locator('main').getByText('probe').count()) > 0];
      await expect.poll(shown, { timeout: 30_000 }).toEqual([place, true]);
      const forbidden = await page.locator(FORBIDDEN).evaluateAll((found) => found.map(String));
      expect([place, forbidden, await probe()]).toEqual([place, [], 0]);
      for (const link of await page.locator('.markdown a[href]').all())
        expect(await link.textContent()).toContain(new URL((await link.getAttribute('href'))!).host);
    }
    await go('list');
    await page.getByRole('link', { name: 'Hostile' }).first().waitFor();
    expect(await probe()).toBe(0);
    // What is not there is answered with 404, which a browser notes.
    expect(watched.faults.filter((fault) => !/status of (404|400)/.test(fault))).toEqual([]);
  });

  test('a tool of accessibility finds nothing in any view, light or dark', async () => {
    const { id } = await board.mirror.room.json('show', 'Refuse repeated orders');
    const { turns } = await board.mirror.room.json('turns');
    const views = [
      ...['', 'board', 'list', 'agents', 'sync', 'history', 'history?show=figures', 'plans'],
      'plan/Hostile',
      `task/${id}`,
      `turn/${turns[0].id}`,
    ];
    await page.context().setOffline(false);
    const found: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const view of views) {
        await go(view);
        await page.locator('main h1').waitFor();
        await page.evaluate(AXE);
        const violations = (await page.evaluate(
          'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")))',
        )) as string[];
        found.push(...violations.map((each) => `${colorScheme} /${view}: ${each}`));
      }
    }
    expect(found).toEqual([]);
  });
});
