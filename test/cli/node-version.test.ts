import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fitsRange, nodePlaces } from '../../src/cli/node-version.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const OURS = '^22.22.2 || ^24.15.0 || >=26';

test.each([
  ['22.22.2', true],
  ['v22.22.2', true],
  ['22.23.0', true],
  ['24.15.0', true],
  ['24.21.0', true],
  ['26.0.0', true],
  ['31.4.1', true],
  ['22.22.1', false],
  ['22.9.9', false],
  ['23.11.0', false],
  ['24.14.9', false],
  ['25.2.0', false],
  ['20.20.2', false],
  ['8.0.0', false],
  ['26.0.0-nightly', false],
  ['', false],
  ['garbage', false],
])('%s fits our range: %s', (version, fits) => expect(fitsRange(version, OURS)).toBe(fits));

test('the range of package.json has only forms that are understood', () => {
  const { engines } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  for (const part of engines.node.split('||')) {
    const least = part.trim().replace(/^(\^|>=)/, '');
    expect(fitsRange(least, part), part).toBe(true);
  }
});

test('a Node is looked for beside the package, above it and on PATH, each place once', () => {
  expect(nodePlaces('/a/b', '/usr/bin::/opt/bin:/usr/bin', false, path.posix.join)).toEqual([
    '/a/b/node_modules/node/bin/node',
    '/a/node_modules/node/bin/node',
    '/node_modules/node/bin/node',
    '/usr/bin/node',
    '/opt/bin/node',
  ]);
  expect(nodePlaces('C:\\a', 'C:\\bin;', true, path.win32.join)).toEqual([
    'C:\\a\\node_modules\\node\\bin\\node.exe',
    'C:\\node_modules\\node\\bin\\node.exe',
    'C:\\bin\\node.exe',
  ]);
});
