// A program that a test needs and Debian has: found, or installed by root where it is missing; else its tests are
// skipped, counted as skipped, and this says so.
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// A browser is large, and another test file may be installing it at this moment.
const TIME_LIMIT_MS = 600_000;

function runs(program: string, args: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(program, args, { stdio: 'ignore', env, timeout: TIME_LIMIT_MS }).status === 0;
}

/** @param probe arguments with which the program does nothing and ends well */
export function hasProgram(program: string, probe: string, debian: string): boolean {
  if (runs(program, [probe])) return true;
  if (process.platform === 'linux' && process.getuid?.() === 0) {
    const install = `apt-get install -y --no-install-recommends ${debian}`;
    // One at a time: neither of the two waits for the lock of the other.
    const script = `command -v ${program} || ${install} || { apt-get update && ${install}; }`;
    runs('flock', [join(tmpdir(), 'taskroom-tests-apt.lock'), 'sh', '-c', script]);
    if (runs(program, [probe])) return true;
  }
  process.stderr.write(
    `\n!!! SKIPPED: ${program} is missing and could not be installed (apt-get install ${debian})\n\n`,
  );
  return false;
}
