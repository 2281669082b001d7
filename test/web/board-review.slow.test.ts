// The pull request of a task on the board, in Chromium: opened by its button, its state kept up, and words of strangers shown as
// nothing but words.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, onTestFinished, test } from 'vitest';
import { CREDENTIALS } from '../e2e/github-room.ts';
import { COMMIT, createPullProject } from '../e2e/pull-request-project.ts';
import { createRoom } from '../e2e/room.ts';
import { makeProject } from '../support/git-server.ts';
import { endCheck, remarkOn, reviewPull } from '../support/github-server/people.ts';
import { tempFolder } from '../support/temp-folder.ts';
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

// The changes of a task on the board, in Chromium: live while its agent works, long ones folded, a comment on a line, merge and discard.

test.skipIf(findChromium() === null)(
  'changes are shown live, folded where they are long, commented on by line, merged and discarded',
  async () => {
    const project = tempFolder('taskroom-project');
    const git = (...args: string[]) => execFileSync('git', args, { cwd: project, encoding: 'utf8' }).trim();
    makeProject(project, { 'code.txt': 'one\ntwo\n' });
    git('config', 'user.name', 'Casey');
    git('config', 'user.email', 'casey@example.com');
    const room = await createRoom();
    const browser = await openBrowser();
    onTestFinished(() => room.close());
    onTestFinished(() => browser.close());
    room.agent('smith', {
      ...{ cwd: project, workspace: 'worktree' },
      command:
        'if [ "$TASKROOM_TASK" = fix00002 ]; then echo more > new.txt; taskroom progress tried; exit 0; fi; if [ -e "$AGENT_ROOM/end" ]; then taskroom progress again; exit 0; fi; printf "<img src=x onerror=probe=1>\\n" >> code.txt; while [ ! -e "$AGENT_ROOM/more" ]; do sleep 0.1; done; seq 2000 > "many <b>.txt"; while [ ! -e "$AGENT_ROOM/end" ]; do sleep 0.1; done; git add --all; git commit --quiet -m Work; taskroom progress worked',
    });
    const daemon = await room.up('--port', '0');
    await daemon.see('api.ready');
    room.save('tasks/Fix it.md', '---\nid: fix00001\nowner: smith\n---\nFix it.\n');
    await daemon.see('turn.started');
    const { page, faults } = await openBoard(browser, (await room.json('open', '--print')).url);
    await page.goto(`${new URL(page.url()).origin}/#/task/fix00001`);
    const changes = page.getByRole('region', { name: 'Changes', exact: true });
    await changes.getByText('+<img src=x onerror=probe=1>').waitFor();
    expect(await changes.getByRole('button', { name: 'Merge' }).isDisabled()).toBe(true);
    room.save('more', '');
    await changes.getByText('many <b>.txt').waitFor();
    // Long changes are folded, and drawn when they are opened.
    expect(await changes.locator('tr').count()).toBeLessThan(100);
    await changes.locator('summary', { hasText: 'many <b>.txt' }).click();
    await expect.poll(() => changes.locator('tr').count()).toBeGreaterThanOrEqual(2000);
    await changes.getByRole('button', { name: 'Comment on code.txt:2' }).click();
    await changes.getByLabel('Comment on code.txt:2').last().fill('Why this image?');
    await changes.getByRole('button', { name: 'Comment', exact: true }).click();
    await expect.poll(() => room.read('tasks/Fix it.md')).toMatch(/> `code\.txt:2`\n>\n> Why this image\?/);
    await page.evaluate(AXE);
    const found = await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))');
    expect(found).toEqual([]);

    room.save('end', '');
    const merge = changes.getByRole('button', { name: 'Merge' });
    // The comment asks for one more turn.
    await expect.poll(() => room.read('tasks/Fix it.md'), { timeout: 30_000 }).toContain('· again');
    await expect.poll(() => merge.isEnabled(), { timeout: 30_000 }).toBe(true);
    await merge.click();
    await page.getByText('The branch is merged').waitFor();
    expect(git('show', 'main:code.txt')).toContain('<img src=x onerror=probe=1>');

    room.save('tasks/Try it.md', '---\nid: fix00002\nowner: smith\n---\nTry it.\n');
    await page.goto(`${new URL(page.url()).origin}/#/task/fix00002`);
    await changes.getByText('new.txt').waitFor();
    const discard = changes.getByRole('button', { name: 'Discard …' });
    await expect.poll(() => discard.isEnabled(), { timeout: 30_000 }).toBe(true);
    expect(git('worktree', 'list')).toContain('fix00002');
    await discard.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard', exact: true }).click();
    await changes.waitFor({ state: 'detached' });
    expect(git('worktree', 'list', '--porcelain')).not.toContain('fix00002');
    expect(git('show', 'main:code.txt')).not.toContain('more');
    expect([faults, await page.evaluate('window.probe')]).toEqual([[], 0]);
  },
  240_000,
);
