// How programs save files, and what else lies about in a folder of tasks.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Daemon } from './daemon.ts';
import { room } from './each-room.ts';

let daemon: Daemon;
const PATH = 'tasks/Write.md';
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Another process that saves `PATH` in place. */
function openEditor() {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'editor.ts'), room.at(PATH)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  return async (words: string) => {
    child.stdin.write(`${words}\n`);
    await once(child.stdout, 'data');
  };
}

/** The prompt that the last turn of the task got. */
const prompt = (turn: unknown): string => room.read(`.taskroom/turns/${turn}/prompt.md`);

const starts = (name = 'Write') => daemon.all('turn.started', { name });

describe('a save', () => {
  test('by truncating and writing, and by rename from a file beside it, is one turn each', async () => {
    daemon = await room.up();
    fs.writeFileSync(room.at(PATH), 'First words.\n');
    const first = await daemon.see('turn.ended', { name: 'Write' });
    expect(prompt(first.turn)).toContain('First words.');
    fs.writeFileSync(room.at(PATH), room.read(PATH).replace('First', 'Second'));
    const second = await daemon.see('turn.ended', { name: 'Write' }, first.index + 1);
    expect(prompt(second.turn)).toContain('Second words.');
    room.edit(PATH, (text) => text.replace('Second', 'Third'));
    const third = await daemon.see('turn.ended', { name: 'Write' }, second.index + 1);
    expect(prompt(third.turn)).toContain('Third words.');
    await room.quiet(daemon);
    expect(starts()).toHaveLength(3);
  });

  test('in pieces is read as a whole: nothing runs on half of it', async () => {
    room.settings('default_agent: gate', 'settle: 1s');
    daemon = await room.up();
    const edit = openEditor();
    await edit('open');
    for (let at = 0; at < 40; at += 1) await edit(`write ${JSON.stringify(`Line ${at}.\n`)}`);
    expect(daemon.all('turn.started')).toEqual([]);
    await edit('close');
    const { turn } = await daemon.see('turn.ended', { name: 'Write' });
    expect(prompt(turn)).toContain('Line 0.');
    expect(prompt(turn)).toContain('Line 39.');
    await room.quiet(daemon);
    expect(starts()).toHaveLength(1);
  });

  test('of a known task that stays empty for a moment loses neither task nor id', async () => {
    daemon = await room.up();
    room.save(PATH, 'First words.\n');
    const { id } = await daemon.see('turn.ended', { name: 'Write' });
    const text = room.read(PATH);
    const edit = openEditor();
    await edit('open');
    await edit(`write ${JSON.stringify(text.slice(0, 30))}`);
    await edit(`write ${JSON.stringify(`${text.slice(30)}Second words.\n`)}`);
    await edit('close');
    await daemon.see('turn.started', { id, reasons: ['edited'] });
    await room.quiet(daemon);
    expect(room.read(PATH)).toBe(`${text}Second words.\n`);
    expect(daemon.all('task.gone')).toEqual([]);
    expect(daemon.all('task.seen', { name: 'Write' })).toHaveLength(1);
  });

  test('by moving the old file away first is no deletion', async () => {
    daemon = await room.up();
    room.save(PATH, 'First words.\n');
    const { id } = await daemon.see('turn.ended', { name: 'Write' });
    const text = room.read(PATH);
    execFileSync('/bin/sh', [
      '-c',
      'mv "$1" "$1~" && printf "%s" "$2" > "$1" && rm "$1~"',
      'sh',
      room.at(PATH),
      `${text}More.\n`,
    ]);
    await daemon.see('turn.started', { id, reasons: ['edited'] });
    await room.quiet(daemon);
    expect(daemon.all('task.gone')).toEqual([]);
    expect(daemon.all('task.copied')).toEqual([]);
  });
});

describe('what is no task', () => {
  test.each([
    ['not UTF-8', Buffer.from([0x54, 0xff, 0xfe, 0x0a]), 'UTF-8'],
    ['with a NUL', Buffer.from('Words\0more\n'), 'NUL'],
    ['above 1 MiB', Buffer.alloc(1024 * 1024 + 1, 'x'), '1 MiB'],
    [
      'with an alias bomb',
      Buffer.from(
        `---\na: &a [x,x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
          .split('')
          .map((key, at) => `${key}: &${key} [${Array(10).fill(`*${'abcdefghi'[at]}`).join(',')}]`)
          .join('\n')}\n---\n`,
      ),
      '',
    ],
  ])('a file %s is invalid and untouched, its neighbours go on', async (_what, bytes, words) => {
    daemon = await room.up();
    fs.writeFileSync(room.at('tasks/Bad.md'), bytes);
    const { problems } = await daemon.see('task.invalid', { path: 'tasks/Bad.md' });
    expect(JSON.stringify(problems)).toContain(words);
    room.save(PATH, 'A task beside it.\n');
    await daemon.see('turn.ended', { name: 'Write' });
    expect(fs.readFileSync(room.at('tasks/Bad.md')).equals(bytes)).toBe(true);
    expect((await room.json('list')).invalid).toMatchObject([{ path: 'tasks/Bad.md' }]);
    expect(await room.run(['done', 'Bad'])).toMatchObject({ code: 6 });
  });

  test('a linked task file is written through the link, and keeps its mode', async () => {
    fs.mkdirSync(room.at('elsewhere'));
    fs.writeFileSync(room.at('elsewhere/Real.md'), 'Linked.\n', { mode: 0o640 });
    fs.chmodSync(room.at('elsewhere/Real.md'), 0o640);
    fs.symlinkSync('../elsewhere/Real.md', room.at(PATH));
    daemon = await room.up();
    await daemon.see('turn.ended', { name: 'Write', state: 'completed' });
    expect(fs.readlinkSync(room.at(PATH))).toBe('../elsewhere/Real.md');
    expect(fs.lstatSync(room.at(PATH)).isSymbolicLink()).toBe(true);
    expect(room.read('elsewhere/Real.md')).toMatch(/^---\nid: \w+\nstatus: doing\n---\n/);
    expect(fs.statSync(room.at('elsewhere/Real.md')).mode & 0o777).toBe(0o640);
    expect(fs.readdirSync(room.at('elsewhere'))).toEqual(['Real.md']);
  });
});
