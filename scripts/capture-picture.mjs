// `node scripts/capture-picture.mjs`: makes docs/picture.svg anew, from what a real terminal shows: `taskroom top` in tmux, beside
// `npm start` on a copy of the example room, at a moment when something runs and something is done.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const PROGRAM = path.join(ROOT, 'dist/bin/bin.cjs');
const LIMIT_MS = 120_000;

const folder = mkdtempSync(path.join(tmpdir(), 'taskroom-picture-'));
const tmux = (...args) =>
  execFileSync('tmux', ['-u', '-S', path.join(folder, 's'), '-f', '/dev/null', ...args], {
    encoding: 'utf8',
    env: { ...process.env, TMUX: '', LC_ALL: 'C.UTF-8' },
  });

const started = spawn(process.execPath, [path.join(ROOT, 'scripts/start.mjs')], { cwd: ROOT });
try {
  const room = await roomOf(started);
  tmux(
    'new-session',
    '-d',
    '-s',
    't',
    '-x',
    '92',
    '-y',
    '28',
    `'${process.execPath}' '${PROGRAM}' top --room '${room}'`,
  );
  const shown = await moment();
  const picture = execFileSync(process.execPath, [path.join(ROOT, 'scripts/picture.mjs')], { input: shown });
  writeFileSync(path.join(ROOT, 'docs/picture.svg'), picture);
} finally {
  started.kill('SIGINT');
  // Without a server where the example did not start; why it did not is what is thrown.
  if (existsSync(path.join(folder, 's'))) tmux('kill-server');
  if (started.exitCode === null) await new Promise((resolve) => started.once('exit', resolve));
  rmSync(folder, { recursive: true, force: true });
}

/** The room is told in the first line that is printed; what follows is read on, so that its log is never stuck. */
function roomOf(child) {
  let text = '';
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (piece) => {
      text = (text + piece).slice(-10_000);
      const [, dir] = /^Room\s+(.+)$/m.exec(text) ?? [];
      if (dir !== undefined) resolve(dir);
    });
    child.once('exit', () => reject(new Error(`the example ended:\n${text}`)));
  });
}

/** The terminal, its colours in it, when it shows most of what there is to show. */
async function moment() {
  const wanted = [/Running/, /Needs you/, /Done/];
  const until = Date.now() + LIMIT_MS;
  for (;;) {
    const shown = tmux('capture-pane', '-e', '-p', '-t', 't');
    if (wanted.every((each) => each.test(shown)) || Date.now() > until) return shown;
    await sleep(50);
  }
}
