// The board as it is built: small, and nothing in its page that a strict policy would have to allow.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { buildProgram } from '../e2e/room.ts';

const WEB = join(import.meta.dirname, '../../dist/web');
const MOST_BYTES = 150_000;

beforeAll(buildProgram, 120_000);

test('script and style of the board are at most 150 kB, compressed', () => {
  const files = readdirSync(join(WEB, 'assets')).map((name) => readFileSync(join(WEB, 'assets', name)));
  const bytes = files.reduce((sum, file) => sum + gzipSync(file).length, 0);
  expect(files.length).toBeGreaterThan(1);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(MOST_BYTES);
});

test('its style has at most 1,200 lines', () => {
  const folder = join(import.meta.dirname, '../../src/web/style');
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  expect(files.join('').split('\n').length - 1).toBeLessThanOrEqual(1200);
});

test('its page has no script and no style of its own, and names nothing elsewhere', () => {
  const page = readFileSync(join(WEB, 'index.html'), 'utf8');
  expect(page).toMatch(/<script type="module"[^>]* src="\/assets\/[^"]+"[^>]*><\/script>/);
  const scripts = page.match(/<script\b[^>]*>/g) ?? [];
  expect(scripts.map((tag) => / src="\/assets\/[\w.-]+"/.test(tag))).toEqual([true, true]);
  expect(page).not.toMatch(/<style|style=|\son\w+=|https?:|data:/i);
  const names = readdirSync(join(WEB, 'assets')).filter((name) => name.endsWith('.js'));
  const code = names.map((name) => readFileSync(join(WEB, 'assets', name), 'utf8')).join('\n');
  expect(names).toHaveLength(2);
  for (const odd of ['from"node:', 'require(', 'eval(', 'new Function(', 'fileName:', process.cwd()])
    expect(code.includes(odd), odd).toBe(false);
});
