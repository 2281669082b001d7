#!/usr/bin/env node
// The `taskroom` program's first step: sees that a Node fit for the rest runs it, and passes on to main.ts. An old
// Node reads this file too, so it loads nothing newer before the check and keeps to the language of 2019.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fitsRange } from '../cli/node-version.ts';

const HERE = dirname(realpathSync(fileURLToPath(import.meta.url)));

/** `engines.node` of our own package.json, the nearest one upward. */
function requiredRange(): string {
  for (let at = HERE; ; at = dirname(at)) {
    const file = join(at, 'package.json');
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')).engines.node;
    if (dirname(at) === at) throw new Error(`no package.json above ${HERE}`);
  }
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
    // Loaded here alone: starting processes is much for a small command to load.
    import('../cli/another-node.ts').then(({ runOnAnotherNode }) => runOnAnotherNode(HERE, range));
    return;
  }
  if (process.versions.node.indexOf('22.') === 0) muteSqliteWarning();
  // Not in a temporary folder, where a sandbox lets agents write: what lies there is run.
  if (nodeModule.enableCompileCache) nodeModule.enableCompileCache(join(homedir(), '.cache', 'taskroom'));
  // Without a catch: what gets here is a bug, and Node shows its stack and exits with 1.
  Promise.all([import('../cli/main.ts'), import('./bin-rooms.ts')])
    .then(([{ main }, { ROOMS }]) => main(process.argv.slice(2), ROOMS))
    .then((code) => {
      process.exitCode = code;
    });
}

start();
