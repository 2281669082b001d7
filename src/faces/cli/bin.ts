#!/usr/bin/env node
// The `taskroom` program's first step: sees that a Node fit for the rest runs it, and passes on to main.ts. An old
// Node reads this file too, so it loads nothing newer before the check and keeps to the language of 2019.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fitsRange, nodePlaces } from './node-version.ts';

const HERE = dirname(realpathSync(fileURLToPath(import.meta.url)));

/** `engines.node` of our own package.json, the nearest one upward. */
function requiredRange(): string {
  for (let at = HERE; ; at = dirname(at)) {
    const file = join(at, 'package.json');
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')).engines.node;
    if (dirname(at) === at) throw new Error(`no package.json above ${HERE}`);
  }
}

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

function findAnotherNode(range: string): void {
  const found = [`${process.execPath} is ${process.versions.node}`];
  for (const place of nodePlaces(HERE, process.env.PATH || '', process.platform === 'win32', join)) {
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
      'Install a newer Node (https://nodejs.org), or put one beside taskroom with: npm install node@24',
    ].join('\n'),
  );
  process.exitCode = 1;
}

// Node 22 prints a warning for node:sqlite alone; it says nothing a person could act on. Others pass.
function muteSqliteWarning(): void {
  const emit = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (rest[0] === 'ExperimentalWarning' && String(warning).indexOf('SQLite') === 0) return;
    Reflect.apply(emit, process, [warning].concat(rest as never));
  }) as typeof process.emitWarning;
}

function start(): void {
  const range = requiredRange();
  if (!fitsRange(process.versions.node, range)) {
    findAnotherNode(range);
    return;
  }
  if (process.versions.node.indexOf('22.') === 0) muteSqliteWarning();
  if (nodeModule.enableCompileCache) nodeModule.enableCompileCache();
  // Without a catch: what gets here is a bug, and Node shows its stack and exits with 1.
  import('./main.ts')
    .then(({ main }) => main(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code;
    });
}

start();
