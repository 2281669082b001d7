// The version of this package, from the nearest package.json upward.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Manifest {
  version: string;
  engines: { node: string };
}

function readManifest(): Manifest {
  for (let at = dirname(fileURLToPath(import.meta.url)); ; at = dirname(at)) {
    const file = join(at, 'package.json');
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
    if (dirname(at) === at) throw new Error('no package.json above the program');
  }
}

/** The version of taskroom. */
export function readVersion(): string {
  return readManifest().version;
}

/** The range of Node versions taskroom runs on. */
export function readNodeRange(): string {
  return readManifest().engines.node;
}
