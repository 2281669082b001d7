// What is taken from under a running daemon: its own folder, its log.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { room } from './each-room.ts';
import { NAME, runningTask } from './one-task.ts';
import { PROGRAM, SETTINGS, until } from './room.ts';

describe('.taskroom/ removed under an idle daemon', () => {
  test('D5: it stops with what happened, and a second one alone runs the room', async () => {
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

  test('D5: without a second one it ends too, and its running turn with it', async () => {
    const { daemon } = await runningTask(room);
    rmSync(room.at('.taskroom'), { recursive: true });
    expect(await daemon.ended).toMatchObject({ code: 6 });
    expect(room.agentLog().filter((line) => line.startsWith('end'))).toEqual([]);
    room.open(NAME);
  });

  test('D5: only its ledger replaced: it ends too', async () => {
    const daemon = await room.up();
    await room.quiet(daemon);
    for (const suffix of ['', '-wal', '-shm'])
      renameSync(room.at(`.taskroom/ledger.db${suffix}`), room.at(`.taskroom/away${suffix}`));
    await room.ok('new', 'Another');
    expect(await daemon.ended).toMatchObject({ code: 6 });
    expect(daemon.all('turn.started')).toEqual([]);
  });
});

const FIXTURE = join(import.meta.dirname, '../fixtures/faults/no-watcher.mjs');

test.for([
  ['ENOSPC', /no file watch left/, /max_user_watches/],
  ['EMFILE', /no file watcher left/, /max_user_instances/],
] as const)(
  'D3: without a file watcher to be had %s is said with what to raise, and the room goes on',
  async ([code, what, hint]) => {
    room.save('no-watcher', code);
    room.daemonEnv.NO_WATCHER = room.at('no-watcher');
    room.daemonEnv.NODE_OPTIONS = `--import ${FIXTURE}`;
    const daemon = await room.up();
    const { message } = await daemon.see('room.trouble', { message: what, hint });
    expect(String(message)).not.toContain('bug');
    // Edits, commands and settings are all seen without it.
    room.save('tasks/One.md', '---\nid: one1\n---\nOne.\n');
    await daemon.see('turn.ended', { name: 'One', state: 'completed' });
    await room.ok('run', 'One');
    const { turn } = await daemon.see('turn.started', { name: 'One', reasons: ['run'] });
    await daemon.see('turn.ended', { turn });
    await room.quiet(daemon);
    room.settings(...SETTINGS, 'sweep: 1s');
    const { index } = await daemon.see('config.reloaded');
    rmSync(room.at('no-watcher'));
    await daemon.see('room.mended', {}, index);
    room.save('tasks/Two.md', '---\nid: two1\n---\nTwo.\n');
    await daemon.see('turn.ended', { name: 'Two', state: 'completed' });
    expect(await room.json('stop')).toMatchObject({ stopped: true });
    expect(await daemon.ended).toEqual({ code: 0, signal: null });
  },
);

describe('standard output that can not be written', () => {
  const starts: [what: string, shell: string, said: RegExp][] = [
    ['a full disk', 'exec "$@" > /dev/full', /ENOSPC/],
    ['a reader that went away', '"$@" | true', /EPIPE/],
  ];

  test.for(starts)('D4: %s: the room goes on, and status says so', async ([, shell, said]) => {
    const program = [process.execPath, PROGRAM, 'up', '--json', '--room', room.dir];
    const child = spawn('sh', ['-c', shell, 'sh', ...program], { stdio: 'ignore' });
    onTestFinished(() => void child.kill());
    await until('it runs', () => existsSync(room.at('.taskroom/lock.json')));
    for (const name of ['One', 'Two']) {
      room.save(`tasks/${name}.md`, `${name}.\n`);
      await until(`${name} had its turn`, () =>
        room.agentLog().some((line) => line.startsWith('end') && line.endsWith(name)),
      );
    }
    const status = await room.json('status');
    expect(status.trouble).toMatchObject([{ message: expect.stringMatching(said) }]);
    expect(await room.ok('status')).toMatch(said);
    expect(await room.json('stop')).toMatchObject({ stopped: true });
  });

  test('D4: a command that could not print what it was asked for fails', () => {
    const program = [process.execPath, PROGRAM, 'list', '--json', '--room', room.dir];
    const ran = spawnSync('sh', ['-c', '"$@" > /dev/full', 'sh', ...program], { encoding: 'utf8' });
    expect(ran).toMatchObject({
      status: 6,
      stderr: expect.stringMatching(/^standard output can't be written: ENOSPC/),
    });
  });
});

test('a command whose folder was deleted under its shell works', () => {
  const program = [process.execPath, PROGRAM, 'list', '--json'];
  const from = (...args: string[]) => {
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
    return spawnSync('sh', ['-c', script, 'sh', ...program, ...args], { cwd: room.dir, encoding: 'utf8' });
  };
  for (const args of [['--room', room.dir], []])
    expect(from(...args)).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/^{"tasks":/),
    });
});
