// Opening an address in the person's browser: only where one sits at this very machine with a desktop.
import { spawn } from 'node:child_process';

type Env = Readonly<Record<string, string | undefined>>;

/** The program that opens an address, with its arguments; null where nobody would see it. */
export function browserFor(platform: string, env: Env): readonly [program: string, ...args: string[]] | null {
  if (env.SSH_CONNECTION || env.SSH_TTY || env.CI) return null;
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['explorer.exe'];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : null;
}

/** False when it did not start. The browser outlives this process. */
export function openBrowser(
  [program, ...args]: readonly [string, ...string[]],
  url: string,
  env: Env,
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true, env: { ...env } });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
