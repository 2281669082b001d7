// Makes a clone ready to run: installs node_modules and builds dist, each only when missing or out of date.
// Runs before `npm start` and `npm test` on whatever Node the machine has, so it is plain JavaScript for Node 18
// and newer with no dependency; when everything is fresh it prints nothing and touches no network.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { buildProblem, installProblem, stampInstall } from './freshness.mjs';
import { withLock } from './lock.mjs';
import { runNpm } from './npm.mjs';
import { fetchPinnedNode, isNewEnough, pinnedNode, runsAsPinned } from './pinned-node.mjs';

// Said outright because a machine's npmrc or NODE_ENV may say otherwise: everything here needs the devDependencies
// and the platform's own binaries, and the old Node that runs npm is not the Node that runs the code.
const CI_ARGS = [
  'ci',
  '--include=dev',
  '--include=optional',
  '--engine-strict=false',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
];

function say(line) {
  process.stderr.write(`taskroom: ${line}\n`);
}

async function install(root) {
  const problem = installProblem(root);
  if (problem?.mend === 'install') {
    say(`${problem.reason}; running npm ci (this takes some seconds)`);
    // A read-only tree gives its one clear error here, before npm has emptied anything.
    mkdirSync(path.join(root, 'node_modules'), { recursive: true });
    await runNpm(root, CI_ARGS);
  }
  const pinned = pinnedNode(root);
  if (!runsAsPinned(pinned)) await mendNode(pinned);
  stampInstall(root, runsAsPinned(pinned) ? 'pinned' : 'own');
}

/** npm was told to run no install scripts, so the `node` package came without its program. */
async function mendNode(pinned) {
  say(`Node ${pinned.version} is not in node_modules (are install scripts off?); fetching it`);
  let why = 'it does not run on this machine';
  try {
    await fetchPinnedNode(pinned);
  } catch (error) {
    why = error.message;
  }
  if (runsAsPinned(pinned) || isNewEnough(process.versions.node, pinned.version)) return;
  throw new Error(
    `Node ${pinned.version} could not be put at ${pinned.file}: ${why}. This is Node ${process.versions.node}, ` +
      'which is too old. Run `npm rebuild node --ignore-scripts=false`, or install a newer Node, and try again.',
  );
}

/** Brings node_modules and dist up to date. Throws an error whose message is for a person. */
export async function setup(root) {
  if (installProblem(root) === null && buildProblem(root) === null) return;
  await withLock(path.join(root, '.setup-lock'), say, async () => {
    if (installProblem(root) !== null) await install(root);
    const reason = buildProblem(root);
    if (reason === null) return;
    say(`${reason}; building`);
    build(root);
  });
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  setup(path.dirname(path.dirname(fileURLToPath(import.meta.url)))).catch((error) => {
    say(error.message);
    process.exitCode = 1;
  });
}
