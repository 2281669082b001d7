// Builds dist from src: the compiler checks and writes the types, the bundler the rest. The new dist is made whole beside the old one and takes its place by rename, so that
// a program started meanwhile finds the old or the new one, never half of either; a failed build changes nothing.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILD_STAMP, buildProblem, sourceHash } from './freshness.mjs';
import { withLock } from './lock.mjs';
import { writeOperationIndex } from './operation-index.mjs';
import { nodeToBuildWith } from './pinned-node.mjs';

/** Where `bin.taskroom` of package.json points. */
const PROGRAM = 'bin/bin.cjs';
const TURN_PROGRAM = 'bin/turn-path/taskroom';

/** Builds the project at `root`; the caller holds its setup lock. Throws, after the compiler's words, on failure. */
export function build(root) {
  const work = path.join(root, '.build');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  const fresh = path.join(work, 'new');
  writeOperationIndex(root);
  // Taken before the compiler reads: a file saved meanwhile leaves the result out of date, as it should.
  const hash = sourceHash(root);
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  // Kept between builds: only what changed is checked and written again.
  const declared = path.join(root, 'node_modules', '.cache', 'taskroom', 'types');
  const types = ['--emitDeclarationOnly', '--noEmitOnError', '--incremental'];
  const kept = ['--outDir', declared, '--tsBuildInfoFile', path.join(declared, 'tsconfig.tsbuildinfo')];
  run(root, 'tsc', [tsc, '-p', path.join(root, 'tsconfig.json'), ...types, ...kept]);
  run(root, 'bundler', [path.join(root, 'scripts', 'bundle.mjs'), fresh, declared]);
  chmodSync(path.join(fresh, PROGRAM), 0o755);
  installTurnProgram(root, fresh);
  writeFileSync(path.join(fresh, BUILD_STAMP), `${hash}\n`);
  const dist = path.join(root, 'dist');
  // No file system call of Node's swaps two folders: between these two renames dist is away for some microseconds.
  if (existsSync(dist)) renameSync(dist, path.join(work, 'old'));
  renameSync(fresh, dist);
  rmSync(work, { recursive: true, force: true });
}

/** The `taskroom` of turns, which runs the bundled program. */
function installTurnProgram(root, fresh) {
  const [from, to] = [path.join(root, 'src'), fresh].map((dir) => path.join(dir, TURN_PROGRAM));
  mkdirSync(path.dirname(to), { recursive: true });
  writeFileSync(to, readFileSync(from, 'utf8').replace('bin-turn.ts', 'bin-turn.cjs'));
  chmodSync(to, 0o755);
}

function run(root, what, args) {
  const result = spawnSync(nodeToBuildWith(root), args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (result.error) throw result.error;
  if (result.status !== 0)
    throw new Error(`the build failed (${what}: ${result.signal ?? `exit code ${result.status}`})`);
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
  const say = (line) => process.stderr.write(`taskroom: ${line}\n`);
  const onlyIfStale = process.argv.includes('--if-stale');
  withLock(path.join(root, '.setup-lock'), say, async () => {
    if (!onlyIfStale || buildProblem(root) !== null) build(root);
  }).catch((error) => {
    say(error.message);
    process.exitCode = 1;
  });
}
