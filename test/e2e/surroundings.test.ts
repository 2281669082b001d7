// What is taken from under a running daemon: its own folder, its program on the PATH of turns, its log.
import { closeSync, openSync, readFileSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { describe, expect, onTestFinished } from 'vitest';
import { NAME, runningTask } from './one-task.ts';
import { testInRoom } from './room-test.ts';

const test = testInRoom();

describe('.taskroom/ removed under an idle daemon', () => {
  test('D5: it stops with what happened, and a second one alone runs the room', async ({ room }) => {
    room.save('tasks/Done.md', '---\nid: done1\n---\nDone soon.\n');
    const first = await room.up();
    await first.see('turn.ended', { name: 'Done' });
    await room.quiet(first);
    const mark = first.mark();
    rmSync(room.at('.taskroom'), { recursive: true });
    const second = await room.up();
    room.save('tasks/New.md', '---\nid: new1\n---\nNew.\n');
    await second.see('turn.ended', { name: 'New', state: 'completed' });
    await room.ok('done', 'New');
    expect(await first.ended).toMatchObject({ code: 6 });
    expect(first.stderr()).toMatch(/\.taskroom was removed or replaced/);
    await room.quiet(second);
    expect(first.all('turn.started', {}, mark)).toEqual([]);
    expect(room.agentLog().filter((line) => line.startsWith('start') && line.endsWith('New'))).toHaveLength(
      1,
    );
    expect(room.read('history.jsonl').trim().split('\n')).toHaveLength(1);
    expect((await room.json('status')).daemon).toMatchObject({ pid: second.pid });
  });

  test('D5: without a second one it ends too, and its running turn with it', async ({ room }) => {
    const { daemon } = await runningTask(room);
    rmSync(room.at('.taskroom'), { recursive: true });
    expect(await daemon.ended).toMatchObject({ code: 6 });
    expect(room.agentLog().filter((line) => line.startsWith('end'))).toEqual([]);
    room.open(NAME);
  });

  test('D5: only its ledger replaced: it ends too', async ({ room }) => {
    const daemon = await room.up();
    await room.quiet(daemon);
    for (const suffix of ['', '-wal', '-shm'])
      renameSync(room.at(`.taskroom/ledger.db${suffix}`), room.at(`.taskroom/away${suffix}`));
    await room.ok('new', 'Another');
    expect(await daemon.ended).toMatchObject({ code: 6 });
    expect(daemon.all('turn.started')).toEqual([]);
  });
});

describe('the program on the PATH of turns', () => {
  const BIN = '.taskroom/bin/taskroom';

  test('D2: a restart leaves it alone, and replaces one that differs as a whole', async ({ room }) => {
    const { daemon } = await runningTask(room);
    const before = statSync(room.at(BIN)).ino;
    await daemon.kill();
    await (await room.up()).kill();
    expect(statSync(room.at(BIN)).ino).toBe(before);

    const script = readFileSync(room.at(BIN), 'utf8');
    room.save(BIN, '#!/bin/sh\n# of another build\n');
    const held = openSync(room.at(BIN), 'r');
    onTestFinished(() => closeSync(held));
    const again = await room.up();
    expect(readFileSync(room.at(BIN), 'utf8')).toBe(script);
    expect(statSync(room.at(BIN)).mode & 0o777).toBe(0o755);
    // Whoever is in the middle of it reads it to its end.
    const bytes = Buffer.alloc(100);
    expect(bytes.toString('utf8', 0, readSync(held, bytes))).toBe('#!/bin/sh\n# of another build\n');
    room.open(NAME);
    await again.see('turn.ended', { name: NAME });
  });
});
