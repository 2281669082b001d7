// All of a task is edited on the board, in a real Chromium: its fields, several tasks at once, by the palette and by keys.
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { forAllTests } from '../support/for-each-test.ts';
import { createBoardRoom } from './board-room.ts';
import { findChromium, openBoard, openBrowser } from './browser.ts';

const PATIENT = { timeout: 30_000 };

describe.skipIf(findChromium() === null)('editing on the board', () => {
  const board = forAllTests(() => createBoardRoom(), 240_000);
  const browser = forAllTests(() => openBrowser(), 240_000);
  let page: Page;

  beforeEach(async () => {
    ({ page } = await openBoard(browser, await board.link()));
  });

  const go = (place: string) => page.goto(`${board.url()}/#/${place}`);
  const room = () => board.mirror.room;
  const fileOf = (name: string) => room().read(`tasks/${name}.md`);
  const goToTask = async (name: string) => {
    await go(`task/${(await room().json('show', name)).id}`);
    await page.getByRole('heading', { level: 1, name }).waitFor();
  };
  const says = (name: string, wanted: string | RegExp) =>
    expect.poll(() => fileOf(name), PATIENT).toMatch(wanted);

  test('every field of a task is edited where it stands', async () => {
    const name = 'Plan the next sprint';
    await goToTask(name);
    await page.getByRole('combobox', { name: 'Owner' }).selectOption('reviewer');
    await says(name, /owner: reviewer/);
    await page.getByRole('combobox', { name: 'Priority' }).selectOption('low');
    await says(name, /priority: low/);
    await page.getByLabel('Due').fill('2027-02-03');
    await page.getByLabel('Due').blur();
    await says(name, /due: "?2027-02-03/);
    await page.getByLabel('Sprint').fill('2027-05');
    await page.getByLabel('Labels').fill('docs, plan');
    await says(name, /sprint: "?2027-05/);
    await page.getByLabel('Labels').press('Enter');
    await says(name, /plan/);
    await page.getByLabel('Blocked by').fill('rename billing');
    await page.getByRole('button', { name: 'Add Rename the billing module to Blocked by' }).click();
    await says(name, /blocked_by/);
    await page.getByLabel('Parent', { exact: true }).fill('export format');
    await page.getByRole('button', { name: 'Add Choose the export format to Parent' }).click();
    await says(name, /parent: /);
    await page.getByRole('button', { name: 'Edit the checks' }).click();
    await page.getByLabel('Checks, one command a line').fill('npm test\nnpm run lint');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await says(name, /checks:[\s\S]*npm run lint/);
    await page.getByRole('button', { name: 'Remove Rename the billing module from Blocked by' }).click();
    await expect.poll(() => fileOf(name), PATIENT).not.toMatch(/blocked_by: *\S/);
  });

  test('steps are added, reworded, ticked and deleted in place', async () => {
    const name = 'Answer the security report';
    await goToTask(name);
    for (const step of ['First', 'Second']) {
      await page.getByLabel('New step').fill(step);
      await page.getByLabel('New step').press('Enter');
      await says(name, `- [ ] ${step}`);
    }
    await page.getByLabel('Step 1').fill('The first');
    await page.getByLabel('Step 1').press('Enter');
    await says(name, /- \[ \] The first/);
    await page.getByRole('button', { name: 'Delete the step: Second' }).click();
    await expect.poll(() => fileOf(name), PATIENT).not.toContain('Second');
  });

  test('a new task has the same fields, and what is shown is what is saved', async () => {
    await go('list');
    await page.locator('.list-row a').first().waitFor();
    await page.keyboard.press('n');
    await page.keyboard.type('With all fields');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('What is to be done').fill('All of it.');
    await dialog.getByLabel('Steps, one a line').fill('One\nTwo');
    await dialog.getByLabel('Priority').selectOption('high');
    await dialog.getByLabel('Labels').fill('web, urgent');
    await dialog.getByLabel('Due').fill('2027-03-04');
    await dialog.getByLabel('Status').selectOption('draft');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'With all fields' }).waitFor();
    const made = fileOf('With all fields');
    for (const wanted of [
      ...['status: draft', 'priority: high', 'urgent', '2027-03-04', '- [ ] Two', 'All of it.'],
    ])
      expect(made).toContain(wanted);
    await page.keyboard.press('n');
    await page.keyboard.type('With none');
    expect(await dialog.getByLabel('Status').inputValue()).toBe('todo');
    expect(await dialog.getByLabel('Priority').inputValue()).toBe('');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'With none' }).waitFor();
    expect((await room().json('show', 'With none')).priority).toBe(null);
  });

  test('several tasks are changed together', async () => {
    await go('list?text=sprint+notes');
    await go('list');
    const names = ['Plan the next sprint', 'Write the release notes'];
    for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    const bar = page.getByRole('group', { name: 'Change the selected tasks' });
    await bar.getByText('2 selected').waitFor();
    await bar.getByLabel('Priority').selectOption('high');
    for (const name of names) await says(name, /priority: high/);
    await bar.getByLabel('Label for').fill('batch');
    await bar.getByLabel('Label for').press('Enter');
    for (const name of names) await says(name, /batch/);
    expect(fileOf('Write the release notes')).toContain('docs');
    await bar.getByLabel('Owner').selectOption('claude');
    for (const name of names) await says(name, /owner: claude/);
    await bar.getByLabel('Status').selectOption('draft');
    for (const name of names) await says(name, /status: draft/);
  });

  test('the list sorts by its columns, open tasks first', async () => {
    await go('list');
    const titles = () => page.locator('.list-row > a').allTextContents();
    await expect.poll(async () => (await titles()).at(-1)).toMatch(/changelog|billing|browser/);
    await page.getByRole('button', { name: 'Title' }).click();
    await expect.poll(titles).toEqual([...(await titles())].sort());
    await page.getByRole('button', { name: 'Title' }).click();
    await expect.poll(titles).toEqual([...(await titles())].sort().reverse());
  });

  test('the palette finds tasks and what can be done', async () => {
    await goToTask('Plan the next sprint');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('release notes');
    await page.getByRole('option', { name: /Write the release notes/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Write the release notes' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('pause');
    await page.keyboard.press('Enter');
    await says('Write the release notes', /paused: true/);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('go to history');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'History' }).waitFor();
  });

  test('keys act on the row that has the focus; what ends or deletes asks first', async () => {
    const name = 'With none';
    await go('list?text=With+none');
    await page.locator('.list-row > a', { hasText: name }).focus();
    await page.keyboard.press('!');
    await says(name, /priority: high/);
    await page.keyboard.press('X');
    await page.getByRole('dialog', { name: 'Cancel it?' }).waitFor();
    await page.keyboard.press('Escape');
    expect(fileOf(name)).not.toContain('canceled');
    await page.keyboard.press('d');
    await page.getByRole('dialog', { name: 'Set it to done?' }).waitFor();
    await page.keyboard.press('Enter');
    await says(name, /status: done/);
    await page.locator('.list-row > a', { hasText: name }).focus();
    await page.keyboard.press('D');
    await page.getByRole('dialog', { name: 'Delete it?' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.list-row > a', { hasText: name }).waitFor({ state: 'detached' });
  });

  test('output has the colours and links of its program', async () => {
    const task = (await room().json('show', 'Tidy the changelog')).id;
    const command = "printf '\\033[31mred\\033[0m see https://example.com/x.\\n'; sleep 1";
    await room().ok('job', 'start', command, '--task', task);
    await go(`task/${task}`);
    await page.getByRole('link', { name: /printf/ }).click();
    const output = page.getByRole('log');
    await output.getByRole('link', { name: 'https://example.com/x' }).waitFor();
    expect(await output.locator('.tone-failed').textContent()).toBe('red');
  });

  test('on a phone every place and filter is in reach, and the board begins with what runs', async () => {
    await page.setViewportSize({ width: 360, height: 720 });
    await go('board');
    await page.reload();
    await page.locator('.board-card').first().waitFor();
    const isSeen = async (selector: string) => {
      const boxes = await Promise.all((await page.locator(selector).all()).map((each) => each.boundingBox()));
      return boxes.every((box) => box !== null && box.x >= 0 && box.x + box.width <= 360);
    };
    expect(await isSeen('nav a')).toBe(true);
    await expect.poll(() => isSeen('[data-status="doing"] h2'), PATIENT).toBe(true);
    await page.getByText('Filters').click();
    expect(await isSeen('.filters select')).toBe(true);
  });
});
