// Hands on the keys of the board, in a real Chromium: what a person types is a text and never a command, and no key throws
// typed words away.
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { forAllTests } from '../support/for-each-test.ts';
import { createBoardRoom } from './board-room.ts';
import { findChromium, openBoard, openBrowser } from './browser.ts';

const SENTENCE = 'do it now please';
const PATIENT = { timeout: 30_000 };

describe.skipIf(findChromium() === null)('keys of the board', () => {
  const board = forAllTests(() => createBoardRoom(), 240_000);
  const browser = forAllTests(() => openBrowser(), 240_000);
  let page: Page;
  /** Every request of the page that changes something. */
  let changes: string[];

  beforeEach(async () => {
    changes = [];
    ({ page } = await openBoard(browser, await board.link()));
    page.on('request', (request) => {
      if (!['GET', 'HEAD'].includes(request.method())) changes.push(`${request.method()} ${request.url()}`);
    });
  });

  const go = (place: string) => page.goto(`${board.url()}/#/${place}`);
  const goToTask = async (name: string) => {
    await go(`task/${(await board.mirror.room.json('show', name)).id}`);
    await page.getByRole('heading', { level: 1, name }).waitFor();
  };
  const textField = () => page.getByRole('textbox', { name: 'Text (markdown)' });

  test('after `e` one types into the text, and nothing is sent', async () => {
    await goToTask('Tidy the changelog');
    await page.keyboard.press('e');
    await page.keyboard.type(SENTENCE);
    await expect.poll(() => textField().inputValue(), PATIENT).toContain(SENTENCE);
    expect(changes).toEqual([]);
  });

  test('while an editor is open no key is a command, wherever the focus is', async () => {
    await goToTask('Tidy the changelog');
    await page.keyboard.press('e');
    await textField().blur();
    await page.keyboard.type('xdpnr1');
    await textField().waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(page.url()).toContain('/#/task/');
    expect(changes).toEqual([]);
  });

  test('Esc and another view leave typed words as they are, until they are discarded', async () => {
    const name = 'Plan the next sprint';
    await goToTask(name);
    await page.keyboard.press('e');
    await textField().fill(SENTENCE);
    await page.keyboard.press('Escape');
    await expect.poll(() => textField().inputValue(), PATIENT).toBe(SENTENCE);
    await go('list');
    await page.getByRole('heading', { level: 1, name: 'List' }).waitFor();
    await goToTask(name);
    await expect.poll(() => textField().inputValue(), PATIENT).toBe(SENTENCE);
    await page.reload();
    await expect.poll(() => textField().inputValue(), PATIENT).toBe(SENTENCE);
    await goToTask('Tidy the changelog');
    await page.getByRole('button', { name: 'Edit' }).first().waitFor();
    expect(await textField().count()).toBe(0);
    await goToTask(name);
    await page.getByRole('button', { name: 'Discard' }).click();
    await textField().waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('button', { name: 'Edit' }).first().waitFor();
    expect(await textField().count()).toBe(0);
    expect(changes).toEqual([]);
  });

  test.each([
    [
      'Enter in a step',
      async () => {
        await page.getByRole('textbox', { name: 'Step 1' }).focus();
        await page.keyboard.press('Enter');
      },
    ],
    [
      'the save of the text',
      async () => {
        await page.keyboard.press('e');
        await page.keyboard.type('Two');
        await page.keyboard.press('Control+Enter');
        await textField().waitFor({ state: 'detached' });
      },
    ],
  ])('what is typed on after a field ended by %s is no command', async (how, end) => {
    const name = `Typed on after ${how}`;
    const text = ['---', 'paused: true', '---', '', '## Task', 'One', '', '## Steps', '- [ ] Look', ''];
    board.mirror.room.save(`tasks/${name}.md`, text.join('\n'));
    await expect.poll(() => board.mirror.room.read(`tasks/${name}.md`), PATIENT).toContain('id: ');
    await goToTask(name);
    await end();
    changes = [];
    await page.keyboard.type('rpt!dXD');
    await page.getByText('press Esc').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    // Esc ends the typing, and goes nowhere; then a key is a command again.
    await page.keyboard.press('Escape');
    await page.keyboard.press('D');
    await page.getByRole('dialog').waitFor();
    expect(changes).toEqual([]);
  });

  test('an answer that one types stays where it is when somebody else answers', async () => {
    const name = 'Asked twice';
    const { room } = board.mirror;
    room.save(`tasks/${name}.md`, '---\npaused: true\n---\n\n## Task\nOne\n');
    await room.ok('ask', name, 'Which one?');
    await goToTask(name);
    const answer = page.locator('.questions textarea');
    await answer.focus();
    await page.keyboard.type('I would say ');
    changes = [];
    await room.ok('answer', name, 'The first.');
    await page.locator('.questions .given').getByText('The first.').waitFor();
    await page.keyboard.type('rpt!dXD');
    expect(await answer.inputValue()).toBe('I would say rpt!dXD');
    expect(changes).toEqual([]);
    await page.keyboard.press('Control+Enter');
    await answer.waitFor({ state: 'detached' });
    expect(room.read(`tasks/${name}.md`)).toContain('I would say rpt!dXD');
  });

  test('Esc closes an editor in which nothing was typed', async () => {
    await goToTask('Tidy the changelog');
    await page.keyboard.press('e');
    await page.keyboard.press('Escape');
    await textField().waitFor({ state: 'detached' });
  });

  test('a comment, an answer and a step that are typed belong to their task and stay there', async () => {
    const comment = () => page.getByRole('textbox', { name: 'New comment' });
    const step = () => page.getByRole('textbox', { name: 'New step' });
    await goToTask('Plan the next sprint');
    await comment().fill('Half a comment');
    await step().fill('Half a step');
    await goToTask('Tidy the changelog');
    expect(await comment().inputValue()).toBe('');
    expect(await step().inputValue()).toBe('');
    await goToTask('Plan the next sprint');
    await expect.poll(() => comment().inputValue(), PATIENT).toBe('Half a comment');
    expect(await step().inputValue()).toBe('Half a step');
    await go('');
    const answer = () => page.locator('.inbox-question').getByRole('textbox');
    await answer().fill('Half an answer');
    await page.reload();
    await expect.poll(() => answer().inputValue(), PATIENT).toBe('Half an answer');
  });

  test('`n` begins in the title, and Esc keeps the new task that was typed', async () => {
    const title = () => page.getByRole('textbox', { name: 'Title' });
    await go('list');
    await page.getByRole('heading', { level: 1, name: 'List' }).waitFor();
    await page.keyboard.press('n');
    await page.keyboard.type('Half a title');
    await expect.poll(() => title().inputValue(), PATIENT).toBe('Half a title');
    await page.getByRole('dialog').getByLabel('Priority').selectOption('high');
    await page.keyboard.press('Escape');
    await title().waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'List' }).waitFor();
    await page.keyboard.press('n');
    await expect.poll(() => title().inputValue(), PATIENT).toBe('Half a title');
    expect(await page.getByRole('dialog').getByLabel('Priority').inputValue()).toBe('high');
    await page.getByRole('button', { name: 'Discard' }).click();
    await title().waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    expect(await title().inputValue()).toBe('');
    expect(changes).toEqual([]);
  });

  test('Esc goes back within the board and never out of it', async () => {
    await page.goto('about:blank');
    await go('board');
    await page.getByRole('heading', { level: 1, name: 'Board' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('3');
    await page.getByRole('heading', { level: 1, name: 'List' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1, name: 'Board' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.press('3');
    await page.getByRole('heading', { level: 1, name: 'List' }).waitFor();
  });

  test('Esc leads from a task that was opened by its address to the first view', async () => {
    const { id } = await board.mirror.room.json('show', 'Tidy the changelog');
    await page.goto('about:blank');
    await go(`task/${id}`);
    await page.getByRole('heading', { level: 1, name: 'Tidy the changelog' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
  });
});
