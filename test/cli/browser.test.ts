// Where `open` opens a browser: at this very machine, with a desktop.
import { expect, test } from 'vitest';
import { browserFor, openBrowser } from '../../src/cli/commands/open.ts';

test('a desktop is needed, and nobody sees one over ssh', () => {
  expect(browserFor('linux', { DISPLAY: ':0' })).toEqual(['xdg-open']);
  expect(browserFor('linux', { WAYLAND_DISPLAY: 'wayland-0' })).toEqual(['xdg-open']);
  expect(browserFor('linux', {})).toBeNull();
  expect(browserFor('darwin', {})).toEqual(['open']);
  for (const far of [{ SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }, { SSH_TTY: '/dev/pts/1' }, { CI: 'true' }])
    for (const platform of ['linux', 'darwin', 'win32'])
      expect([platform, browserFor(platform, { DISPLAY: ':0', ...far })]).toEqual([platform, null]);
});

test('a program that is not there opens nothing, and says so', async () => {
  expect(await openBrowser(['taskroom-no-such-browser'], 'http://127.0.0.1/', process.env)).toBe(false);
  expect(await openBrowser(['true'], 'http://127.0.0.1/', process.env)).toBe(true);
});
