// Disks that are full or may not be written: told, harmless, and over when mended.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRoom, SETTINGS, until } from './room.ts';

const QUICK = [...SETTINGS, 'sweep: 1s'];

/** A small disk of its own, or null where we may not mount one. */
function mountDisk(size: string): string | null {
  const dir = fs.mkdtempSync(join(tmpdir(), 'taskroom-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0777`, 'tmpfs', dir], { stdio: 'pipe' });
  } catch {
    fs.rmSync(dir, { recursive: true });
    return null;
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', dir]);
    fs.rmSync(dir, { recursive: true });
  });
  return dir;
}

function noDisk(skip: (note: string) => void): void {
  console.error('SKIPPED: no small disk can be mounted here, so a full or read-only disk was NOT tried');
  skip('no disk can be mounted');
}

let fillers = 0;
const fillDisk = (dir: string) => {
  // A test that took too long may have lost its small disk: the machine's own is never filled.
  const { blocks, bsize } = fs.statfsSync(dir);
  if (blocks * bsize > 64 << 20) throw new Error(`${dir} is no small disk any more`);
  try {
    for (let size = 1 << 20; size >= 512; size >>= 1) {
      try {
        for (;;) fs.writeFileSync(join(dir, `filler-${fillers++}`), Buffer.alloc(size));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    for (const name of fs.readdirSync(dir))
      if (/^filler/.test(name) && fs.statSync(join(dir, name)).size === 0) fs.rmSync(join(dir, name));
  }
};
const freeDisk = (dir: string) => {
  for (const name of fs.readdirSync(dir)) if (name.startsWith('filler')) fs.rmSync(join(dir, name));
};

/** What a person would miss: every file of the room but our own records, with its text. */
function filesOf(dir: string): Record<string, string> {
  const names = fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)))
    .filter((name) => !/^\.taskroom\/(?!attic)/.test(name));
  return Object.fromEntries(names.sort().map((name) => [name, fs.readFileSync(join(dir, name), 'utf8')]));
}

const WORDS = 'y'.repeat(5_000);

/** What a person changes with, each on a task of its own. */
const CHANGES: ((name: string) => string[])[] = [
  (name) => ['comment', name, WORDS],
  (name) => ['progress', name, WORDS],
  (name) => ['outcome', name, WORDS],
  (name) => ['set', name, `title=${WORDS}`],
  (name) => ['pause', name, '--reason', WORDS],
  (name) => ['done', name],
  (name) => ['delete', name],
  () => ['new', 'Another', WORDS, '--draft'],
  () => ['archive', 'Over'],
];

/** Gives a full disk back this much. */
function freeSome(dir: string, kiB: number): void {
  let left = kiB * 1024;
  const sizes = fs
    .readdirSync(dir)
    .filter((name) => name.startsWith('filler'))
    .map((name) => ({ name, size: fs.statSync(join(dir, name)).size }))
    .sort((a, b) => b.size - a.size);
  for (const { name, size } of sizes) {
    if (left <= 0) return;
    fs.truncateSync(join(dir, name), Math.max(0, size - left));
    left -= size;
  }
}

describe('a disk', () => {
  test('that is full: told, nothing torn or lost, and work goes on when there is room again', async ({
    skip,
  }) => {
    const disk = mountDisk('8m');
    if (disk === null) return noDisk(skip);
    const full = await createRoom(disk);
    full.settings(...QUICK);
    onTestFinished(() => full.close());
    full.gate('One');
    full.save('tasks/One.md', '---\nid: one1\n---\nOne.\n');
    const daemon = await full.up();
    await daemon.see('turn.started', { name: 'One' });
    await until('the agent has started', () => full.agentLog().length === 1);
    const before = full.read('tasks/One.md');
    const mark = daemon.mark();
    fillDisk(disk);
    const refused = await full.run(['progress', 'One', 'x'.repeat(20_000)]);
    expect(refused.code).toBe(6);
    expect(refused.stderr).toMatch(/full|ENOSPC|no space/i);
    expect(full.read('tasks/One.md')).toBe(before);
    // Whatever a command wants to write, it is the disk that is named, and the file is whole.
    for (const command of [
      ['comment', 'One', 'y'.repeat(5_000)],
      ['done', 'One'],
      ['new', 'Another'],
      ['run', 'One'],
    ]) {
      const ran = await full.run(command);
      expect({ command, code: ran.code, stderr: ran.stderr }).toMatchObject({
        code: 6,
        stderr: expect.not.stringContaining('bug of taskroom'),
      });
    }
    expect(full.read('tasks/One.md')).toBe(before);
    full.open('One', 'pipe=');
    const { message } = await daemon.see('room.trouble', {}, mark);
    expect(String(message)).not.toContain('bug:');
    freeDisk(disk);
    await daemon.see('turn.ended', { name: 'One', state: 'completed' }, mark);
    full.save('tasks/Two.md', 'Two.\n');
    await daemon.see('turn.ended', { name: 'Two', state: 'completed' }, mark);
    await daemon.see('room.mended', {}, mark);
    expect(daemon.all('turn.started', { name: 'One' })).toHaveLength(1);
    expect(fs.readdirSync(full.at('tasks')).sort()).toEqual(['One.md', 'Two.md']);
    expect(daemon.all('room.trouble').filter((event) => String(event.message).startsWith('bug:'))).toEqual(
      [],
    );
  });

  test('that is full: each command that changes a task names the disk and leaves every file whole', async ({
    skip,
  }) => {
    const disk = mountDisk('8m');
    if (disk === null) return noDisk(skip);
    const full = await createRoom(disk);
    onTestFinished(() => full.close());
    for (const name of CHANGES.map((_, at) => `Task ${at}`))
      full.save(`tasks/${name}.md`, `---\nid: ${name.replace(' ', '')}x\nstatus: draft\n---\n${name}.\n`);
    full.save('tasks/Over.md', '---\nid: over1\nstatus: done\n---\nOver.\n');
    await full.ok('once');
    const todo = new Map(CHANGES.map((command, at) => [`Task ${at}`, command(`Task ${at}`)]));
    fillDisk(disk);
    let refused = 0;
    // From nothing to a little: each step of a write is once the one that finds no room.
    for (const freeKiB of [0, 4, 8, 16, 24, 32, 48, 64, 96, 128]) {
      freeSome(disk, freeKiB);
      for (const [name, command] of todo) {
        const before = filesOf(full.dir);
        const ran = await full.run([...command, '--json']);
        const what = { command, freeKiB, code: ran.code, stderr: ran.stderr };
        if (ran.code === 0) todo.delete(name);
        else {
          expect(what).toMatchObject({
            code: 6,
            stderr: expect.stringMatching(/full|ENOSPC|no space|free space/i),
          });
          expect(JSON.parse(ran.stderr)).toMatchObject({ error: { code: 'io' } });
          expect({ ...what, files: filesOf(full.dir) }).toEqual({ ...what, files: before });
          refused += 1;
        }
        fillDisk(disk);
        freeSome(disk, freeKiB);
      }
    }
    expect(refused).toBeGreaterThan(CHANGES.length);
    freeDisk(disk);
    for (const command of todo.values()) await full.ok(...command);
    expect((await full.json('list')).invalid).toEqual([]);
  });

  test('that may only be read: nothing runs or changes there, and each command says why', async ({
    skip,
  }) => {
    const disk = mountDisk('8m');
    if (disk === null) return noDisk(skip);
    const fixed = await createRoom(disk);
    onTestFinished(() => fixed.close());
    fixed.save('tasks/One.md', '---\nid: one1\n---\nOne.\n');
    expect((await fixed.run(['once'])).code).toBe(0);
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    onTestFinished(() => void execFileSync('mount', ['-o', 'remount,rw', disk]));
    for (const command of [['up'], ['once'], ['list'], ['progress', 'One', 'x'], ['new', 'Two']]) {
      const ran = await fixed.run(command);
      expect({ command, code: ran.code, stderr: ran.stderr }).toMatchObject({
        code: 6,
        stderr: expect.stringMatching(/ledger\.db|read-only/),
      });
    }
  });
});
