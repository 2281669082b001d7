// The commands, with a daemon and without one: what they change, what they say, and what follows.
import { renameSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Daemon } from './daemon.ts';
import { room } from './each-room.ts';

describe.each(['with', 'without'])('%s a daemon', (which) => {
  let daemon: Daemon | null;
  beforeEach(async () => {
    daemon = which === 'with' ? await room.up() : null;
  });

  test('done writes the history once, unblocks, and archive moves the file unchanged', async () => {
    const { id } = await room.json('new', 'One', 'Words.', '--draft');
    await room.ok('new', 'Two', '--blocked-by', 'One');
    await room.ok('done', 'One', '--outcome', 'ended well');
    await room.ok('done', 'One');
    if (daemon) await daemon.see('turn.ended', { name: 'Two' });
    else expect((await room.json('once')).results).toMatchObject([{ name: 'Two' }]);
    const { history } = await room.json('history');
    expect(history).toMatchObject([{ id, name: 'One', status: 'done' }]);
    const text = room.read('tasks/One.md');
    expect(history[0].text).toBe(text);
    const { path } = await room.json('archive', 'One');
    expect(path).toMatch(/^archive\/\d{4}-\d\d\/One\.md$/);
    expect(room.read(path)).toBe(text);
    expect(await room.run(['archive', 'Two'])).toMatchObject({ code: 4 });
    expect((await room.json('show', 'One')).path).toMatch(/^archive\/.*\/One\.md$/);
    expect(await room.run(['done', 'One'])).toMatchObject({ code: 4, stderr: expect.stringContaining(path) });
    expect((await room.json('list', '--all')).tasks).toMatchObject([{ name: 'Two', blocked: false }]);
    expect((await room.json('history')).history).toHaveLength(1);
  });

  test('reading commands write nothing, not even an id', async () => {
    room.save('tasks/Fresh.md', '---\nstatus: draft\n---\n');
    if (daemon) await daemon.see('task.seen', { name: 'Fresh' });
    const before = room.read('tasks/Fresh.md');
    for (const command of ['list', 'show', 'context', 'status', 'turns', 'history', 'doctor']) {
      const ran = await room.run([command, ...(['show', 'context'].includes(command) ? ['Fresh'] : [])]);
      expect([0, 2, 3]).toContain(ran.code);
    }
    expect(room.read('tasks/Fresh.md')).toBe(before);
  });
});

describe('one history line a finish', () => {
  const count = async () => (await room.json('history')).history.length;
  const finishByHand = () => room.edit('tasks/One.md', (text) => text.replace(/status: \w+/, 'status: done'));

  beforeEach(async () => {
    room.save('tasks/One.md', '---\nid: one1\nstatus: draft\n---\n');
    expect((await room.run(['once'])).code).toBe(0);
  });

  test('by hand while no daemon runs, seen by the next command that looks at all, then by a daemon', async () => {
    finishByHand();
    await room.ok('new', 'Other', '--draft');
    await room.ok('run', '--all');
    expect(await count()).toBe(1);
    const daemon = await room.up();
    await room.quiet(daemon);
    expect(await count()).toBe(1);
  });

  test('by hand while no daemon runs, seen by the next daemon', async () => {
    finishByHand();
    renameSync(room.at('tasks/One.md'), room.at('tasks/Uno.md'));
    const daemon = await room.up();
    await room.quiet(daemon);
    expect(await room.json('history')).toMatchObject({ history: [{ id: 'one1', name: 'Uno' }] });
  });

  test('again after a reopen by command without a daemon', async () => {
    await room.ok('done', 'One');
    await room.ok('reopen', 'One');
    await room.ok('cancel', 'One');
    expect(
      (await room.json('history', 'one1')).history.map((line: { status: string }) => line.status),
    ).toEqual(['canceled', 'done']);
  });
});
