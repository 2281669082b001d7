// `npm start`: runs a temporary copy of agent-room-example in the foreground. With CI=true or --exit-when-idle it
// ends by itself once nothing is left to do.
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** A copy of the example that may be written to: what an earlier run in the original left is not taken along. */
function copyExample() {
  const parent = tmpdir();
  let dir;
  try {
    dir = mkdtempSync(path.join(parent, 'taskroom-'));
    const source = path.join(ROOT, 'agent-room-example');
    const leftovers = new Set(['.taskroom', 'artifacts', 'archive', 'history.jsonl']);
    for (const name of readdirSync(source)) {
      if (!leftovers.has(name)) cpSync(path.join(source, name), path.join(dir, name), { recursive: true });
    }
    return dir;
  } catch (error) {
    if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
    throw new Error(
      `can't put the example room into ${parent}: ${error.message}; set TMPDIR to a folder that can be written`,
    );
  }
}

async function start(args) {
  const unknown = args.find((arg) => arg !== '--exit-when-idle');
  if (unknown !== undefined) throw new Error(`unknown option ${unknown}; known: --exit-when-idle`);
  const dir = copyExample();
  const { runExample } = await import('../dist/faces/cli/run-example.js');
  const program = `node ${path.relative(process.cwd(), path.join(ROOT, 'dist/faces/cli/bin.js'))}`;
  const exitWhenIdle = args.includes('--exit-when-idle') || /^(1|true)$/i.test(process.env.CI ?? '');
  process.exitCode = await runExample({ dir, program, exitWhenIdle });
}

start(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`taskroom: ${error.message}\n`);
  process.exitCode = 1;
});
