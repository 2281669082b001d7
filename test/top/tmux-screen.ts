// A real terminal for tests: tmux holds it, keys are sent to it, and what it shows is read until it is what is waited for.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { PATIENCE_MS } from '../e2e/daemon.ts';
import { hasProgram } from '../support/debian-package.ts';
import { tempFolder } from '../support/temp-folder.ts';

export type TmuxScreen = ReturnType<typeof openTmux>;

export const hasTmux = (): boolean => hasProgram('tmux', '-V', 'tmux');

/** A terminal in which a shell waits for words. */
export function openTmux(env: Readonly<Record<string, string>>, columns = 80, rows = 24) {
  const folder = tempFolder('taskroom-tmux');
  const socket = join(folder, 's');
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: { ...process.env, ...env, TMUX: '', LC_ALL: 'C.UTF-8' },
    });
  const size = ['-x', String(columns), '-y', String(rows)];
  tmux('new-session', '-d', '-s', 't', ...size, 'bash', '--norc', '--noprofile');
  tmux('set', '-g', 'window-size', 'manual');
  const text = () => tmux('capture-pane', '-p', '-t', 't').trimEnd();
  const fits = (shown: string, wanted: string | RegExp) =>
    typeof wanted === 'string' ? shown.includes(wanted) : wanted.test(shown);
  async function wait(what: string, ok: (shown: string) => boolean): Promise<string> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const shown = text();
      if (ok(shown)) return shown;
      if (Date.now() > until) throw new Error(`${what}; it shows:\n${shown}`);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
  }
  const keys = (...names: string[]) => void tmux('send-keys', '-t', 't', ...names);
  const hides = (unwanted: string | RegExp) =>
    wait(`the screen still shows ${unwanted}`, (shown) => !fits(shown, unwanted));
  return {
    /** What the terminal shows, lines without their trailing spaces. */
    text,
    /** Keys as tmux names them: `Enter`, `C-c`, `Escape`. */
    keys,
    hides,
    /** Presses Escape alone, until that is gone: with a letter at once it would be that letter with Alt. */
    leaves(shown: string) {
      keys('Escape');
      return hides(shown);
    },
    /** Types a text. */
    type: (words: string) => void tmux('send-keys', '-t', 't', '-l', words),
    /** Resolves with what is shown once it fits. */
    shows: (wanted: string | RegExp) =>
      wait(`the screen never showed ${wanted}`, (shown) => fits(shown, wanted)),
    resize: (width: number, height: number) =>
      void tmux('resize-window', '-t', 't', '-x', String(width), '-y', String(height)),
    /** Process ids of the programs in it. */
    pids() {
      const shell = tmux('display-message', '-p', '-t', 't', '#{pane_pid}').trim();
      const out = execFileSync('ps', ['-o', 'pid=', '--ppid', shell], { encoding: 'utf8' });
      return out.split('\n').map(Number).filter(Boolean);
    },
    close: () => tmux('kill-server'),
  };
}
