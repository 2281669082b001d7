// The exact Node of the devDependency `node`: where its program is, whether it runs, and how to get it when npm ran
// no install scripts.
import { spawnSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { runNpm } from './npm.mjs';

/** `{version, folder, file, link}` of the pinned Node of the project at `root`; `link` is what npm scripts run. */
export function pinnedNode(root) {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const folder = path.join(root, 'node_modules', 'node');
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  return {
    version: manifest.devDependencies.node,
    folder,
    file: path.join(folder, 'bin', program),
    link: path.join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node'),
  };
}

/** True when the pinned program is there, runs on this machine and is the version that is asked for. */
export function runsAsPinned({ file, link, version }) {
  if (!existsSync(file) || !existsSync(link)) return false;
  // We may be running on it already: then a second process would prove nothing more.
  if (realpathSync(file) === realpathSync(process.execPath)) return process.versions.node === version;
  const result = spawnSync(file, ['--version'], { encoding: 'utf8', timeout: 20_000 });
  return result.status === 0 && result.stdout.trim() === `v${version}`;
}

/** The Node to run the build with: the pinned one, or our own where that one does not run. */
export function nodeToBuildWith(root) {
  const pinned = pinnedNode(root);
  return runsAsPinned(pinned) ? pinned.file : process.execPath;
}

/** True when `version` is of the pinned major or a later one. */
export function isNewEnough(version, pinnedVersion) {
  return Number.parseInt(version, 10) >= Number.parseInt(pinnedVersion, 10);
}

/**
 * Installs the platform package that holds the program and no scripts, and links the program where the `node`
 * package's own install script would. Throws where there is no such package.
 */
export async function fetchPinnedNode({ version, folder, file, link }) {
  // The names the `node` package itself uses.
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  const name = `${prefix}-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  await runNpm(folder, [
    'install',
    '--no-save',
    '--no-package-lock',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    `${name}@${version}`,
  ]);
  mkdirSync(path.dirname(file), { recursive: true });
  rmSync(file, { force: true });
  linkSync(path.join(folder, 'node_modules', name, 'bin', path.basename(file)), file);
  // npm makes the link only for a program that is there; on Windows it is a script that npm has to write.
  if (existsSync(link) || process.platform === 'win32') return;
  mkdirSync(path.dirname(link), { recursive: true });
  symlinkSync(path.relative(path.dirname(link), file), link);
}
