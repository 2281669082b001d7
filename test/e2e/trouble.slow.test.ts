// What goes wrong outside: folders, ledgers, copies, branches. Each is told, harms nothing, and is over when mended.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';
import { room } from './each-room.ts';
import { openFolder, processesOf, SETTINGS, until } from './room.ts';

const QUICK = 'sweep: 1s';
beforeEach(() => room.settings(...SETTINGS, QUICK));

describe('a folder', () => {
  test('tasks/ that may not be written: told, and its tasks run when it may', async ({ skip }) => {
    if (process.platform === 'win32') skip('no such permissions here');
    if (process.getuid?.() === 0) {
      room.user = 65_534;
      execFileSync('chown', ['-R', '65534:65534', room.dir]);
      fs.chmodSync(room.dir, 0o755);
    }
    room.save('tasks/One.md', '---\nid: one1\n---\nOne.\n');
    if (room.user !== null) execFileSync('chown', ['-R', '65534:65534', room.at('tasks')]);
    fs.chmodSync(room.at('tasks'), 0o555);
    const daemon = await room.up();
    const { message } = await daemon.see('room.trouble');
    expect(message).toContain('tasks/');
    fs.chmodSync(room.at('tasks'), 0o755);
    await daemon.see('turn.ended', { name: 'One', state: 'completed' });
    expect(room.read('tasks/One.md')).toContain('status: doing');
  });

  test('an and an archive that may not be written: the disk is named, and no file goes', async ({ skip }) => {
    if (process.platform === 'win32') skip('no such permissions here');
    room.save('tasks/One.md', '---\nid: one1\nstatus: draft\n---\nOne.\n');
    room.save('tasks/Over.md', '---\nid: over1\nstatus: done\n---\nOver.\n');
    await room.ok('once');
    fs.mkdirSync(room.at('archive'), { recursive: true });
    fs.mkdirSync(room.at('.taskroom/attic'), { recursive: true });
    if (process.getuid?.() === 0) {
      room.user = 65_534;
      execFileSync('chown', ['-R', '65534:65534', room.dir]);
    }
    const shut = ['archive', '.taskroom/attic'];
    for (const dir of shut) fs.chmodSync(room.at(dir), 0o555);
    for (const command of [
      ['delete', 'One'],
      ['archive', 'Over'],
    ]) {
      const ran = await room.run([...command, '--json']);
      expect({ command, code: ran.code }).toEqual({ command, code: 6 });
      expect(JSON.parse(ran.stderr)).toMatchObject({ error: { code: 'io' } });
    }
    expect(fs.readdirSync(room.at('tasks')).sort()).toEqual(['One.md', 'Over.md']);
    for (const dir of shut) fs.chmodSync(room.at(dir), 0o755);
    await room.ok('delete', 'One');
    await room.ok('archive', 'Over');
    expect(fs.readdirSync(room.at('tasks'))).toEqual([]);
  });

  test('of the room, moved away and back: nothing is taken for deleted, and work goes on', async () => {
    room.settings(...SETTINGS, QUICK, 'on_delete: cancel');
    room.save('tasks/One.md', '---\nid: one1\n---\nOne.\n');
    const daemon = await room.up();
    await daemon.see('turn.ended', { name: 'One' });
    await room.quiet(daemon);
    const away = `${room.dir}-away`;
    const mark = daemon.mark();
    fs.renameSync(room.dir, away);
    await daemon.see('room.trouble', {}, mark);
    fs.renameSync(away, room.dir);
    await daemon.see('room.mended', {}, mark);
    room.edit('tasks/One.md', (text) => `${text}More.\n`);
    await daemon.see('turn.ended', { name: 'One', state: 'completed' }, mark);
    expect(daemon.all('task.gone')).toEqual([]);
    expect((await room.json('history')).history).toEqual([]);
  });

  test('tasks/ removed and put back: nothing is taken for deleted, and edits are seen again', async () => {
    room.settings(...SETTINGS, QUICK, 'on_delete: cancel');
    for (const name of ['One', 'Two']) room.save(`tasks/${name}.md`, `---\nid: ${name}\n---\n${name}.\n`);
    const daemon = await room.up();
    await daemon.see('turn.ended', { name: 'One' });
    await daemon.see('turn.ended', { name: 'Two' });
    await room.quiet(daemon);
    const mark = daemon.mark();
    fs.cpSync(room.at('tasks'), room.at('kept'), { recursive: true });
    fs.rmSync(room.at('tasks'), { recursive: true });
    await daemon.see('room.trouble', {}, mark);
    fs.renameSync(room.at('kept'), room.at('tasks'));
    await daemon.see('room.mended', {}, mark);
    room.edit('tasks/One.md', (text) => `${text}More.\n`);
    await daemon.see('turn.ended', { name: 'One', state: 'completed' }, mark);
    await room.quiet(daemon);
    expect((await room.json('history')).history).toEqual([]);
    expect(daemon.all('turn.started', {}, mark)).toHaveLength(1);
  });

  test('files that come and go while the room is read harm nothing', async () => {
    const daemon = await room.up();
    const churn =
      'i=0; while [ $i -lt 300 ]; do echo hi > "tasks/c$i.md"; rm "tasks/c$i.md"; i=$((i+1)); done';
    execFileSync('/bin/sh', ['-c', churn], { cwd: room.dir });
    await room.quiet(daemon);
    expect(daemon.all('room.trouble')).toEqual([]);
    expect((await room.json('list')).tasks.map((task: { name: string }) => task.name)).toEqual([
      'zz barrier 1',
    ]);
  });
});

test('a ledger that is gone between two runs: todo is due, doing waits for an edit or run', async () => {
  room.save('tasks/Todo.md', '---\nid: todo1\nstatus: todo\n---\nTodo.\n');
  room.save('tasks/Doing.md', '---\nid: doing1\nstatus: doing\n---\nDoing.\n');
  room.save('tasks/Asked.md', '---\nid: asked1\nstatus: doing\n---\nAsked.\n');
  room.save('tasks/Done.md', '---\nid: done1\nstatus: done\n---\nDone.\n');
  expect((await room.run(['once'])).code).toBe(0);
  room.edit('tasks/Todo.md', (text) => text.replace('status: doing', 'status: todo'));
  fs.rmSync(room.at('.taskroom'), { recursive: true });
  const daemon = await room.up();
  await daemon.see('turn.ended', { name: 'Todo' });
  await room.quiet(daemon);
  expect(daemon.all('turn.started')).toHaveLength(1);
  room.edit('tasks/Doing.md', (text) => `${text}More.\n`);
  await daemon.see('turn.ended', { name: 'Doing' });
  await room.ok('run', 'Asked');
  await daemon.see('turn.ended', { name: 'Asked' });
  await room.quiet(daemon);
  expect(daemon.all('turn.started')).toHaveLength(3);
  expect((await room.json('history')).history).toEqual([]);
});

describe('a ledger that is damaged', () => {
  const LEDGER = '.taskroom/ledger.db';
  /** Writes noise over every second page, or over all of them. */
  function damage(path: string, { every }: { every: number }): void {
    const { size } = fs.statSync(path);
    const file = fs.openSync(path, 'r+');
    for (let at = every === 1 ? 0 : 4096; at < size; at += 4096 * every)
      fs.writeSync(file, Buffer.alloc(4096, 0x5a), 0, 4096, at);
    fs.closeSync(file);
  }

  test('D6: in half of its pages: set aside, rebuilt and said; everything goes on', async () => {
    room.save('tasks/One.md', '---\nid: one1\n---\nOne.\n');
    expect((await room.run(['once'])).code).toBe(0);
    damage(room.at(LEDGER), { every: 2 });
    const first = await room.run(['list']);
    if (first.code !== 0) {
      expect(first).toMatchObject({ code: 6, stderr: expect.stringContaining('damaged-1') });
      expect((await room.run(['list'])).code).toBe(0);
    }
    const daemon = await room.up();
    room.save('tasks/Two.md', '---\nid: two1\n---\nTwo.\n');
    await daemon.see('turn.ended', { name: 'Two', state: 'completed' });
    expect(fs.existsSync(room.at(`${LEDGER}.damaged-1`))).toBe(true);
    expect(await room.ok('list')).toContain('One');
  });

  test('D6: under a running daemon: it sets it aside, says so, and works on', async () => {
    room.save('tasks/One.md', '---\nid: one1\n---\nOne.\n');
    const daemon = await room.up();
    await daemon.see('turn.ended', { name: 'One' });
    await room.quiet(daemon);
    const mark = daemon.mark();
    damage(room.at(LEDGER), { every: 1 });
    damage(room.at(`${LEDGER}-wal`), { every: 1 });
    const beside = await room.run(['comment', 'One', 'a word']);
    expect([0, 6]).toContain(beside.code);
    expect(beside.stderr).not.toContain('bug of taskroom');
    room.save('tasks/Two.md', '---\nid: two1\n---\nTwo.\n');
    await daemon.see('room.trouble', { message: /was damaged/ }, mark);
    await daemon.see('room.ready', {}, mark);
    await room.quiet(daemon);
    // Its turn began before the damage was met: it waits for a word, as the trouble said.
    if (daemon.all('turn.ended', { name: 'Two', state: 'completed' }).length === 0)
      expect((await room.run(['run', 'Two'])).code).toBe(0);
    await daemon.see('turn.ended', { name: 'Two', state: 'completed' }, mark);
    expect(
      fs.readdirSync(room.at('.taskroom')).filter((name) => /^ledger\.db\.damaged-\d$/.test(name)),
    ).toHaveLength(1);
    expect(daemon.all('room.trouble', { message: /^bug/ })).toEqual([]);
    expect((await room.json('status')).daemon).toMatchObject({ pid: daemon.pid });
  });
});

test('a room copied to another folder while a turn runs runs nothing by surprise and touches no process of the original', async () => {
  room.gate('One');
  room.save('tasks/One.md', '---\nid: one1\n---\nOne.\n');
  room.save('tasks/Two.md', '---\nid: two1\n---\nTwo.\n');
  const daemon = await room.up();
  const { turn } = await daemon.see('turn.started', { name: 'One' });
  await daemon.see('turn.ended', { name: 'Two' });
  await until('the agent has started', () => room.agentLog().some((line) => line.endsWith('One')));
  const own = processesOf(room.dir);
  const dir = tempFolder('taskroom-copy');
  execFileSync('cp', ['-a', `${room.dir}/.`, dir]);
  const copy = openFolder(dir);
  onTestFinished(() => copy.close());
  const other = await copy.up();
  await copy.quiet(other);
  expect(other.all('turn.started')).toEqual([]);
  expect(await copy.json('turns', '--running')).toMatchObject({ turns: [] });
  expect(processesOf(room.dir)).toEqual(own);
  room.open('One');
  await daemon.see('turn.ended', { turn, state: 'completed', exit_code: 0 });
  expect(await copy.json('turns', 'One')).toMatchObject({
    turns: [{ id: turn, state: 'failed', reason: 'interrupted' }],
  });
  copy.edit('tasks/Two.md', (text) => `${text}More.\n`);
  await other.see('turn.ended', { name: 'Two', state: 'completed' });
});

test('a room that is no room any more at the start is refused, not made', async () => {
  const dir = join(room.dir, 'nowhere');
  expect(await room.run(['up', '--room', dir])).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('taskroom init'),
  });
  expect(fs.existsSync(dir)).toBe(false);
  fs.mkdirSync(dir);
  expect(await room.run(['list', '--room', dir])).toMatchObject({ code: 6 });
  expect(fs.readdirSync(dir)).toEqual([]);
});
