// The board in a real Chromium, over a real daemon: one browser, one room, each case what a person does there.
import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { forAllTests, partOf } from '../support/for-each-test.ts';
import { createBoardRoom, makeConflict } from './board-room.ts';
import { findChromium, openBoard, openBrowser } from './browser.ts';

const HAS_CHROMIUM = findChromium() !== null;

describe.skipIf(!HAS_CHROMIUM)('the board', () => {
  const board = forAllTests(() => createBoardRoom(), 240_000);
  const browser = forAllTests(() => openBrowser(), 240_000);
  const watched = forAllTests(async () => openBoard(browser, await board.link()), 240_000);
  const page = partOf(watched, 'page');

  const go = (place: string) => page.goto(`${board.url()}/#/${place}`);
  const room = () => board.mirror.room;
  const idOf = async (name: string): Promise<string> => (await room().json('show', name)).id;

  test('the first screen shows what runs, who asks and what ended without a word', async () => {
    await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
    await page.locator('.running-card', { hasText: 'Refuse repeated orders' }).waitFor();
    await page.locator('.running-card', { hasText: 'Refusing repeated orders' }).waitFor();
    await page.locator('.inbox-question', { hasText: 'Should the export be CSV or JSON?' }).waitFor();
    await page
      .locator('section', { hasText: 'Ended silently' })
      .getByText('Look over the start page')
      .waitFor();
  });

  test('a file that is made on disk appears, and is gone with it', async () => {
    await go('list');
    room().save('tasks/Made by hand.md', '---\nstatus: draft\n---\nWritten in an editor.\n');
    await page.getByRole('link', { name: 'Made by hand' }).waitFor();
    room().edit('tasks/Made by hand.md', (text) =>
      text.replace('status: draft', 'status: draft\ntitle: Now titled'),
    );
    const row = page.getByRole('link', { name: 'Now titled' });
    await row.waitFor();
    rmSync(room().at('tasks/Made by hand.md'));
    await row.waitFor({ state: 'detached' });
  });

  test('a list is searched and filtered by its address', async () => {
    await go('list?text=export&status=doing');
    await expect.poll(() => page.locator('.list-row').count()).toBe(1);
    room().save('tasks/By its text.md', '---\nstatus: draft\n---\nThe zeppelin lands.\n');
    await go('list?text=zeppelin');
    await page.getByRole('link', { name: 'By its text' }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).searchParams.get('text') ?? ''));
    await page.getByRole('searchbox').fill('');
    await page.getByRole('searchbox').pressSequentially('nothing is like this');
    await page.getByText('No task is like that').waitFor();
    expect(page.url()).toContain('text=nothing');
    // The room is asked about words, not about each letter.
    await expect.poll(() => asked).toContain('nothing is like this');
    expect(new Set(asked).size).toBeLessThan(10);
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('link', { name: 'Tidy the changelog' }).waitFor();
  });

  test('a list that can not be read says why, and stands there once it can', async () => {
    const detail = 'The disk is full.';
    const before = watched.faults.length;
    await page.route('**/api/tasks?*', (route) =>
      route.fulfill({ status: 500, json: { code: 'io', detail, hint: 'Make room on it.' } }),
    );
    await go('list');
    await page.reload();
    await page.getByRole('alert').getByText(detail).waitFor();
    await page.unroute('**/api/tasks?*');
    await page.locator('.list-row').first().waitFor();
    // The browser notes the answers that this test made up.
    expect(watched.faults.splice(before).filter((fault) => !fault.includes('status of 500'))).toEqual([]);
  });

  test('a card is dragged to another column, and back by the keyboard', async () => {
    await go('board');
    const column = (status: string) => page.locator(`[data-status="${status}"]`);
    const card = (status: string) => column(status).getByRole('link', { name: 'Plan the next sprint' });
    await card('draft').dragTo(column('canceled'));
    await card('canceled').waitFor();
    await expect.poll(() => room().read('tasks/Plan the next sprint.md')).toContain('status: canceled');
    await card('canceled').focus();
    await page.keyboard.press('Shift+ArrowLeft');
    await card('done').waitFor();
    await expect.poll(() => room().read('tasks/Plan the next sprint.md')).toContain('status: done');
  });

  test('a running turn is followed, and its end is seen', async () => {
    await go('');
    await page.locator('.running-card', { hasText: 'Refuse repeated orders' }).getByRole('link').click();
    const output = page.getByRole('log');
    await output.getByText('I read the handler first.').waitFor();
    await output.getByText('npm test -- orders').waitFor();
    board.release('Refuse repeated orders');
    await page.locator('.view-head').getByText('completed').waitFor();
    await page.getByRole('link', { name: 'Its task' }).click();
    await page.locator('.view-head').getByText('Done', { exact: true }).first().waitFor();
    await page.getByText('A repeated order is refused.').waitFor();
  });

  test('a question is answered in place', async () => {
    await go('');
    const question = page.locator('.inbox-question');
    await question.getByRole('textbox').fill('CSV, and JSON on request.');
    await question.getByRole('button', { name: 'Answer' }).click();
    await question.waitFor({ state: 'detached' });
    expect(room().read('tasks/Choose the export format.md')).toContain('CSV, and JSON on request.');
  });

  test('an editor sends what it changed, and a clash shows both texts', async () => {
    const file = 'tasks/Answer the security report.md';
    await go(`task/${await idOf('Answer the security report')}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).first().click();
    const text = page.getByRole('textbox', { name: 'Text (markdown)' });
    await text.fill('Within 20 days, by mail.');
    room().edit(file, (was) => was.replace('Within 30 days.', 'Within 10 days.'));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const clash = page.getByRole('region', { name: 'Somebody changed it meanwhile' });
    await clash.getByText('− Within 10 days.').waitFor();
    await clash.getByText('+ Within 20 days, by mail.').waitFor();
    expect(room().read(file)).toContain('Within 10 days.');
    await clash.getByRole('button', { name: 'Save yours over it' }).click();
    await clash.waitFor({ state: 'detached' });
    await expect.poll(() => room().read(file)).toContain('Within 20 days, by mail.');
    expect(room().read(file)).toContain('paused: true');
  });

  test('a conflict of a mirror is settled with a button', async () => {
    await makeConflict(board);
    await go('sync');
    const conflict = page.locator('.conflict');
    await conflict.getByText('on every phone since Monday').waitFor();
    await conflict.getByText('Phones only; the desktop is fine.').waitFor();
    await conflict.getByRole('button', { name: 'Take the other' }).click();
    await conflict.waitFor({ state: 'detached' });
    const name = 'Login fails on the phone (issues#1)';
    await expect.poll(() => room().read(`tasks/${name}.md`)).toContain('Phones only; the desktop is fine.');
  });

  test('a plan gets its tasks by a button, and each step leads to its own', async () => {
    const steps = '## Steps\n- [ ] Sketch the form\n- [ ] Send the mail\n';
    room().save('artifacts/Sign-in.md', `---\ntype: plan\nstage: draft\n---\nWhy.\n\n${steps}`);
    await go('plans');
    await page.getByRole('link', { name: 'Sign-in' }).click();
    await page.getByText('Sketch the form').waitFor();
    await page.getByRole('button', { name: 'Create its tasks' }).click();
    await page.getByRole('link', { name: 'Send the mail' }).waitFor();
    expect(room().read('artifacts/Sign-in.md')).toMatch(/stage: final[\s\S]*Send the mail \(task:/);
    await page.getByRole('link', { name: 'Its tasks' }).click();
    await expect.poll(() => page.locator('.list-row').count()).toBe(2);
  });

  test('a command in the background is followed and stopped', async () => {
    const task = await idOf('Plan the next sprint');
    const command =
      'echo building; while [ ! -e "$AGENT_ROOM/released/job" ]; do sleep 0.1; done; echo built; exec sleep 600';
    await room().ok('job', 'start', command, '--task', task);
    await go(`task/${task}`);
    await page.getByRole('link', { name: 'echo building' }).click();
    const output = page.getByRole('log');
    await output.getByText('building').waitFor();
    board.release('job');
    await output.getByText('built').waitFor();
    // It stands among the turns too, and is the same there.
    await go(`turn/${page.url().split('#/job/')[1]}`);
    await output.getByText('built').waitFor();
    await page.getByRole('button', { name: 'Stop the command' }).click();
    await page.locator('.view-head').getByText('killed: by you').waitFor();
  });

  test('every view can be walked by keys alone', async () => {
    await go('');
    await page.locator('.now').waitFor();
    for (const [key, title] of [
      ['2', 'Board'],
      ['3', 'List'],
      ['4', 'Agents'],
      ['5', 'Sync'],
      ['6', 'History'],
      ['7', 'Plans'],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
    }
    await page.keyboard.press('3');
    await page.locator('.list-row').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.locator('.task-view').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('edit the text').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'Title' }).fill('Typed on the board');
    await page.getByRole('combobox', { name: 'Status' }).selectOption('draft');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Typed on the board' }).waitFor();
    expect(room().read('tasks/Typed on the board.md')).toContain('status: draft');
  });

  test('it comes back by itself when the daemon does', async () => {
    await go('list');
    const port = new URL(board.url()).port;
    board.daemon.signal('SIGTERM');
    await board.daemon.ended;
    await page.getByText('No connection to the room').waitFor();
    room().save('tasks/Made while away.md', '---\nstatus: draft\n---\nNobody looked.\n');
    const daemon = await room().up('--port', port);
    await daemon.see('api.ready');
    await page.getByRole('link', { name: 'Made while away' }).waitFor();
    await page.getByText('No connection to the room').waitFor({ state: 'detached' });
  });

  test('no page asked anything of another place, and nothing went wrong in it', () => {
    // A connection that is refused while the daemon is away, and "not ready" while it starts, are errors of the browser's own.
    expect(
      watched.faults.filter(
        (fault) =>
          !/ERR_CONNECTION_REFUSED|net::ERR_|the server responded with a status of (409|412|503)/.test(fault),
      ),
    ).toEqual([]);
  });
});
