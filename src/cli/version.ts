// This package: its folder and version, from the nearest package.json upward.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

type Manifest = { version: string; engines: { node: string } };

/** The folder of this package, which holds its docs. */
export function packageFolder(): string {
  for (let at = dirname(fileURLToPath(import.meta.url)); ; at = dirname(at)) {
    if (existsSync(join(at, 'package.json'))) return at;
    if (dirname(at) === at) throw new Error('no package.json above the program');
  }
}

const readManifest = (): Manifest =>
  JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as Manifest;

export const readVersion = () => readManifest().version;
export const readNodeRange = () => readManifest().engines.node;

/** Pages of the docs by their paths on this machine. */
export const withDocsFolder = (text: string): string =>
  text.replace(/(?<![\w/.-])docs\/(?=[a-z-]+\.md\b)/g, () => `${packageFolder()}/docs/`);
