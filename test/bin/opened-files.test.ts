// What a command loads, as V8 saw it: few files of ours and of packages, whatever the sources are made of.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';

const PROGRAM = path.resolve(import.meta.dirname, '../../dist/bin/bin.cjs');
// A changing command opens at most this many, the manifest that says which Node fits among them.
const MOST = 30;

let room: string;

beforeAll(() => {
  room = tempFolder('taskroom-opened');
  mkdirSync(path.join(room, 'tasks'));
  writeFileSync(path.join(room, 'room.yaml'), 'default_agent: runbook\n');
  writeFileSync(path.join(room, 'tasks/One.md'), '---\nid: one11111\n---\n');
});

function filesLoadedBy(program: string, ...args: string[]): string[] {
  const folder = mkdtempSync(path.join(room, 'coverage-'));
  const env = { ...process.env, NODE_V8_COVERAGE: folder };
  execFileSync(process.execPath, [program, ...args], { env });
  const reports = readdirSync(folder).map((file) => readFileSync(path.join(folder, file), 'utf8'));
  const urls = reports.flatMap((text) =>
    (JSON.parse(text).result as { url: string }[]).map(({ url }) => url),
  );
  return [...new Set(urls)].filter((url) => url.startsWith('file:'));
}

// What a command reads of code, in kilobytes: a parser or a schema drawn into a chunk of every command shows here.
test.each([
  // Reads the front matter with the YAML parser to add a key to it.
  { args: ['set', 'One', 'priority=high'], most: 1250 },
  { args: ['comment', 'One', 'hello'], most: 1000 },
  { args: ['pause', 'One'], most: 1000 },
  { args: ['done', 'One'], most: 1000 },
  { args: ['list'], most: 860 },
  // These ask the settings, and with them the schemas.
  { args: ['new', 'Two'], most: 1450 },
  { args: ['show', 'One'], most: 1620 },
])('$args', ({ args, most }) => {
  // Which agents can run is looked up once, and kept.
  filesLoadedBy(PROGRAM, ...args, '--room', room);
  const again = args.map((word) => (word === 'Two' ? 'Three' : word));
  const files = filesLoadedBy(PROGRAM, ...again, '--room', room);
  expect(files).toContainEqual(expect.stringContaining('/dist/bin/bin.cjs'));
  expect(files.length).toBeLessThan(MOST);
  expect(kilobytesOf(files)).toBeLessThan(most);
});

function kilobytesOf(files: readonly string[]): number {
  return files.reduce((sum, url) => sum + statSync(fileURLToPath(url)).size, 0) / 1024;
}

// An agent calls it often: it opens neither room nor ledger, and loads nothing of them.
test.each([
  { args: ['progress', 'Half done.'] },
  { args: ['step', '1'] },
  { args: ['done', '--outcome', 'It works.'] },
])("a turn's program: $args", ({ args }) => {
  const bridge = path.join(room, '.taskroom/turns/b11111111/bridge');
  for (const folder of ['requests', 'taken', 'answers'])
    mkdirSync(path.join(bridge, folder), { recursive: true });
  writeFileSync(path.join(bridge, 'token'), 'secret\n');
  writeFileSync(path.join(bridge, 'caller.json'), '{"task":"one11111"}\n');
  const program = path.resolve(import.meta.dirname, '../../dist/bin/bin-turn.cjs');
  // Nobody runs the room: it is written down.
  const files = filesLoadedBy(program, '--bridge', bridge, ...args);
  expect(files).toContain(pathToFileURL(program).href);
  expect(files.map((url) => path.basename(url))).not.toContain('room.cjs');
  expect(files.length).toBeLessThanOrEqual(6);
  expect(kilobytesOf(files)).toBeLessThan(310);
});
