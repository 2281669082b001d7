// The packed tarball, installed in an empty folder the way a user does it.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fitsRange } from '../src/cli/node-version.ts';

const ROOT = path.dirname(import.meta.dirname);
const run = promisify(execFile);

let folder: string;
let tarball: string;
let packed: string[];
let programs: string[];
let size: number;

async function registryAnswers(): Promise<boolean> {
  try {
    await run('npm', ['ping', '--fetch-retries=1', '--fetch-timeout=15000'], { cwd: tmpdir() });
    return true;
  } catch {
    return false;
  }
}

beforeAll(async () => {
  await run(process.execPath, [path.join(ROOT, 'scripts/build.mjs'), '--if-stale']);
  folder = await mkdtemp(path.join(tmpdir(), 'taskroom-package-'));
  // Without scripts: the build is done, and another here would swap dist under the tests beside this one.
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await run('npm', args, { cwd: ROOT });
  const found = Object.values<{ filename: string; size: number; files: { path: string; mode: number }[] }>(
    JSON.parse(stdout),
  )[0]!;
  tarball = path.join(folder, found.filename);
  size = found.size;
  packed = found.files.map((file) => file.path);
  programs = found.files.filter(({ mode }) => (mode & 0o111) === 0o111).map((file) => file.path);
}, 120_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test('the tarball holds the program, its types, the example and nothing of the workshop', () => {
  for (const file of [
    ...['package.json', 'LICENSE', 'CHANGELOG.md', 'dist/index.d.ts', 'dist/bin/bin.cjs'],
    'schemas/room.schema.json',
  ])
    expect(packed).toContain(file);
  expect(packed.some((file) => file.startsWith('agent-room-example/tasks/'))).toBe(true);
  const strays = packed.filter(
    (file) =>
      !/^(dist\/(.+\.(c?js|cjs\.map|d\.ts)|bin\/turn-path\/taskroom|licenses\.txt|web\/(index\.html|assets\/[\w-]+\.(css|svg)))|agent-room-example\/.+|docs\/.+\.md|schemas\/[a-z]+\.schema\.json|[^/]+)$/.test(
        file,
      ),
  );
  expect(strays).toEqual([]);
  expect(size).toBeLessThan(3_000_000);
  // Of types those of the library alone, in one file.
  expect(packed.filter((file) => file.endsWith('.d.ts'))).toEqual(['dist/index.d.ts']);
  // What agents call can be run.
  expect(programs).toContain('dist/bin/turn-path/taskroom');
  expect(packed.filter((file) => /^(src|test|scripts)\/|\.taskroom\/|\.test\./.test(file))).toEqual([]);
});

test('pages of the docs that the program names are in the tarball', async () => {
  const sources = await readdir(path.join(ROOT, 'src'), { recursive: true });
  const named = new Set<string>();
  for (const file of sources.filter((name) => name.endsWith('.ts'))) {
    const text = await readFile(path.join(ROOT, 'src', file), 'utf8');
    const strings = text.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '');
    for (const [page] of strings.matchAll(/\bdocs\/[a-z-]+\.md\b/g)) named.add(page);
  }
  expect(named.size).toBeGreaterThan(1);
  for (const page of named) expect(packed).toContain(page);
});

test('it is not installed where it does not run', async () => {
  const manifest = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
  expect(manifest.os).toEqual(['linux', 'darwin']);
  const readme = await readFile(path.join(ROOT, 'README.md'), 'utf8');
  expect(readme).toMatch(/Linux, macOS/);
  // `^22.22.2 || ^24.15.0 || >=26`, in a sentence.
  const [oldest, middle, newest] = manifest.engines.node.match(/\d[\d.]*/g);
  expect(readme).toContain(
    `Node ${oldest} or newer of ${oldest.split('.')[0]}, ${middle.replace(/\.0$/, '')} or newer of ${middle.split('.')[0]}, or ${newest} and up`,
  );
});

test('publint finds nothing', async () => {
  const bytes = await readFile(tarball);
  const archive = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const { messages, pkg } = await publint({ pack: { tarball: archive }, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([]);
});

/** A program in TypeScript knows what operations take and answer, with nothing but the package and Node's own types. */
async function checkTypes(home: string): Promise<void> {
  const text = [
    `import { createNodeEffects, openRuntime } from 'taskroom';`,
    `const room = await openRuntime('.', createNodeEffects());`,
    `const { tasks } = await room.tasks.call('list', { owner: 'me' }, { kind: 'person' });`,
    `export const status: 'draft' | 'todo' | 'doing' | 'done' | 'canceled' = tasks[0]!.status;`,
    `// @ts-expect-error a status is no number`,
    `export const none: number = tasks[0]!.status;`,
    `// @ts-expect-error no such input`,
    `await room.tasks.call('list', { ownr: 'me' }, { kind: 'person' });`,
  ];
  await writeFile(path.join(home, 'use-types.mts'), text.join('\n'));
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  const types = path.join(ROOT, 'node_modules/@types');
  const ran = run(process.execPath, [tsc, ...options, '--typeRoots', types, 'use-types.mts'], { cwd: home });
  const said = await ran.then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout,
  );
  expect(said).toBe('');
}

/** Run by a Node that is too old, the program prints a line after which it answers. */
async function mendOldNode(home: string, range: string): Promise<void> {
  const old = ['/usr/bin', '/usr/local/bin'].find((dir) => {
    const version =
      existsSync(`${dir}/node`) && execFileSync(`${dir}/node`, ['--version'], { encoding: 'utf8' });
    return version !== false && !fitsRange(version.trim(), range);
  });
  if (old === undefined) return console.error('SKIPPED: no Node here is too old, so none was mended');
  const env = { ...process.env, PATH: `${old}:/usr/bin:/bin` };
  const program = path.join(home, 'node_modules/taskroom/dist/bin/bin.cjs');
  const version = () => run(`${old}/node`, [program, '--version'], { cwd: home, env });
  const refused = await version().catch((error: { stderr: string }) => error);
  const [line] = /^ +npm install .*$/m.exec(refused.stderr) ?? [];
  expect(line).toBeDefined();
  await run('/bin/sh', ['-c', line!], { cwd: tmpdir(), env });
  expect(await version()).toMatchObject({ stdout: expect.stringMatching(/^\d+\.\d+/), stderr: '' });
}

test('it installs in an empty folder and its program answers', async ({ skip }) => {
  if (!(await registryAnswers())) {
    console.error('SKIPPED: the package registry does not answer, so the installed tarball was NOT tried');
    skip('the package registry does not answer');
  }
  const home = path.join(folder, 'empty');
  await mkdir(home);
  await writeFile(path.join(home, 'package.json'), '{"private":true}\n');
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', tarball], { cwd: home });
  // What a user gets is only the dependencies: no pinned Node, no compiler.
  const installed = await readdir(path.join(home, 'node_modules'));
  expect(installed).not.toContain('typescript');
  expect(existsSync(path.join(home, 'node_modules/node'))).toBe(false);

  await checkTypes(home);
  const program = path.join(home, 'node_modules/.bin/taskroom');
  const manifest = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
  const version = await run(program, ['--version'], { cwd: home });
  expect(version.stdout.trim()).toBe(manifest.version);
  const help = await run(program, ['--help'], { cwd: home });
  expect(help.stdout).toMatch(/^Usage: taskroom/m);
  const use = path.join(home, 'use-room.mjs');
  await copyFile(path.join(ROOT, 'test/fixtures/library/use-room.mjs'), use);
  const room = path.join(home, 'room');
  await run(program, ['init', room], { cwd: home });
  await writeFile(path.join(room, 'room.yaml'), 'default_agent: shell\n');
  await mkdir(path.join(room, 'agents/shell'));
  const agent = { runner: 'command', command: ['/bin/sh', '-c', 'taskroom progress "half way"'] };
  await writeFile(path.join(room, 'agents/shell/agent.json'), JSON.stringify(agent));
  const used = await run(process.execPath, [use, room], { cwd: home });
  expect(JSON.parse(used.stdout)).toMatchObject({ tasks: ['Hello high'], turns: 1, failed: 0 });
  await mendOldNode(home, manifest.engines.node);
}, 300_000);
