import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { missingOptionals, platformOf } from '../../scripts/complete-lock.mjs';

interface Locked {
  version?: string;
  os?: string[];
  cpu?: string[];
  optionalDependencies?: Record<string, string>;
}

const LOCK = path.resolve(import.meta.dirname, '../../package-lock.json');
const packages: Record<string, Locked> = JSON.parse(readFileSync(LOCK, 'utf8')).packages;

test('the lock holds the packages of every platform, or npm ci refuses it; mend: node scripts/complete-lock.mjs', () => {
  expect(missingOptionals(packages)).toEqual([]);
});

test('a missing one is found, wherever the package that wants it stands', () => {
  const wanting = {
    version: '1.0.0',
    optionalDependencies: { 'x-linux-x64': '1.0.0', 'x-darwin-arm64': '1.0.0' },
  };
  const planted = {
    '': {},
    'node_modules/a/node_modules/x': wanting,
    'node_modules/a/node_modules/x-linux-x64': { version: '1.0.0' },
  };
  expect(missingOptionals(planted).map(({ name }) => name)).toEqual(['x-darwin-arm64']);
});

test('what a name says of its platform is what its package says', () => {
  const named = Object.entries(packages).filter(([place, entry]) => place !== '' && (entry.os ?? entry.cpu));
  expect(named.length).toBeGreaterThan(50);
  for (const [place, { os, cpu }] of named) {
    const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const platform: Locked | null = platformOf(name);
    expect({ name, os: platform?.os, cpu: platform?.cpu }).toEqual({ name, os, cpu });
  }
  expect(platformOf('left-pad')).toBe(null);
});
