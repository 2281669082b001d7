import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Effects } from '../../../src/effects.ts';
import { createNodeEffects } from '../../../src/node.ts';
import {
  EMPTY_REST_MS,
  GIVE_UP_MS,
  hashBytes,
  REST_MS,
  readStable,
} from '../../../src/store/write/stable-read.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let dir: string;
beforeEach(() => {
  dir = tempFolder('taskroom-read');
});

const MOMENT = Date.UTC(2026, 0, 5);

/** A clock that moves only when something sleeps; each sleep may change the file. */
function handEffects(
  onSleep: (count: number, delayMs: number) => void = () => {},
): Effects & { slept: number[] } {
  const slept: number[] = [];
  let at = 0;
  return {
    ...createNodeEffects({}),
    slept,
    now: () => MOMENT + at,
    monotonicMs: () => at,
    setTimer(delayMs, run) {
      slept.push(delayMs);
      at += delayMs;
      onSleep(slept.length, delayMs);
      queueMicrotask(run);
      return { cancel: () => undefined };
    },
  };
}

/** Writes a text whose time of change lies `ageMs` before the hand clock's start. */
function put(path: string, text: string | Uint8Array, ageMs: number): void {
  fs.writeFileSync(path, text);
  fs.utimesSync(path, (MOMENT - ageMs) / 1000, (MOMENT - ageMs) / 1000);
}

const foreign = () => false;
const whole = (text: string) => ({ ok: true, text, unstable: false });

test('a text that rested is read at once', async () => {
  const path = join(dir, 'a.md');
  put(path, 'hello\n', 1_000);
  const effects = handEffects();
  const read = await readStable(path, { effects, isOurs: foreign });
  expect(read).toMatchObject({ ...whole('hello\n'), hash: hashBytes(Buffer.from('hello\n')) });
  const { ctimeMs, ino } = fs.statSync(path);
  expect(read?.stat).toEqual({ size: 6, mtimeMs: MOMENT - 1_000, ctimeMs, ino });
  expect(effects.slept).toEqual([]);
});

test('a text saved a moment ago is waited for, our own is not', async () => {
  const path = join(dir, 'a.md');
  put(path, 'hello\n', 5);
  const effects = handEffects();
  await readStable(path, { effects, isOurs: foreign });
  expect(effects.slept.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(REST_MS - 5, 0);
  const own = handEffects();
  await readStable(path, { effects: own, isOurs: (hash) => hash === hashBytes(Buffer.from('hello\n')) });
  expect(own.slept).toEqual([]);
});

test('a file written in pieces is read whole', async () => {
  const path = join(dir, 'a.md');
  put(path, 'one\n', 0);
  const pieces = ['two\n', 'three\n', 'four\n'];
  const effects = handEffects((count) => {
    const piece = pieces[count - 1];
    if (piece === undefined) return;
    fs.appendFileSync(path, piece);
    fs.utimesSync(path, (MOMENT + 10 * count) / 1000, (MOMENT + 10 * count) / 1000);
  });
  const read = await readStable(path, { effects, isOurs: foreign });
  expect(read).toMatchObject(whole('one\ntwo\nthree\nfour\n'));
});

test('a truncated file gets time to be written', async () => {
  const path = join(dir, 'a.md');
  put(path, '', 40);
  const effects = handEffects((count) => {
    if (count === 1) put(path, 'written after all\n', -30);
  });
  expect(await readStable(path, { effects, isOurs: foreign })).toMatchObject({
    ok: true,
    text: 'written after all\n',
  });
  put(path, '', 40);
  const patient = handEffects();
  expect(await readStable(path, { effects: patient, isOurs: () => true })).toMatchObject(whole(''));
  expect(patient.slept.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(EMPTY_REST_MS - 40, 0);
});

test('a time in the future does not hang it', async () => {
  const path = join(dir, 'a.md');
  put(path, 'hello\n', -86_400_000);
  const effects = handEffects();
  expect(await readStable(path, { effects, isOurs: foreign })).toMatchObject(whole('hello\n'));
  expect(effects.slept.reduce((sum, ms) => sum + ms, 0)).toBe(REST_MS);
});

test('a file that never rests is handed out marked, after a bounded time', async () => {
  const path = join(dir, 'a.md');
  put(path, 'x', 0);
  const effects = handEffects((count) => put(path, 'x'.repeat(count + 1), -count * 20));
  const read = await readStable(path, { effects, isOurs: foreign });
  expect(read).toMatchObject({ ok: true, unstable: true });
  expect(effects.monotonicMs()).toBeGreaterThanOrEqual(GIVE_UP_MS);
  expect(effects.monotonicMs()).toBeLessThan(GIVE_UP_MS + 200);
});

test('what is no readable text is told with a reason', async () => {
  const options = { effects: handEffects(), isOurs: foreign, shownAs: 'tasks/a.md' };
  const reason = async (path: string) => {
    const read = await readStable(path, options);
    return read && !read.ok ? read.problems.map((one) => `${one.path}: ${one.message}`).join() : read;
  };
  expect(await reason(join(dir, 'nothing.md'))).toBeNull();
  fs.mkdirSync(join(dir, 'folder.md'));
  expect(await reason(join(dir, 'folder.md'))).toContain('is a folder');
  execFileSync('mkfifo', [join(dir, 'pipe.md')]);
  expect(await reason(join(dir, 'pipe.md'))).toContain('is not a regular file');
  fs.symlinkSync('pipe.md', join(dir, 'to-pipe.md'));
  expect(await reason(join(dir, 'to-pipe.md'))).toContain('is not a regular file');
  fs.symlinkSync('missing', join(dir, 'dangling.md'));
  expect(await reason(join(dir, 'dangling.md'))).toContain('symlink to nothing');
  put(join(dir, 'binary.md'), Uint8Array.of(0x61, 0xff, 0xfe), 1_000);
  expect(await reason(join(dir, 'binary.md'))).toMatch(/^tasks\/a\.md: .*UTF-8/);
  put(join(dir, 'nul.md'), 'a\0b', 1_000);
  expect(await reason(join(dir, 'nul.md'))).toContain('NUL');
  put(join(dir, 'plain.md'), 'x', 1_000);
  expect(await reason(join(dir, 'plain.md', 'below.md'))).toBeNull();
});

test('a file above 1 MiB is not read, and a change of it gives another hash', async () => {
  const path = join(dir, 'big.md');
  put(path, '', 1_000);
  fs.truncateSync(path, 1024 * 1024 * 1024 * 8);
  const options = { effects: handEffects(), isOurs: foreign };
  const first = await readStable(path, options);
  expect(first?.ok === false && first.problems[0]?.message).toMatch(/larger than 1 MiB/);
  fs.truncateSync(path, 1024 * 1024 * 1024 * 9);
  expect((await readStable(path, options))?.hash).not.toBe(first?.hash);
});

test('a symlink is followed, an abort stops the wait', async () => {
  const path = join(dir, 'a.md');
  put(path, 'hello\n', 1_000);
  fs.symlinkSync('a.md', join(dir, 'link.md'));
  expect(await readStable(join(dir, 'link.md'), { effects: handEffects(), isOurs: foreign })).toMatchObject({
    text: 'hello\n',
  });
  const stop = new AbortController();
  put(path, 'hello\n', 0);
  const effects = handEffects(() => stop.abort());
  const waiting = readStable(path, { effects, isOurs: foreign, signal: stop.signal });
  await expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
});
