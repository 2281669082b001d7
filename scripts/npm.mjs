// Running npm from a script: quiet while it works, everything it said when it fails.
import { spawn } from 'node:child_process';

/** The npm that called us, else the one on PATH; never yarn's or pnpm's own program. */
function npmCommand() {
  const called = process.env.npm_execpath;
  if (called && /npm-cli\.[cm]?js$/.test(called))
    return { file: process.execPath, args: [called], shell: false };
  const windows = process.platform === 'win32';
  return { file: windows ? 'npm.cmd' : 'npm', args: [], shell: windows };
}

/** Runs npm in `cwd`; rejects, after showing its output, when it does not exit with 0. */
export function runNpm(cwd, args) {
  const npm = npmCommand();
  return new Promise((resolve, reject) => {
    const child = spawn(npm.file, [...npm.args, ...args], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: npm.shell,
    });
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.on('error', (error) => reject(new Error(`npm did not start: ${error.message}`)));
    child.on('close', (code, signal) => {
      if (code === 0) return resolve();
      process.stderr.write(Buffer.concat(output));
      reject(new Error(`npm ${args[0]} failed (${signal ?? `exit code ${code}`}); its output is above`));
    });
  });
}
