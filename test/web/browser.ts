// A real Chromium for the tests of the board: installed where it is missing and may be, pages that are watched for what no
// page of ours does (errors, requests to elsewhere, a probe that hostile text would touch).
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { hasProgram } from '../support/debian-package.ts';

const EXECUTABLE = '/usr/bin/chromium';
export const BROWSER_ARGS = [
  ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...[
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-lcd-text',
  ],
];

/** Null where there is no Chromium and none can be installed. */
export function findChromium(): string | null {
  return hasProgram(EXECUTABLE, '--version', 'chromium') ? EXECUTABLE : null;
}

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: EXECUTABLE,
    args: BROWSER_ARGS,
    env: { ...process.env, HOME: '/tmp' },
  });
}

export interface WatchedPage {
  page: Page;
  context: BrowserContext;
  /** What it did that it must not. */
  faults: string[];
}

/** A page with a session of its own. @param link a link that works once */
export async function openBoard(
  browser: Browser,
  link: string,
  viewport = { width: 1280, height: 800 },
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
  const faults: string[] = [];
  const { origin } = new URL(link);
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) faults.push(`request: ${request.url()}`);
  });
  context.on('page', (other) => {
    if (other !== page) faults.push(`a page was opened: ${other.url()}`);
  });
  page.on('dialog', (dialog) => {
    // The browser asks before words that are not sent are left.
    if (dialog.type() === 'beforeunload') return void dialog.accept();
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.addInitScript('window.probe = 0');
  await page.goto(link);
  return { page, context, faults };
}
