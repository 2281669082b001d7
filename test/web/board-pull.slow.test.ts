// The pull request of a task on the board, in Chromium: opened by its button, its state kept up, and words of strangers shown as
// nothing but words.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, onTestFinished, test } from 'vitest';
import { CREDENTIALS } from '../e2e/github-room.ts';
import { COMMIT, createPullProject } from '../e2e/pull-request-project.ts';
import { endCheck, remarkOn, reviewPull } from '../support/github-server/people.ts';
import { findChromium, openBoard, openBrowser } from './browser.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

test.skipIf(findChromium() === null)(
  'a pull request is opened, and shows its checks and reviews until it is merged',
  async () => {
    const site = await createPullProject();
    const browser = await openBrowser();
    const { room, server, repo } = site;
    onTestFinished(async () => {
      await browser.close();
      await site.close();
    });

    site.settings('pr:', '  every: 1s');
    site.chore();
    site.agent(`echo two >> code.txt; ${COMMIT}; taskroom progress worked`);
    room.save('tasks/Fix it.md', '---\nid: fix00001\n---\nFix it.\n');
    Object.assign(room.daemonEnv, CREDENTIALS);
    const daemon = await room.up('--port', '0');
    await daemon.see('api.ready');
    await daemon.see('turn.ended', { id: 'fix00001' });
    const { page, faults } = await openBoard(browser, (await room.json('open', '--print')).url);
    await page.goto(`${new URL(page.url()).origin}/#/task/fix00001`);
    const open = page.getByRole('button', { name: 'Pull request', exact: true });
    await expect.poll(() => open.isEnabled(), { timeout: 30_000 }).toBe(true);
    await open.click();
    const section = page.getByRole('region', { name: 'Pull request', exact: true });
    await section.getByRole('link', { name: /^acme\/web#2/ }).waitFor();
    const pull = site.pull();
    const sha = repo.tipOf!(pull.head)!;
    endCheck(server.state, repo, { name: '<img src=x onerror=probe=1>', sha, conclusion: 'success' });
    reviewPull(server.state, pull, 'alice', 'APPROVED', 'Good.');
    const hostile = '<img src=x onerror=probe=1> [run](javascript:probe=1)';
    remarkOn(server.state, pull, 'mallory', { path: 'code.txt', line: 2, hunk: '+two', body: hostile });
    await section.getByText('open, approved, checks passed').waitFor();
    await section.getByText('<img src=x onerror=probe=1>', { exact: true }).waitFor();
    const [first, second] = await section.getByRole('listitem').allInnerTexts();
    expect(first).toMatch(/alice\s+approved[\s\S]*Good\./);
    expect(second).toMatch(/mallory\s+not trusted\s+code\.txt:2/);
    expect(await section.locator('a[href^="javascript:"]').count()).toBe(0);
    await page.evaluate(AXE);
    const found = await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))');
    expect(found).toEqual([]);
    await section.getByRole('button', { name: 'Merge it' }).click();
    await section.getByText('merged', { exact: true }).waitFor();
    await expect.poll(() => room.read('tasks/Fix it.md')).toContain('status: done');
    expect([faults, await page.evaluate('window.probe')]).toEqual([[], 0]);
  },
  240_000,
);
