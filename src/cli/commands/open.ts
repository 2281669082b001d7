// `taskroom open`: opens the board of the room in the person's browser, by a login link.
import { spawn } from 'node:child_process';
import { RoomError } from '../../core/errors.ts';
import type { CommandModule } from '../command.ts';

export const command: CommandModule = {
  about:
    'Opens the board of the room in your browser, and prints the link: it works once, for five minutes, and lets that browser in for 30 days.',
  arguments: [],
  options: [['--print', 'only print the link, for a browser elsewhere']],
  examples: { 'taskroom open': 'the board, here', 'taskroom open --print': 'a link to open yourself' },
  notes:
    'Over ssh, without a desktop, and where stdout is no terminal it only prints. The daemon must run: taskroom up.\nBehind a proxy (up --name https://room.example) the link that is printed is for a browser elsewhere.\nWith --json: {"url","expires_at","opened"}.',
  async run({ options, json, terminal, paint, effects, openRoom, remote }) {
    const runtime = await openRoom({ readOnly: true });
    if (runtime.caller.kind !== 'person')
      throw new RoomError('not_allowed', 'an agent gets no link to the board', 'it is the person’s');
    const { askForLink } = await import('../../app/remote-room.ts');
    const link = await askForLink(remote ?? runtime.here!.room, effects);
    const browser =
      options.flag('print') || !terminal.outIsTerminal ? null : browserFor(process.platform, terminal.env);
    const opened = browser !== null && (await openBrowser(browser, link.url, terminal.env));
    const url = opened ? link.url : link.remote;
    const { expires_at } = link;
    if (json) return void terminal.write(`${JSON.stringify({ url, expires_at, opened })}\n`);
    terminal.write(`${url}\n`);
    const where = opened ? 'opened in your browser' : 'open it in a browser';
    // Beside it, so that a script has the link alone.
    terminal.writeError(paint('dim', `${where}; it works once, until ${expires_at.slice(11, 16)} UTC\n`));
    return undefined;
  },
};

type Env = Readonly<Record<string, string | undefined>>;

/** The program that opens an address; null over ssh and without a desktop. */
export function browserFor(platform: string, env: Env): readonly [program: string, ...args: string[]] | null {
  if (env.SSH_CONNECTION || env.SSH_TTY || env.CI) return null;
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['explorer.exe'];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : null;
}

/** False when it did not start. The browser outlives this process. */
export function openBrowser([program, ...args]: readonly [string, ...string[]], url: string, env: Env) {
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true, env: { ...env } });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
