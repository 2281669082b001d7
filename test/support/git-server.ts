// Repositories on a real git server of a test's own: `open.git` takes pushes, `shut.git` takes none. Each begins with one commit on
// `main`.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { freePort } from './free-port.ts';
import { tempFolder } from './temp-folder.ts';

export type GitServer = Awaited<ReturnType<typeof startGitServer>>;

export async function startGitServer() {
  const dir = tempFolder('taskroom-git');
  const bare = (name: string) => join(dir, `${name}.git`);
  for (const name of ['open', 'shut']) makeRepository(dir, bare(name));
  runGit(bare('open'), 'config', 'daemon.receivepack', 'true');
  const port = await freePort();
  const where = ['--listen=127.0.0.1', `--port=${port}`, `--base-path=${dir}`];
  const child: ChildProcess = spawn('git', ['daemon', '--export-all', '--reuseaddr', ...where, dir], {
    stdio: 'ignore',
    detached: true,
  });
  await listening(port);
  return {
    url: (name: 'open' | 'shut') => `git://127.0.0.1:${port}/${name}.git`,
    git: (name: 'open' | 'shut', ...args: string[]) => runGit(bare(name), ...args),
    close: () => process.kill(-child.pid!, 'SIGKILL'),
  };
}

function makeRepository(dir: string, bare: string): void {
  const tree = join(dir, 'tree');
  makeProject(tree, { 'web/code.txt': 'one\n' });
  runGit(dir, 'clone', '--quiet', '--bare', tree, bare);
  rmSync(tree, { recursive: true, force: true });
}

/** A project at this path whose one commit on `main` has these files. */
export function makeProject(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  runGit(dir, 'init', '--quiet', '--initial-branch=main');
  runGit(dir, 'add', '.');
  runGit(dir, 'commit', '--quiet', '-m', 'First');
}

export function runGit(cwd: string, ...args: string[]): string {
  const who = ['-c', 'user.name=T', '-c', 'user.email=t@example.com'];
  return execFileSync('git', [...who, ...args], { cwd, encoding: 'utf8' }).trim();
}

async function listening(port: number): Promise<void> {
  for (;;) {
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
