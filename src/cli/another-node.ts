// Finds a Node that fits and runs the same command line on it. An old Node reads this file, so it keeps to the language of 2019.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fitsRange, nodePlaces } from './node-version.ts';

function versionOf(program: string): string | null {
  const result = spawnSync(program, ['-p', 'process.versions.node'], { encoding: 'utf8', timeout: 10_000 });
  return result.status === 0 ? result.stdout.trim() : null;
}

/** Runs this same command line on another Node, with its terminal, its signals and its way of ending. */
function runOn(program: string): void {
  const args = process.execArgv.concat(process.argv.slice(1));
  // A terminal sends its signals to the child as well; sent on, one Ctrl-C would count as two.
  const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  const passOn = (signal: NodeJS.Signals) => {
    if (!terminal || signal === 'SIGTERM') child.kill(signal);
  };
  const signals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  // Before the child is there: it may say it is ready, and be sent a signal, while spawn has not returned.
  for (const signal of signals) process.on(signal, passOn);
  const child = spawn(program, args, { stdio: 'inherit' });
  child.on('error', (error) => {
    console.error(`taskroom: ${program} did not start: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    for (const each of signals) process.removeListener(each, passOn);
    if (signal === null) process.exitCode = code === null ? 1 : code;
    else process.kill(process.pid, signal);
  });
}

/** Runs this command line on the first Node beside `here` or on the PATH that fits the range, or says what was found. */
export function runOnAnotherNode(here: string, range: string): void {
  const found = [`${process.execPath} is ${process.versions.node}`];
  for (const place of nodePlaces(here, process.env.PATH || '', process.platform === 'win32', join)) {
    if (!existsSync(place)) continue;
    const version = versionOf(place);
    if (version !== null && fitsRange(version, range)) {
      runOn(place);
      return;
    }
    found.push(version === null ? `${place} does not run` : `${place} is ${version}`);
  }
  console.error(
    [
      `taskroom needs Node ${range}, and no such Node was found:`,
      ...found.map((line) => `  ${line}`),
      'Install a newer Node (https://nodejs.org), or put one beside taskroom with:',
      // Into the folder of the program, wherever that is installed: npm touches nothing else there.
      `  npm install --no-save --prefix ${JSON.stringify(here)} node@24`,
    ].join('\n'),
  );
  process.exitCode = 1;
}
