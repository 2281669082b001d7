// The setup on small made-up projects: npm and the compiler are stand-ins, everything else is the real thing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FAKE_NPM = path.join(ROOT, 'test/fixtures/project/npm-cli.mjs');
const LOCK = { packages: { '': {}, 'node_modules/typescript': { version: '1.0.0' } } };

let root: string;

beforeEach(() => {
  root = tempFolder('taskroom-setup');
  fs.cpSync(path.join(ROOT, 'scripts'), path.join(root, 'scripts'), { recursive: true });
  fs.mkdirSync(path.join(root, 'src/bin/turn-path'), { recursive: true });
  fs.writeFileSync(path.join(root, 'src/bin/turn-path/taskroom'), '#!/bin/sh\n');
  fs.writeFileSync(path.join(root, 'src/bin/bin.ts'), 'console.log(1);\n');
  fs.writeFileSync(path.join(root, 'tsconfig.json'), '{}');
  const manifest = { type: 'module', devDependencies: { node: process.versions.node } };
  fs.writeFileSync(path.join(root, 'package.json'), JSON.stringify(manifest));
  fs.writeFileSync(path.join(root, 'package-lock.json'), JSON.stringify(LOCK));
  fs.writeFileSync(path.join(root, 'npm.log'), '');
});

type Ended = { code: number | null; stdout: string; stderr: string };

async function runScript(script: string, env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [path.join(root, 'scripts', script)], {
    cwd: tmpdir(),
    env: { ...process.env, npm_execpath: FAKE_NPM, FAKE_NPM_LOG: path.join(root, 'npm.log'), ...env },
  });
  const printed = [text(child.stdout), text(child.stderr)] as const;
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), ...printed]);
  return { code, stdout, stderr };
}

const setup = (env?: Record<string, string>) => runScript('setup.mjs', env);
const npmCalls = () => fs.readFileSync(path.join(root, 'npm.log'), 'utf8').split('\n').filter(Boolean);
const edit = (file: string, text: string) => fs.writeFileSync(path.join(root, file), text);
const SILENT = { code: 0, stdout: '', stderr: '' };

test('a bare clone is installed and built, saying so; then nothing is done and nothing is said', async () => {
  const first = await setup();
  expect(first).toMatchObject({ code: 0, stdout: '' });
  expect(first.stderr.split('\n')).toEqual([
    'taskroom: node_modules is missing; running npm ci (this takes some seconds)',
    'taskroom: dist is missing; building',
    '',
  ]);
  expect(npmCalls()).toEqual(['begin ci true', 'end ci']);
  expect(fs.statSync(path.join(root, 'dist/bin/bin.cjs')).mode & 0o777).toBe(0o755);
  expect(fs.existsSync(path.join(root, '.setup-lock'))).toBe(false);
  expect(fs.existsSync(path.join(root, '.build'))).toBe(false);

  expect(await setup()).toEqual(SILENT);
  expect(npmCalls()).toHaveLength(2);
});

test('content decides, not time', async () => {
  await setup();
  const later = new Date(Date.now() + 60_000);
  for (const file of ['src/bin/bin.ts', 'package-lock.json', 'package.json'])
    fs.utimesSync(path.join(root, file), later, later);
  expect(await setup()).toEqual(SILENT);

  edit('src/bin/bin.ts', 'console.log(2);\n');
  fs.utimesSync(path.join(root, 'src/bin/bin.ts'), new Date(0), new Date(0));
  expect((await setup()).stderr).toBe('taskroom: dist is out of date; building\n');
  expect(fs.readFileSync(path.join(root, 'dist/bin/bin.cjs'), 'utf8')).toBe('console.log(2);\n');
});

test('a source that is gone leaves nothing behind in dist', async () => {
  edit('src/old.ts', '');
  await setup();
  expect(fs.existsSync(path.join(root, 'dist/old.ts'))).toBe(true);
  fs.rmSync(path.join(root, 'src/old.ts'));
  await setup();
  expect(fs.existsSync(path.join(root, 'dist/old.ts'))).toBe(false);
});

test('a changed lock is installed again, unless npm already did it', async () => {
  await setup();
  const changed = { packages: { ...LOCK.packages, 'node_modules/zod': { version: '2.0.0' } } };
  edit('package-lock.json', JSON.stringify(changed));
  expect((await setup()).stderr).toContain('node_modules does not match package-lock.json; running npm ci');
  expect(npmCalls()).toHaveLength(4);

  fs.rmSync(path.join(root, 'node_modules/.taskroom-setup'));
  expect(await setup()).toEqual(SILENT);
  expect(npmCalls()).toHaveLength(4);
  expect(fs.existsSync(path.join(root, 'node_modules/.taskroom-setup'))).toBe(true);
});

test('a package of another platform may be missing', async () => {
  await setup();
  const changed = {
    packages: { ...LOCK.packages, 'node_modules/elsewhere': { version: '1.0.0', optional: true } },
  };
  edit('package-lock.json', JSON.stringify(changed));
  edit('node_modules/.package-lock.json', JSON.stringify(LOCK));
  expect(await setup()).toEqual(SILENT);
});

test('a failing npm shows what it said, and is tried again', async () => {
  const failed = await setup({ FAKE_NPM_FAILS: '1' });
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain('npm error: the registry said no');
  expect(failed.stderr).toContain('npm ci failed (exit code 3); its output is above');
  expect(failed.stderr).not.toContain('    at ');
  expect(fs.existsSync(path.join(root, '.setup-lock'))).toBe(false);
  expect((await setup()).code).toBe(0);
});

test('a failing build keeps the dist there was', async () => {
  await setup();
  edit('src/bin/bin.ts', 'TYPE ERROR');
  const failed = await setup();
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain('error TS0000: a type error');
  expect(fs.readFileSync(path.join(root, 'dist/bin/bin.cjs'), 'utf8')).toBe('console.log(1);\n');
});

test('without install scripts a Node that is new enough does the work, from then on silently', async () => {
  // The stand-in npm "installs" no platform package, so fetching the program fails as it does offline.
  const first = await setup({ FAKE_NPM_NO_SCRIPTS: '1' });
  expect(first.stderr).toContain(
    `Node ${process.versions.node} is not in node_modules (are install scripts off?)`,
  );
  expect(first.code).toBe(0);
  expect(await setup()).toEqual(SILENT);
});

test('without install scripts a Node that is too old says what to do', async () => {
  edit('package.json', JSON.stringify({ devDependencies: { node: '9999.1.0' } }));
  const failed = await setup({ FAKE_NPM_NO_SCRIPTS: '1' });
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain('Run `npm rebuild node --ignore-scripts=false`, or install a newer Node');
});

test('several at once install once, one after the other', async () => {
  const ended = await Promise.all(Array.from({ length: 6 }, () => setup()));
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(npmCalls()).toEqual(['begin ci true', 'end ci']);
  expect(ended.filter(({ stderr }) => stderr.includes('building'))).toHaveLength(1);
});

test('a lock whose holder died is broken by one of many', async () => {
  const dead = spawn(process.execPath, ['-e', '']);
  await new Promise((resolve) => dead.on('close', resolve));
  fs.mkdirSync(path.join(root, '.setup-lock'));
  edit('.setup-lock/holder', `${hostname()} ${dead.pid} one\n`);
  const ended = await Promise.all(Array.from({ length: 4 }, () => setup()));
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(npmCalls()).toEqual(['begin ci true', 'end ci']);
  expect(fs.existsSync(path.join(root, '.setup-lock'))).toBe(false);
});

test('a live holder is waited for', async () => {
  fs.mkdirSync(path.join(root, '.setup-lock'));
  edit('.setup-lock/holder', `${hostname()} ${process.pid} me\n`);
  const child = spawn(process.execPath, [path.join(root, 'scripts/setup.mjs')], {
    env: { ...process.env, npm_execpath: FAKE_NPM, FAKE_NPM_LOG: path.join(root, 'npm.log') },
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const words = await new Promise<string>((resolve) =>
    child.stderr.once('data', (chunk) => resolve(String(chunk))),
  );
  expect(words).toContain('another setup is at work here; waiting for it');
  expect(npmCalls()).toEqual([]);
  fs.rmSync(path.join(root, '.setup-lock'), { recursive: true });
  expect(await ended).toBe(0);
  expect(npmCalls()).toHaveLength(2);
});
