// The launcher, on a made-up package whose `engines` ask for a Node that is not the one running.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { tempFolder } from '../support/temp-folder.ts';

const SRC = path.resolve(import.meta.dirname, '../../src');
const LAUNCHER = ['bin/bin.ts', 'cli/another-node.ts', 'cli/node-version.ts'];

let root: string;
let otherNode: string;

beforeEach(() => {
  root = tempFolder('taskroom-bin');
  for (const folder of ['bin', 'cli']) mkdirSync(path.join(root, 'dist', folder), { recursive: true });
  for (const file of LAUNCHER) cpSync(path.join(SRC, file), path.join(root, 'dist', file));
  otherNode = path.join(root, 'node_modules/node/bin/node');
  mkdirSync(path.dirname(otherNode), { recursive: true });
  writeMain(`return 0;`);
  writeEngines('>=9000');
});

function writeEngines(range: string): void {
  writeFileSync(
    path.join(root, 'package.json'),
    JSON.stringify({ type: 'module', engines: { node: range } }),
  );
}

function writeMain(body: string): void {
  const text = `export async function main(argv: string[]): Promise<number> { ${body} }\n`;
  writeFileSync(path.join(root, 'dist/cli/main.ts'), text);
  writeFileSync(path.join(root, 'dist/bin/bin-rooms.ts'), 'export const ROOMS = {};\n');
}

/** A program that says it is Node 9001 and runs `script` in the shell for everything else. */
function writeOtherNode(script: string): void {
  writeFileSync(otherNode, `#!/bin/sh\nif [ "$1" = -p ]; then echo 9001.0.0; exit; fi\n${script}\n`);
  chmodSync(otherNode, 0o755);
}

function start(...args: string[]) {
  const bin = path.join(root, 'dist/bin/bin.ts');
  const child = spawn(process.execPath, [bin, ...args], { env: { ...process.env, PATH: '/usr/bin:/bin' } });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    said.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said.stderr += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...said }));
  return { child, ended };
}

test('on a Node that fits, main gets the arguments and its number is the exit code', async () => {
  writeEngines('>=22');
  writeMain(`console.log(JSON.stringify(argv)); return 7;`);
  const result = await start('list', '--json', 'a b').ended;
  expect(result).toMatchObject({ code: 7, stdout: '["list","--json","a b"]\n', stderr: '' });
});

test('an error that main did not expect shows its stack and fails', async () => {
  writeEngines('>=22');
  writeMain(`throw new TypeError('a bug');`);
  const result = await start().ended;
  expect(result.code).toBe(1);
  expect(result.stderr).toMatch(/TypeError: a bug\n\s+at main/);
});

describe.skipIf(process.platform === 'win32')('on a Node that is too old', () => {
  test('another one runs the same command line, and its exit code is ours', async () => {
    writeOtherNode('shift; printf "%s|" "$@"; cat; exit 5');
    const { child, ended } = start('comment', 'a b', '');
    child.stdin.end('from stdin');
    expect(await ended).toMatchObject({ code: 5, stdout: 'comment|a b||from stdin', stderr: '' });
  });

  test('death by a signal stays death by that signal', async () => {
    writeOtherNode('kill -9 $$');
    expect(await start().ended).toMatchObject({ code: null, signal: 'SIGKILL' });
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s is passed on', async (signal) => {
    // `read` waits on our stdin, which stays open: the trap alone can end it.
    const name = signal.slice(3);
    writeOtherNode(
      `trap 'echo got ${name}; exit 9' ${name}; echo ready; while :; do read line || exit 8; done`,
    );
    const { child, ended } = start();
    await once(child.stdout, 'data');
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 9, stdout: `ready\ngot ${name}\n` });
  });

  test('and none fits: what is needed, what was found, how to mend it', async () => {
    writeFileSync(otherNode, '#!/bin/sh\necho 12.22.0\n');
    chmodSync(otherNode, 0o755);
    const result = await start('list').ended;
    expect(result.code).toBe(1);
    expect(result.stdout).toBe('');
    expect(result.stderr).toContain('taskroom needs Node >=9000');
    expect(result.stderr).toContain(`${process.execPath} is ${process.versions.node}`);
    expect(result.stderr).toMatch(/node_modules\/node\/bin\/node is 12\.22\.0/);
    expect(result.stderr).toMatch(/npm install --no-save --prefix ".*" node@24/);
  });
});

const NEWER_THAN_2019 =
  /"type":"(ChainExpression|AwaitExpression|StaticBlock|PrivateIdentifier)"|"operator":"(\?\?|\?\?=|\|\|=|&&=)"/;

test('the launcher keeps to a language that old Nodes parse', () => {
  for (const file of LAUNCHER) {
    const text = readFileSync(path.join(SRC, file), 'utf8');
    expect(JSON.stringify(parseAst(text, { lang: 'ts' })), file).not.toMatch(NEWER_THAN_2019);
    const imports = [...text.matchAll(/^import .* from '(.*)';$/gm)].map((match) => match[1]);
    expect(
      imports.filter((name) => !name?.startsWith('node:') && !name?.endsWith('/node-version.ts')),
    ).toEqual([]);
  }
});

test('and so does what is built of it, with all that it loads at once', () => {
  const open = [path.resolve(import.meta.dirname, '../../dist/bin/bin.cjs')];
  const seen = new Set<string>();
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    expect(JSON.stringify(parseAst(text, { lang: 'js' })), file).not.toMatch(NEWER_THAN_2019);
    for (const [, target] of text.matchAll(/^(?:let|const) \w+ = require\("(\..+?)"\);$/gm))
      open.push(path.resolve(path.dirname(file), target!));
  }
  expect(seen.size).toBeLessThan(5);
});
