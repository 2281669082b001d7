// Whether node_modules and dist fit the sources, told by content alone: times lie after a checkout or a copy.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isNewEnough, pinnedNode, runsAsPinned } from './pinned-node.mjs';

const INSTALL_STAMP = 'node_modules/.taskroom-setup';
/** Inside dist, so that a build and its stamp appear in one rename. */
export const BUILD_STAMP = '.build-stamp';
const BUILD_INPUTS = [
  'package.json',
  'tsconfig.json',
  'scripts/build.mjs',
  'scripts/bundle.mjs',
  'scripts/bundle-board.mjs',
  'scripts/operation-index.mjs',
];

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  }
}

function lockHash(root) {
  const lock = readFileSync(path.join(root, 'package-lock.json'));
  return createHash('sha256').update(`${process.platform} ${process.arch}\n`).update(lock).digest('hex');
}

/** Every package the lock asks for is there in that version, by npm's own record of what it installed. */
function isInstalledAsLocked(root) {
  const record = readIfThere(path.join(root, 'node_modules', '.package-lock.json'));
  if (record === null) return false;
  const installed = JSON.parse(record).packages;
  const locked = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(locked).every(([place, wanted]) => {
    if (place === '') return true;
    // Packages of other platforms are in the lock and rightly nowhere else.
    return installed[place] ? installed[place].version === wanted.version : wanted.optional === true;
  });
}

/** Null when node_modules is fine, else what is wrong and which mend it takes: install, or node and stamp only. */
export function installProblem(root) {
  if (!existsSync(path.join(root, 'node_modules')))
    return { mend: 'install', reason: 'node_modules is missing' };
  const [hash, node] = (readIfThere(path.join(root, INSTALL_STAMP)) ?? '').trim().split(' ');
  const stamped = hash === lockHash(root);
  if (!stamped && !isInstalledAsLocked(root)) {
    return { mend: 'install', reason: 'node_modules does not match package-lock.json' };
  }
  const pinned = pinnedNode(root);
  const ownWillDo = node === 'own' && isNewEnough(process.versions.node, pinned.version);
  if (!runsAsPinned(pinned) && !ownWillDo)
    return { mend: 'node', reason: `Node ${pinned.version} is missing` };
  return stamped ? null : { mend: 'stamp', reason: 'node_modules has no stamp' };
}

/** Records that node_modules fits the lock; `node` says which Node runs the scripts, 'pinned' or 'own'. */
export function stampInstall(root, node) {
  writeFileSync(path.join(root, INSTALL_STAMP), `${lockHash(root)} ${node}\n`);
}

function filesUnder(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(full);
    return entry.isFile() ? [full] : [];
  });
}

/** Hash over the names and bytes of everything a build is made from. */
export function sourceHash(root) {
  const files = filesUnder(path.join(root, 'src')).map((file) =>
    path.relative(root, file).split(path.sep).join('/'),
  );
  const hash = createHash('sha256');
  for (const file of [...files, ...BUILD_INPUTS].sort()) {
    const bytes = readFileSync(path.join(root, file));
    hash.update(`${file}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

/** Null when dist was built from exactly these sources, else what is wrong. */
export function buildProblem(root) {
  if (!existsSync(path.join(root, 'dist'))) return 'dist is missing';
  const stamp = readIfThere(path.join(root, 'dist', BUILD_STAMP));
  return stamp?.trim() === sourceHash(root) ? null : 'dist is out of date';
}
