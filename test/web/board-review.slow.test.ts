// The changes of a task on the board, in Chromium: live while its agent works, long ones folded, a comment on a line, merge and discard.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, onTestFinished, test } from 'vitest';
import { createRoom } from '../e2e/room.ts';
import { makeProject } from '../support/git-server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { findChromium, openBoard, openBrowser } from './browser.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

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
