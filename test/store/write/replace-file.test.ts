import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createNodeEffects } from '../../../src/node.ts';
import {
  cleanTemps,
  dropStaged,
  type Expected,
  type Replaced,
  stageFile,
  swapIn,
} from '../../../src/store/write/replace-file.ts';
import { hashBytes } from '../../../src/store/write/stable-read.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let dir: string;
let keepDir: string;
beforeEach(() => {
  dir = tempFolder('taskroom-atomic');
  keepDir = join(dir, '.taskroom', 'keep');
});

const effects = createNodeEffects({});
const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');

function seen(path: string): { hash: string; ino: number } {
  return { hash: hashBytes(fs.readFileSync(path)), ino: fs.statSync(path).ino };
}

function replaceKept(path: string, bytes: Uint8Array, expected: Expected | null): Replaced {
  const staged = stageFile(path, bytes, effects);
  try {
    return swapIn(staged, expected, keepDir, effects);
  } finally {
    dropStaged(staged);
  }
}

const visible = (): string[] => fs.readdirSync(dir).filter((name) => name !== '.taskroom');

test('replaces a file, keeps the old inode, leaves nothing else', () => {
  const path = join(dir, 'a.md');
  fs.writeFileSync(path, 'old');
  const expected = seen(path);
  const result = replaceKept(path, bytes('new'), expected);
  expect(fs.readFileSync(path, 'utf8')).toBe('new');
  if (!result?.oldInode) throw new Error('not replaced');
  expect(result.oldInode.startsWith(keepDir)).toBe(true);
  expect(fs.statSync(result.oldInode).ino).toBe(expected.ino);
  expect(fs.readFileSync(result.oldInode, 'utf8')).toBe('old');
  expect(result.windowEndMs).toBeGreaterThan(result.windowStartMs);
  expect(Math.abs(result.windowEndMs - Date.now())).toBeLessThan(1_000);
  expect(visible()).toEqual(['a.md']);
});

test('a changed, swapped or vanished file is left alone', () => {
  const path = join(dir, 'a.md');
  fs.writeFileSync(path, 'old');
  const expected = seen(path);
  fs.writeFileSync(path, 'typed');
  expect(replaceKept(path, bytes('new'), expected)).toBeNull();
  expect(fs.readFileSync(path, 'utf8')).toBe('typed');
  fs.writeFileSync(join(dir, 'b.md'), 'old');
  fs.renameSync(join(dir, 'b.md'), path);
  expect(replaceKept(path, bytes('new'), expected)).toBeNull();
  expect(fs.readFileSync(path, 'utf8')).toBe('old');
  fs.rmSync(path);
  expect(replaceKept(path, bytes('new'), expected)).toBeNull();
  expect(visible()).toEqual([]);
  expect(fs.readdirSync(keepDir)).toEqual([]);
});

test('mode and owner stay, a symlink stays a symlink', () => {
  const path = join(dir, 'a.md');
  fs.mkdirSync(join(dir, 'real'));
  fs.writeFileSync(join(dir, 'real', 'b.md'), 'old');
  fs.chmodSync(join(dir, 'real', 'b.md'), 0o640);
  const asRoot = process.getuid?.() === 0;
  if (asRoot) fs.chownSync(join(dir, 'real', 'b.md'), 12, 34);
  fs.symlinkSync('real/b.md', path);
  const result = replaceKept(path, bytes('new'), seen(path));
  expect(result).not.toBeNull();
  expect(fs.lstatSync(path).isSymbolicLink()).toBe(true);
  expect(fs.readFileSync(join(dir, 'real', 'b.md'), 'utf8')).toBe('new');
  const stat = fs.statSync(path);
  expect(stat.mode & 0o777).toBe(0o640);
  if (asRoot) expect([stat.uid, stat.gid]).toEqual([12, 34]);
  expect(fs.readdirSync(join(dir, 'real'))).toEqual(['b.md']);
});

test('a name of 255 bytes can be written', () => {
  const path = join(dir, `${'ä'.repeat(126)}.md`);
  expect(replaceKept(path, bytes('one'), null)).not.toBeNull();
  expect(replaceKept(path, bytes('two'), seen(path))).not.toBeNull();
  expect(fs.readFileSync(path, 'utf8')).toBe('two');
});

test('only old temp files of ours are cleaned', () => {
  const old = Date.now() / 1000 - 3_600;
  const names = ['.a.md.0123456789ab.tmp', '.b.md.0123456789ab.tmp', '.c.md.tmp', 'd.md.0123456789ab.tmp'];
  for (const name of names) fs.writeFileSync(join(dir, name), 'x');
  for (const name of names) if (!name.startsWith('.b')) fs.utimesSync(join(dir, name), old, old);
  expect(cleanTemps(dir, Date.now())).toBe(1);
  expect(visible().sort()).toEqual(names.slice(1).sort());
  expect(cleanTemps(join(dir, 'nowhere'), Date.now())).toBe(0);
});

/** Runs `body` with a fresh mount at a folder, or says that this machine allows none. */
function mounted(skip: (note: string) => void, args: string[], body: (at: string) => void): void {
  const at = join(dir, 'mount');
  fs.mkdirSync(at);
  try {
    execFileSync('mount', [...args, at], { stdio: 'pipe' });
  } catch (error) {
    return skip(`mounting is not allowed here: ${(error as Error).message.trim()}`);
  }
  try {
    body(at);
  } finally {
    execFileSync('umount', ['-l', at]);
  }
}

describe('a disk that says no', () => {
  test('full: an io error that says so, the file as it was, no temp', ({ skip }) => {
    mounted(skip, ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs'], (at) => {
      const path = join(at, 'a.md');
      fs.writeFileSync(path, 'old');
      const write = () => replaceKept(path, bytes('x'.repeat(200_000)), seen(path));
      expect(write).toThrow(
        expect.objectContaining({ code: 'io', message: expect.stringMatching(/a\.md.*ENOSPC/s) }),
      );
      expect(fs.readFileSync(path, 'utf8')).toBe('old');
      expect(fs.readdirSync(at)).toEqual(['a.md']);
    });
  });

  test('another device: the old inode is kept beside the file, hidden', ({ skip }) => {
    mounted(skip, ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs'], (at) => {
      const path = join(at, 'a.md');
      fs.writeFileSync(path, 'old');
      const result = replaceKept(path, bytes('new'), seen(path));
      if (!result?.oldInode) throw new Error('not kept');
      expect(result.oldInode).toMatch(/mount\/\.[0-9a-f]+\.kept$/);
      expect(fs.readFileSync(result.oldInode, 'utf8')).toBe('old');
    });
  });

  test('read-only: an io error that says so', ({ skip }) => {
    mounted(skip, ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs'], (at) => {
      const path = join(at, 'a.md');
      fs.writeFileSync(path, 'old');
      execFileSync('mount', ['-o', 'remount,ro', at]);
      const write = () => replaceKept(path, bytes('new'), seen(path));
      expect(write).toThrow(
        expect.objectContaining({ code: 'io', hint: expect.stringContaining('read-only') }),
      );
      expect(fs.readFileSync(path, 'utf8')).toBe('old');
    });
  });
});

test('a folder that is gone is an io error, a folder renamed after staging is a change', () => {
  expect(() => replaceKept(join(dir, 'no', 'a.md'), bytes('x'), null)).toThrow(
    expect.objectContaining({ code: 'io' }),
  );
  const tasks = join(dir, 'tasks');
  fs.mkdirSync(tasks);
  fs.writeFileSync(join(tasks, 'a.md'), 'old');
  const expected = seen(join(tasks, 'a.md'));
  const staged = stageFile(join(tasks, 'a.md'), bytes('new'), effects);
  fs.renameSync(tasks, join(dir, 'moved'));
  expect(swapIn(staged, expected, keepDir, effects)).toBeNull();
  expect(fs.readFileSync(join(dir, 'moved', 'a.md'), 'utf8')).toBe('old');
});

test('a hard link made by somebody else does not stop a write', () => {
  const path = join(dir, 'a.md');
  fs.writeFileSync(path, 'old');
  const expected = seen(path);
  fs.linkSync(path, join(dir, 'backup'));
  expect(replaceKept(path, bytes('new'), expected)).not.toBeNull();
  expect(fs.readFileSync(join(dir, 'backup'), 'utf8')).toBe('old');
  expect(fs.existsSync(keepDir)).toBe(true);
});
